#pragma once

#include <cmath>

#include <Eigen/Core>

#include "foothold/cone/tolerances.hpp"
#include "foothold/estimation/confidence_region.hpp"

namespace foothold::optimism {

// An optimum lies on its cone, where the allowances of a certificate decide against it. A little
// inside it is usually certified at once, by plain arithmetic. With y = A⁻¹z that leaves some
// d·u·tr(A)‖y‖² of the square of a width w and ‖b − Aμ̂‖‖y‖ of the estimate, where ‖y‖² is mostly
// below three times w² tr(A⁻¹)/d; and what does not hang on the width, in units of rounding of the
// limit.
class Inset {
 public:
  Inset() = default;
  Inset(const estimation::ConfidenceRegion& region, double rho) {
    const auto d = static_cast<double>(region.dim());
    const double y_sq = 3.0 * region.inverse_trace() / d;  // of a unit of width
    share_ = (128.0 + 8.0 * d * d) * 0x1p-53;
    per_width_ = rho * (d + 12.0) * 0x1p-53 * region.trace() * y_sq +
                 region.residual_norm() * std::sqrt(y_sq);
  }

  // How far inside a limit, as a share of it, a point of this width should lie. It takes no more
  // than half of the gap that is accepted: better two certificates than a poor action.
  [[nodiscard]] double share(double limit, double width) const {
    const double wanted = share_ + per_width_ * width / limit;
    return wanted < 0.5 * cone::kAccept ? wanted : share_;
  }

 private:
  double share_ = 0.0;
  double per_width_ = 0.0;
};

}  // namespace foothold::optimism
