#pragma once

#include <type_traits>

#include <Eigen/Core>

#include "foothold/base/double_double.hpp"
#include "foothold/base/rounding.hpp"

// Products of matrices and vectors as if computed in twice the working precision [ORO05, Alg. 5.3]:
// products and sums are split without error, and the error terms are summed plainly. Lanes are
// independent, so the compiler vectorises the loops.
namespace foothold {

/// Calls `kernel` with the dimension as a constant where it is one of the small ones that are worth
/// it: the loops over it then disappear. Otherwise with 0.
template <typename Kernel>
void with_fixed_dim(Eigen::Index dim, Kernel&& kernel) {
  switch (dim) {
    case 2: kernel(std::integral_constant<int, 2>{}); break;
    case 4: kernel(std::integral_constant<int, 4>{}); break;
    case 8: kernel(std::integral_constant<int, 8>{}); break;
    default: kernel(std::integral_constant<int, 0>{}); break;
  }
}

/// high + low ← high + low + M x, for a square M of the vectors' size. With m = |high| + |M||x|
/// entry by entry, the new high + low err in entry i by at most
///
///     compensated_error(d) · mᵢ + (2d + 2)u · |lowᵢ| + d · kTiny,
///
/// where `low` is the one before. The new `low` is not normalised.
void add_product(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& x, Eigen::VectorXd& high,
                 Eigen::VectorXd& low);

/// The same for M = matrix + matrix_low with |matrix_low| ≤ 2u|matrix| entry by entry, whose
/// part of the product is summed plainly. The same bound holds, with |matrix| in m.
void add_product(const Eigen::MatrixXd& matrix, const Eigen::MatrixXd& matrix_low,
                 const Eigen::VectorXd& x, Eigen::VectorXd& high, Eigen::VectorXd& low);

/// xᵀy as a pair that errs by at most compensated_error(d) · |x|ᵀ|y| + d · kTiny.
[[nodiscard]] DoubleDouble compensated_dot(const Eigen::VectorXd& x, const Eigen::VectorXd& y);

/// 2(d + 8)²u². Of d terms, the d sums leave errors of at most u times a partial sum each and the
/// products of at most u times themselves, |matrix_low| adds 2u: together (d + 4)u of m. They pass
/// through at most 2d + 9 roundings on their way into `low`, so that it errs by γ_{2d+9}(d + 4)u m.
[[nodiscard]] constexpr double compensated_error(Eigen::Index dim) {
  const double terms = static_cast<double>(dim) + 8.0;
  return 2.0 * terms * terms * rounding::kUnit * rounding::kUnit;
}

}  // namespace foothold
