#include "face_minimum.hpp"

#include <algorithm>
#include <cmath>

namespace foothold::selection {
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
      ya_(max_dim),
      yv_(max_dim),
      yg_(max_dim) {}

bool FaceMinimum::factor(Eigen::Index n) {
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = j; i < n; ++i) {
      const double sum = Q(i, j) - L_.row(i).head(j).dot(L_.row(j).head(j));
      if (i > j) {
        L_(i, j) = sum / L_(j, j);
      } else if (sum > kPivotTolerance * Q(j, j)) {
        L_(j, j) = std::sqrt(sum);
      } else {
        return false;
      }
    }
  }
  return true;
}

// With p = Q'⁻¹g the square root becomes √(‖t + p‖²_{Q'} + r²), r² = r0 − ‖g‖²_{Q'⁻¹}, and
// c″ = c0 + a'ᵀp. Let U, V, W be the products aa, vv, va in Q'⁻¹, D = ρ² − U. Stationarity gives
// t + p = −(q/ρ) Q'⁻¹(v'/τ + a') with q the root; eliminating q leaves a quadratic in 1/τ.
FaceStatus FaceMinimum::solve(Eigen::Index n) {
  if (!factor(n)) {
    return FaceStatus::Singular;
  }
  const auto lower = L_.topLeftCorner(n, n).triangularView<Eigen::Lower>();
  auto ya = ya_.head(n);
  auto yv = yv_.head(n);
  auto yg = yg_.head(n);
  ya = a.head(n);
  yv = v.head(n);
  yg = g.head(n);
  lower.solveInPlace(ya);
  lower.solveInPlace(yv);
  lower.solveInPlace(yg);

  const double U = ya.squaredNorm();
  const double V = yv.squaredNorm();
  const double W = ya.dot(yv);
  const double r_sq = std::max(r0 - yg.squaredNorm(), 0.0);
  const double c = c0 + ya.dot(yg);
  const double D = rho * rho - U;
  const double E = D * V + W * W;
  const double k = c * c - r_sq * D;
  if (D > 0.0 && (!(c > 0.0) || !(k > 0.0))) {
    return FaceStatus::Infeasible;
  }
  if (D <= 0.0 && (W >= 0.0 || !(E > 0.0) || !(k > 0.0))) {
    return FaceStatus::Unbounded;
  }
  if (!(E > 0.0)) {
    return FaceStatus::Singular;
  }
  const double S = c * std::sqrt(E / k);
  // Two forms of one root; the one without cancellation is taken.
  tau = W * S >= 0.0 ? (W + S) / D : (r_sq * W * W + c * c * V) / (k * (S - W));
  norm = rho * tau * std::sqrt(k / E);
  if (!(tau > 0.0) || !(norm > 0.0)) {
    return FaceStatus::Singular;
  }
  auto result = t.head(n);
  result = -(norm / rho) * (yv / tau + ya) - yg;
  L_.topLeftCorner(n, n).transpose().triangularView<Eigen::Upper>().solveInPlace(result);
  return FaceStatus::Optimal;
}

}  // namespace foothold::selection
