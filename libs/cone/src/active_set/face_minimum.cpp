#include "foothold/cone/active_set/face_minimum.hpp"

#include <algorithm>
#include <cmath>

#include "foothold/base/simd/fixed_dim.hpp"

namespace foothold::cone {
namespace {

// A pivot this small against its diagonal entry is rounding: the face's form is singular.
constexpr double kPivotTolerance = 1e-14;

}  // namespace

FaceMinimum::FaceMinimum(Eigen::Index max_dim)
    : Q(max_dim, max_dim),
      a(max_dim),
      v(max_dim),
      g(max_dim),
      t(max_dim),
      L_(max_dim, max_dim),
      pivots_(max_dim),
      inverse_pivots_(max_dim),
      ya_(max_dim),
      yv_(max_dim),
      yg_(max_dim) {}

// Q' = L D Lᵀ with a unit lower triangular L: without roots, and with one division a column. By
// columns, which are contiguous; of the lengths at hand most are below ten.
template <int Fixed>
bool FaceMinimum::factor(Eigen::Index size) {
  const Eigen::Index n = fixed_or<Fixed>(size);
  for (Eigen::Index j = 0; j < n; ++j) {
    double* column = &L_(0, j);
    const double* source = &Q(0, j);
    for (Eigen::Index i = j; i < n; ++i) {
      column[i] = source[i];
    }
    for (Eigen::Index k = 0; k < j; ++k) {
      const double* earlier = &L_(0, k);
      const double weight = earlier[j] * pivots_(k);
      for (Eigen::Index i = j; i < n; ++i) {
        column[i] -= weight * earlier[i];
      }
    }
    if (!(column[j] > kPivotTolerance * source[j])) {
      return false;
    }
    const double inverse = 1.0 / column[j];
    pivots_(j) = column[j];
    inverse_pivots_(j) = inverse;
    for (Eigen::Index i = j + 1; i < n; ++i) {
      column[i] *= inverse;
    }
  }
  return true;
}

// L x = x for the three right-hand sides at once.
template <int Fixed>
void FaceMinimum::substitute(Eigen::Index size) {
  const Eigen::Index n = fixed_or<Fixed>(size);
  for (Eigen::Index j = 0; j < n; ++j) {
    const double* column = &L_(0, j);
    const double a_j = ya_(j);
    const double v_j = yv_(j);
    const double g_j = yg_(j);
    for (Eigen::Index i = j + 1; i < n; ++i) {
      ya_(i) -= a_j * column[i];
      yv_(i) -= v_j * column[i];
      yg_(i) -= g_j * column[i];
    }
  }
}

// D Lᵀ x = t, in place.
template <int Fixed>
void FaceMinimum::substitute_back(Eigen::Index size) {
  const Eigen::Index n = fixed_or<Fixed>(size);
  for (Eigen::Index j = n - 1; j >= 0; --j) {
    const double* column = &L_(0, j);
    double sum = t(j) * inverse_pivots_(j);
    for (Eigen::Index i = j + 1; i < n; ++i) {
      sum -= column[i] * t(i);
    }
    t(j) = sum;
  }
}

// A direction p = −Q'⁻¹(a' + s v') that stays in the cone for ever, a'ᵀp + ρ‖p‖_{Q'} ≤ 0, and goes
// down, v'ᵀp = −(W + sV) < 0. The first holds where f(s) = (U + sW)² − ρ²(U + 2sW + s²V) ≥ 0, the
// second from s₀ = max(0, −W/V) on; s is taken halfway from s₀ to where f ends to be ≥ 0.
bool FaceMinimum::set_ray(Eigen::Index n, double U, double V, double W) {
  const double rho_sq = rho * rho;
  const double start = std::max(0.0, -W / V);
  const double f2 = W * W - rho_sq * V;
  const double f1 = 2.0 * W * (U - rho_sq);
  const double f0 = U * (U - rho_sq);
  double end = 2.0 * start + std::sqrt(U / V);
  const double root = f1 * f1 - 4.0 * f2 * f0;
  if (root >= 0.0 && f2 != 0.0) {
    for (const double sign : {-1.0, 1.0}) {
      const double s = (-f1 + sign * std::sqrt(root)) / (2.0 * f2);
      if (s > start) {
        end = std::min(end, s);
      }
    }
  }
  const double s = 0.5 * (start + end);
  if (!std::isfinite(s) || !(W + s * V > 0.0)) {
    return false;
  }
  t.head(n) = -(ya_.head(n) + s * yv_.head(n));
  substitute_back<Eigen::Dynamic>(n);
  return true;
}

// In the steady state one or two coordinates are free: loops of these lengths are not worth their
// counters.
FaceStatus FaceMinimum::solve(Eigen::Index n) {
  switch (n) {
    case 1:
      return solve_sized<1>(n);
    case 2:
      return solve_sized<2>(n);
    case 3:
      return solve_sized<3>(n);
    default:
      return solve_sized<Eigen::Dynamic>(n);
  }
}

// With p = Q'⁻¹g the square root becomes √(‖t + p‖²_{Q'} + r²), r² = r0 − ‖g‖²_{Q'⁻¹}, and
// c″ = c0 + a'ᵀp. Let U, V, W be the products aa, vv, va in Q'⁻¹, D = ρ² − U. Stationarity gives
// t + p = −(q/ρ) Q'⁻¹(v'/τ + a') with q the root; eliminating q leaves a quadratic in 1/τ.
template <int Fixed>
FaceStatus FaceMinimum::solve_sized(Eigen::Index size) {
  const Eigen::Index n = fixed_or<Fixed>(size);
  if (!factor<Fixed>(n)) {
    return FaceStatus::Singular;
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    ya_(i) = a(i);
    yv_(i) = v(i);
    yg_(i) = g(i);
  }
  substitute<Fixed>(n);

  double U = 0.0;
  double V = 0.0;
  double W = 0.0;
  double gg = 0.0;
  double ag = 0.0;
  for (Eigen::Index i = 0; i < n; ++i) {
    const double a_i = ya_(i) * inverse_pivots_(i);
    U += a_i * ya_(i);
    V += yv_(i) * yv_(i) * inverse_pivots_(i);
    W += a_i * yv_(i);
    gg += yg_(i) * yg_(i) * inverse_pivots_(i);
    ag += a_i * yg_(i);
  }
  const double r_sq = std::max(r0 - gg, 0.0);
  const double c = c0 + ag;
  const double D = rho * rho - U;
  const double E = D * V + W * W;
  const double k = c * c - r_sq * D;
  if (D > 0.0 && (!(c > 0.0) || !(k > 0.0))) {
    return FaceStatus::Infeasible;
  }
  if (D <= 0.0 && (W >= 0.0 || !(E > 0.0) || !(k > 0.0))) {
    return set_ray(n, U, V, W) ? FaceStatus::Unbounded : FaceStatus::Singular;
  }
  if (!(E > 0.0)) {
    return FaceStatus::Singular;
  }
  const double inverse_of_d = 1.0 / D;  // needs not wait for the root
  const double S = c * std::sqrt(E / k);
  const double inverse_root = std::sqrt(k / E);  // q/(ρτ)
  // Two forms of one root; the one without cancellation is taken.
  tau = W * S >= 0.0 ? (W + S) * inverse_of_d : (r_sq * W * W + c * c * V) / (k * (S - W));
  norm = rho * tau * inverse_root;
  if (!(tau > 0.0) || !(norm > 0.0)) {
    return FaceStatus::Singular;
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    t(i) = -inverse_root * (yv_(i) + tau * ya_(i)) - yg_(i);
  }
  substitute_back<Fixed>(n);
  return FaceStatus::Optimal;
}

}  // namespace foothold::cone
