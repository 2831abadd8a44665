#pragma once

#include <Eigen/Core>

namespace foothold::selection {

// A bound this close to the incumbent cannot lead to a better action worth having: it is the
// rounding of the incumbent's own value.
inline constexpr double kPruneTolerance = 1e-12;

// Gap at which a solution is accepted, relative to max(|value|, kRangeShare of the objective's
// range over the box): a tenth of what is promised to callers.
inline constexpr double kAccept = 1e-10;
inline constexpr double kPromised = 1e-9;
inline constexpr double kRangeShare = 1e-3;

// An optimum lies on its cone, where the allowances of a certificate decide against it. This far
// inside, as a share of the limit, it is usually certified at once: the allowances of d² products
// in plain arithmetic and of what follows, in units of rounding.
[[nodiscard]] inline double inset(Eigen::Index dim) {
  const auto d = static_cast<double>(dim);
  return (128.0 + 8.0 * d * d) * 0x1p-53;
}

}  // namespace foothold::selection
