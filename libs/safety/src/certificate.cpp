#include "foothold/safety/certificate.hpp"

#include <algorithm>
#include <cmath>

#include "foothold/base/infinity.hpp"

namespace foothold::safety {

std::string_view name(BoundKind kind) {
  switch (kind) {
    case BoundKind::APriori:
      return "a-priori";
    case BoundKind::Ellipsoid:
      return "ellipsoid";
    case BoundKind::L1Exact:
      return "l1-exact";
    case BoundKind::L1Paper:
      return "l1-paper";
  }
  return "unknown";
}

double Certificate::margin() const noexcept {
  double smallest = kInfinity;
  for (const ConstraintCertificate& entry : constraints) {
    const double margin = entry.margin();
    if (std::isnan(margin)) {
      return margin;  // an unknown margin is no margin
    }
    smallest = std::min(smallest, margin);
  }
  return smallest;
}

}  // namespace foothold::safety
