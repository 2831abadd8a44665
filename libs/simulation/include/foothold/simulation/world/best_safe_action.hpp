#pragma once

#include <Eigen/Core>

#include "foothold/safety/problem.hpp"

namespace foothold::simulation {

/// What a learner that knew μ would play, and regret is measured against.
struct BestSafeAction {
  Eigen::VectorXd action{};  ///< x*
  double loss = 0.0;         ///< μᵀx*
  /// Δ = min_k (c_k − μᵀB_k x*) ≥ 0: how far x* stays from the constraints [AAT19, §3]. On
  /// convex sets a value within rounding of 0 is 0.
  double safety_gap = 0.0;
};

/// min { μᵀx : x ∈ D₀, μᵀB_k x ≤ c_k for every k }.
///
/// Arms by enumeration (the first among equals); boxes and polytopes by one linear program;
/// balls in closed form, by enumeration of the constraints that are active at the optimum.
///
/// Requires a valid problem. Throws `Error{InvalidArgument}` if `parameter` has the wrong size
/// or an entry that is not finite, if no arm is safe, if the baseline of the problem is not safe
/// under μ, for contextual arms, and for a ball with more than 12 constraints.
[[nodiscard]] BestSafeAction best_safe_action(const safety::Problem& problem,
                                              const Eigen::VectorXd& parameter);

}  // namespace foothold::simulation
