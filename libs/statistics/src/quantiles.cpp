#include "foothold/statistics/quantiles.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "foothold/base/infinity.hpp"
#include "foothold/base/invariant.hpp"

namespace foothold::statistics {

double quantile(std::span<const double> values, double p) {
  FOOTHOLD_ASSERT(p >= 0.0 && p <= 1.0);
  if (values.empty()) {
    return kNaN;
  }
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double fraction = position - static_cast<double>(below);
  return (1.0 - fraction) * sorted[below] + fraction * sorted[above];
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

}  // namespace foothold::statistics
