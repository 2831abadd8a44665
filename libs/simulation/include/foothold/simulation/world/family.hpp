#pragma once

#include <cstdint>

#include <Eigen/Core>

#include "foothold/base/random_stream.hpp"
#include "foothold/config/experiment.hpp"
#include "foothold/safety/problem.hpp"

namespace foothold::simulation {

/// One problem with the truth behind it.
struct Instance {
  safety::Problem problem;
  Eigen::VectorXd parameter{};  ///< μ
};

/// Draws the instance of one run from a family; a pure function of its arguments. In all of them
/// μ ~ N(0, I) normalised, and S is `norm_bound`.
///
/// `k-armed`, the ensemble of [AAT19, App. F]: B ~ U[0, 0.5]^{d×d}, c ~ U(0, 1); the first
/// `safe_arms` of the `arms` rows are uniform on D^w ∩ { ‖x‖ ≤ 1 }, the others uniform on the unit
/// ball. L = 1.
///
/// `box`, `ball` and `polytope`: D₀ = [−1, 1]^d, the unit ball, or a random polytope; B ~
/// U[−1, 1]^{d×d} and c ~ U(0, 1). The constraint binds at the optimum in a good part of the draws:
/// then Δ = 0. The polytope has `rows` inequalities gᵀx ≤ h with ‖g‖ = 1 and h ~ U[1/2, 1]: the
/// first 2d are the sides of a box turned at random, so that the set is bounded, the others cut it
/// at normals uniform on the sphere. It contains the ball of radius 1/2 and lies in that of radius
/// √d; some rows may be redundant.
///
/// With `gap`, on these three sets, Δ is that number by construction. Let y minimise the loss on
/// D₀. B is drawn until |μᵀBy| ≥ 0.1 ‖Bᵀμ‖‖y‖, so that the constraint has something to do with y,
/// and its sign is chosen such that μᵀBy > 0. For Δ > 0 the limit is c = μᵀBy + Δ: y is the optimum
/// and has just that much room. For Δ = 0 it is c = u μᵀBy with u ~ U[1/4, 3/4]: y is unsafe, and
/// the optimum lies on the constraint.
///
/// `contextual`: new arms every round, drawn by `ArmStream`; B ~ U[−1, 1]^{d×d} and c ~ U[0.1, 1].
/// L = 1.
///
/// With `constraint_active` whole instances are drawn until the action with the smallest loss is
/// unsafe, with `min_gap` until Δ is at least that.
///
/// Throws `Error{InvalidArgument}` if the type is not known, a count is out of range, a key does
/// not go with the type, `norm_bound` < 1 = ‖μ‖, or no instance with an active constraint turns up.
[[nodiscard]] Instance draw_instance(const config::FamilyConfig& family, std::uint64_t seed,
                                     std::int64_t run);

/// Uniform draws from { x : ‖x‖ ≤ 1, ‖Bx‖ ≤ r }, for any r > 0 and any B, singular or zero.
///
/// Every ellipsoid { w‖x‖² + (1 − w)‖Bx‖²/r² ≤ 1 }, 0 ≤ w ≤ 1, contains the set: w = 1 is the ball,
/// w = 0 the other ellipsoid. Draws come from the smallest of them and are rejected until they hit.
/// The ellipsoid of w = 1/2, shrunk by √2, lies inside the set, so that a draw hits with
/// probability ≥ 2^{−d/2}, however small r is. After `kMaxAttempts` misses, which
/// takes a dimension beyond 20, a draw comes from that inscribed ellipsoid instead, where it is
/// uniform on a part of the set only.
class BallSectionSampler {
 public:
  static constexpr int kMaxAttempts = 100000;

  /// Requires B square with finite entries and r positive.
  BallSectionSampler(Eigen::MatrixXd B, double r);

  /// One draw. The bounds hold for the computed point with its rounding.
  [[nodiscard]] Eigen::VectorXd sample(RandomStream& random) const;

 private:
  [[nodiscard]] bool contains(const Eigen::VectorXd& x) const;

  Eigen::MatrixXd matrix_;     // B
  double radius_;              // r
  Eigen::MatrixXd cover_;      // maps the unit ball to the smallest covering ellipsoid
  Eigen::MatrixXd inscribed_;  // and to the inscribed one
};

}  // namespace foothold::simulation
