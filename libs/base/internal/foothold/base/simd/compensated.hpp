#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include <Eigen/Core>

#include "foothold/base/double_double.hpp"
#include "foothold/base/rounding.hpp"
#include "foothold/base/simd/fixed_dim.hpp"

// Products of matrices and vectors as if computed in twice the working precision [ORO05, Alg. 5.3]:
// products and sums are split without error, and the error terms are summed plainly. Lanes are
// independent, so the compiler vectorises the loops.
namespace foothold {

/// 2(d + 8)²u². Of d terms, the d sums leave errors of at most u times a partial sum each and the
/// products of at most u times themselves, |matrix_low| adds 2u: together (d + 4)u of m. They pass
/// through at most 2d + 9 roundings on their way into `low`, so that it errs by γ_{2d+9}(d + 4)u m.
[[nodiscard]] constexpr double compensated_error(Eigen::Index dim) {
  const double terms = static_cast<double>(dim) + 8.0;
  return 2.0 * terms * terms * rounding::kUnit * rounding::kUnit;
}

namespace detail {

// Adds `Width` columns, which keeps the sums in registers meanwhile.
template <int Width, bool kHasLow>
inline void add_columns(Eigen::Index d, const double* __restrict matrix,
                        const double* __restrict matrix_low, const double* __restrict x,
                        double* __restrict high, double* __restrict low) {
  for (Eigen::Index i = 0; i < d; ++i) {
    double sum = high[i];
    double errors = low[i];
    for (int c = 0; c < Width; ++c) {
      const DoubleDouble product = two_product(matrix[i + c * d], x[c]);
      const DoubleDouble next = two_sum(sum, product.high);
      sum = next.high;
      errors += next.low + product.low;
      if constexpr (kHasLow) {
        errors = std::fma(matrix_low[i + c * d], x[c], errors);
      }
    }
    high[i] = sum;
    low[i] = errors;
  }
}

template <int Fixed, bool kHasLow>
inline void add_all_columns(const Eigen::MatrixXd& matrix, const Eigen::MatrixXd* matrix_low,
                            const Eigen::VectorXd& x, Eigen::VectorXd& high, Eigen::VectorXd& low) {
  const Eigen::Index d = Fixed > 0 ? Fixed : x.size();
  constexpr int kWidth = Fixed == 2 ? 2 : 4;
  const Eigen::Index whole = d - d % kWidth;
  const double* lows = kHasLow ? matrix_low->data() : nullptr;
  for (Eigen::Index j = 0; j < whole; j += kWidth) {
    add_columns<kWidth, kHasLow>(d, matrix.data() + j * d, kHasLow ? lows + j * d : nullptr,
                                 x.data() + j, high.data(), low.data());
  }
  if constexpr (Fixed <= 0) {
    for (Eigen::Index j = whole; j < d; ++j) {
      add_columns<1, kHasLow>(d, matrix.data() + j * d, kHasLow ? lows + j * d : nullptr,
                              x.data() + j, high.data(), low.data());
    }
  }
}

// sums + errors ← sums + errors + xᵢyᵢ, lane by lane.
template <int Lanes>
inline void add_products(const double* __restrict x, const double* __restrict y,
                         double* __restrict sums, double* __restrict errors) {
#pragma GCC unroll 1
  for (int lane = 0; lane < Lanes; ++lane) {
    const DoubleDouble product = two_product(x[lane], y[lane]);
    const DoubleDouble next = two_sum(sums[lane], product.high);
    sums[lane] = next.high;
    errors[lane] += next.low + product.low;
  }
}

}  // namespace detail

/// high + low ← high + low + M x, for a square M of the vectors' size. With m = |high| + |M||x|
/// entry by entry, the new high + low err in entry i by at most
///
///     compensated_error(d) · mᵢ + (2d + 2)u · |lowᵢ| + d · kTiny,
///
/// where `low` is the one before. The new `low` is not normalised.
template <int Fixed = Eigen::Dynamic>
void add_product(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& x, Eigen::VectorXd& high,
                 Eigen::VectorXd& low) {
  detail::add_all_columns<Fixed, false>(matrix, nullptr, x, high, low);
}

/// The same for M = matrix + matrix_low with |matrix_low| ≤ 2u|matrix| entry by entry, whose
/// part of the product is summed plainly. The same bound holds, with |matrix| in m.
template <int Fixed = Eigen::Dynamic>
void add_product(const Eigen::MatrixXd& matrix, const Eigen::MatrixXd& matrix_low,
                 const Eigen::VectorXd& x, Eigen::VectorXd& high, Eigen::VectorXd& low) {
  detail::add_all_columns<Fixed, true>(matrix, &matrix_low, x, high, low);
}

/// xᵀy as a pair that errs by at most compensated_error(d) · |x|ᵀ|y| + d · kTiny.
template <int Fixed = Eigen::Dynamic>
[[nodiscard]] DoubleDouble compensated_dot(const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
  // Independent lanes, since one chain of sums would wait for each of them.
  constexpr int kLanes = Fixed == 2 ? 2 : 4;
  const Eigen::Index d = Fixed > 0 ? Fixed : x.size();
  const Eigen::Index whole = d - d % kLanes;
  std::array<double, 4> sums{};
  std::array<double, 4> errors{};
  for (Eigen::Index i = 0; i < whole; i += kLanes) {
    detail::add_products<kLanes>(x.data() + i, y.data() + i, sums.data(), errors.data());
  }
  if constexpr (Fixed <= 0) {
    for (Eigen::Index i = whole; i < d; ++i) {
      const auto lane = static_cast<std::size_t>(i - whole);
      detail::add_products<1>(x.data() + i, y.data() + i, &sums[lane], &errors[lane]);
    }
  }
  const DoubleDouble first = two_sum(sums[0], sums[1]);
  if constexpr (Fixed == 2) {
    return {first.high, (errors[0] + errors[1]) + first.low};
  }
  const DoubleDouble second = two_sum(sums[2], sums[3]);
  const DoubleDouble total = two_sum(first.high, second.high);
  return {total.high, ((errors[0] + errors[1]) + (errors[2] + errors[3])) +
                          ((first.low + second.low) + total.low)};
}

}  // namespace foothold
