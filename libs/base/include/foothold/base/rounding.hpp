#pragma once

#include <cmath>
#include <limits>

#include <Eigen/Core>

// Rounding-error bounds in round-to-nearest binary64, after [Hig02]. Directed rounding is
// not used: compilers move operations across `fesetround`.
namespace foothold::rounding {

/// u = 2⁻⁵³: a single operation errs by a factor 1 + θ, |θ| ≤ u.
inline constexpr double kUnit = 0x1p-53;

/// Covers the absolute error of one operation whose exact result is below the normal range,
/// generously: products and error terms that underflow lose at most a few multiples of 2⁻¹⁰⁷⁴.
inline constexpr double kTiny = 0x1p-1060;

/// γ_k = k·u/(1 − k·u): k operations in a row err by a factor 1 + θ, |θ| ≤ γ_k [Hig02, Lem. 3.1].
[[nodiscard]] constexpr double gamma(double operations) {
  return operations * kUnit / (1.0 - operations * kUnit);
}

/// An upper bound on a sum or product that was computed with at most `operations` roundings
/// and no cancellation, so that its relative error is ≤ γ. NaN stays NaN.
[[nodiscard]] inline double up(double value, double operations = 4.0) {
  return value + (std::abs(value) * (gamma(operations) + 2.0 * kUnit) + kTiny);
}

/// ‖v‖₂ ≤ norm_upper(v), without overflow or underflow on the way. +∞ or NaN if an entry is not
/// finite.
[[nodiscard]] double norm_upper(const Eigen::Ref<const Eigen::VectorXd>& v);

}  // namespace foothold::rounding
