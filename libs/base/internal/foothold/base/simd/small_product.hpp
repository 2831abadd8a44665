#pragma once

#include <Eigen/Core>

#include "foothold/base/simd/fixed_dim.hpp"

// Products with square matrices of a handful to a few dozen rows, for which a library's product
// costs more in its preparations. By columns, so that lanes run along the rows, and in two partial
// sums, since every step of a sum waits for the one before.
namespace foothold {

/// Mx of a known, even dimension.
template <int Fixed>
[[nodiscard, gnu::always_inline]] inline Eigen::Matrix<double, Fixed, 1> small_product(
    const Eigen::MatrixXd& M, const Eigen::VectorXd& x) {
  static_assert(Fixed >= 2 && Fixed % 2 == 0);
  constexpr int kHalf = Fixed / 2;
  const auto columns = fixed_view<Fixed>(M);
  const auto vector = fixed_view<Fixed>(x);
  return columns.template leftCols<kHalf>().lazyProduct(vector.template head<kHalf>()) +
         columns.template rightCols<kHalf>().lazyProduct(vector.template tail<kHalf>());
}

/// out ← Mx; they must not overlap, and `out` must have its size.
template <int Fixed>
[[gnu::always_inline]] inline void multiply(const Eigen::MatrixXd& M, const Eigen::VectorXd& x,
                                            Eigen::VectorXd& out) {
  if constexpr (Fixed > 0) {
    fixed_view<Fixed>(out) = small_product<Fixed>(M, x);
  } else {
    out = x(0) * M.col(0);
    Eigen::Index j = 1;
    for (; j + 1 < M.cols(); j += 2) {
      out += x(j) * M.col(j) + x(j + 1) * M.col(j + 1);
    }
    if (j < M.cols()) {
      out += x(j) * M.col(j);
    }
  }
}

inline void multiply(const Eigen::MatrixXd& M, const Eigen::VectorXd& x, Eigen::VectorXd& out) {
  with_fixed_dim(M.rows(), [&](auto fixed) { multiply<fixed.value>(M, x, out); });
}

}  // namespace foothold
