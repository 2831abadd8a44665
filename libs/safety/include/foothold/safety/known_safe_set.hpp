#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/base/random_stream.hpp"
#include "foothold/safety/problem.hpp"
#include "foothold/safety/safe_set.hpp"

namespace foothold::safety {

/// How the warm-up draws from the foothold.
enum class Sampler {
  Uniform,  ///< from the interior, [AAT19, §2.2]
  Shell     ///< from its border, [AAT19, Remark 1]: twice as informative in low dimension
};

/// The foothold: actions known to be safe before any data [AAT19, (4)],
///
///     D^w = { x ∈ D₀ : S ‖B_k(x − x₀)‖₂ ≤ m_k for every k }     (x₀ = 0, m_k = c_k without a
///     baseline),
///
/// and a distribution on it, from which independent draws are taken exactly (never by rejection:
/// for small c that practically never ends).
///
/// - One constraint with an invertible B whose ellipsoid { ‖B(x − x₀)‖ ≤ m/S } fits into a convex
/// D₀:
///   uniform on all of D^w. `Shell`: on { ‖B(x − x₀)‖ = ε } with the largest ε ≤ m/S that fits.
/// - Otherwise (B singular or zero, several constraints, an ellipsoid that sticks out):
///   uniform on the inscribed ellipsoid { (x − x₀)ᵀM(x − x₀) ≤ 1 } or its border, with
///   M = Σ_k (S/m_k)² B_kᵀB_k + Σ_i g_i g_iᵀ/h_i² (ball of radius r: I/r²), h_i the room of row i
///   at x₀.
/// - Fixed arms: uniform on the arms in D^w. Contextual arms are drawn by `sample_arm`.
class KnownSafeSet {
 public:
  /// Requires a resolved problem; keeps a reference to it.
  KnownSafeSet(const Problem& problem, Sampler sampler);

  /// Whether x satisfies the a-priori bounds for certain (rounding included); membership in D₀
  /// is not asked.
  [[nodiscard]] bool contains(const Eigen::Ref<const Eigen::VectorXd>& x) const;

  /// Writes one draw to `x`. For convex decision sets only. No allocation. The draw may miss
  /// the set by rounding; the certificate of a released action puts that right.
  void sample(RandomStream& random, Eigen::Ref<Eigen::VectorXd> x) const;

  /// Fixed arms: the rows that lie in D^w, in order.
  [[nodiscard]] const std::vector<Eigen::Index>& safe_arms() const noexcept { return safe_arms_; }

  /// λ_-: the smallest eigenvalue of E[x xᵀ] under the distribution, exact; 0 if fixed arms in
  /// D^w do not span, or there are none; NaN for contextual arms, whose distribution is unknown.
  [[nodiscard]] double min_eigenvalue() const noexcept { return min_eigenvalue_; }

  /// True if the draws are uniform on all of D^w (`Shell`: on the border of D^w shrunk to the
  /// largest ε ≤ m/S that fits), false if on an inscribed ellipsoid of another shape.
  [[nodiscard]] bool is_exact() const noexcept { return is_exact_; }

 private:
  bool fit_whole_ellipsoid();
  void fit_inscribed_ellipsoid();
  void collect_arms();

  const Problem* problem_;
  SafeSet safe_set_;  // rooms and S; it has no state
  Sampler sampler_;
  Eigen::VectorXd centre_;
  Eigen::MatrixXd map_;  // draws are x₀ + map · (point of the unit ball or sphere)
  std::vector<Eigen::Index> safe_arms_;
  double min_eigenvalue_ = 0.0;
  bool is_exact_ = false;
  mutable Eigen::VectorXd point_;
  mutable Eigen::VectorXd image_;
  std::vector<double> matrix_norms_;  // upper bounds on ‖B_k‖_F
};

}  // namespace foothold::safety
