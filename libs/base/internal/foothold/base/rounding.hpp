#pragma once

#include <array>
#include <cmath>
#include <limits>

#include <Eigen/Core>

// Rounding-error bounds in round-to-nearest binary64, after [Hig02]. Directed rounding is
// not used: compilers move operations across `fesetround`.
namespace foothold::rounding {

/// Throws `Error{Unavailable, "rounding"}` unless the CPU rounds to nearest and keeps subnormal
/// numbers: every bound here assumes it. Costs a few cycles; for whoever issues a certificate.
void require_nearest();

/// u = 2⁻⁵³: a single operation errs by a factor 1 + θ, |θ| ≤ u.
inline constexpr double kUnit = 0x1p-53;

/// Covers the absolute error of one operation whose exact result is below the normal range,
/// generously: products and error terms that underflow lose at most a few multiples of 2⁻¹⁰⁷⁴. The
/// smallest normal number, since processors are slow with smaller ones.
inline constexpr double kTiny = 0x1p-1022;

/// γ_k = k·u/(1 − k·u): k operations in a row err by a factor 1 + θ, |θ| ≤ γ_k [Hig02, Lem. 3.1].
[[nodiscard]] constexpr double gamma(double operations) {
  return operations * kUnit / (1.0 - operations * kUnit);
}

/// An upper bound on a sum or product that was computed with at most `operations` roundings
/// and no cancellation, so that its relative error is ≤ γ. NaN stays NaN.
[[nodiscard]] inline double up(double value, double operations = 4.0) {
  return value + (std::abs(value) * (gamma(operations) + 2.0 * kUnit) + kTiny);
}

/// The same for a value that is not negative, in one operation: with c = 1 + (k + 4)u rounded,
/// hence c ≥ 1 + (k + 3)u, the result is at least value·c(1 − u) ≥ value(1 + γ_k).
[[nodiscard]] inline double inflate(double value, double operations = 4.0) {
  return std::fma(value, 1.0 + (operations + 4.0) * kUnit, kTiny);
}

/// ‖v‖₂ ≤ norm_upper(v), without overflow or underflow on the way. +∞ or NaN if an entry is not
/// finite.
[[nodiscard, gnu::cold]] double scaled_norm_upper(const Eigen::Ref<const Eigen::VectorXd>& v);

/// Σvᵢ², summed in an order that depends on nothing but the size (that of Eigen depends on where
/// in memory a vector lies, too).
template <typename Derived>
[[nodiscard, gnu::always_inline]] inline double sum_of_squares(
    const Eigen::MatrixBase<Derived>& v) {
  if constexpr (Derived::SizeAtCompileTime != Eigen::Dynamic) {
    return v.squaredNorm();
  } else {
    std::array<double, 4> lanes{};
    const Eigen::Index whole = v.size() - v.size() % 4;
    for (Eigen::Index i = 0; i < whole; i += 4) {
      for (std::size_t lane = 0; lane < 4; ++lane) {
        const double entry = v.coeff(i + static_cast<Eigen::Index>(lane));
        lanes[lane] += entry * entry;
      }
    }
    for (Eigen::Index i = whole; i < v.size(); ++i) {
      lanes[static_cast<std::size_t>(i - whole)] += v.coeff(i) * v.coeff(i);
    }
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
  }
}

/// The same as `scaled_norm_upper`, faster where the squares are far from the ends of the range.
template <typename Derived>
[[nodiscard, gnu::always_inline]] inline double norm_upper(const Eigen::MatrixBase<Derived>& v) {
  const double sum = sum_of_squares(v);
  // Squares that underflow lose less than 2⁻¹⁰⁷⁴ each, nothing beside u of such a sum; an entry
  // that is not finite fails the test.
  if (sum > 0x1p-900 && sum < 0x1p900) {
    // γ_{n+4}, the rounding of the factor and of the product: (n + 8)u for every n in memory.
    return std::sqrt(sum) * (1.0 + (static_cast<double>(v.size()) + 8.0) * kUnit);
  }
  return scaled_norm_upper(v.derived());
}

/// ‖v‖₂ ≤ ‖v‖₁ ≤ norm_upper_coarse(v): without a root, for where a factor of √n does not matter.
/// NaN or +∞ if an entry is not finite. Of Eigen's vectors, and of a `RegisterVector`.
template <typename Vector>
[[nodiscard]] double norm_upper_coarse(const Vector& v) {
  const double sum = v.template lpNorm<1>();
  return sum * (1.0 + (static_cast<double>(v.size()) + 4.0) * kUnit);
}

/// Whether all entries are finite, in one pass without branches: 0·v is NaN where v is not.
template <typename Derived>
[[nodiscard]] bool is_finite(const Eigen::DenseBase<Derived>& values) {
  return (0.0 * values.derived().array()).sum() == 0.0;
}

}  // namespace foothold::rounding
