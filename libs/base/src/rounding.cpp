#include "foothold/base/rounding.hpp"

#include "foothold/base/infinity.hpp"

namespace foothold::rounding {

double scaled_norm_upper(const Eigen::Ref<const Eigen::VectorXd>& v) {
  if (!v.allFinite()) {
    return kInfinity;
  }
  const double largest = v.size() == 0 ? 0.0 : v.cwiseAbs().maxCoeff();
  if (largest == 0.0) {
    return 0.0;
  }
  // A power of two scales without rounding; what underflows in the square then is below
  // u² of the sum, which the allowance of n + 4 operations covers.
  const int exponent = std::ilogb(largest);
  double sum = 0.0;
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    const double scaled = std::scalbn(v(i), -exponent);
    sum += scaled * scaled;
  }
  // Scaling back rounds only below the normal range, by less than the distance to the next number.
  const double norm = inflate(std::sqrt(sum), static_cast<double>(v.size()) + 4.0);
  return std::nextafter(std::scalbn(norm, exponent), kInfinity);
}

}  // namespace foothold::rounding
