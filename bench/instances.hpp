#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "foothold/safety/problem.hpp"

namespace foothold::bench {

// A problem and the parameter behind it, drawn from fixed seeds: every program of this folder that
// names the same set and size measures the same instance.
struct Instance {
  safety::Problem problem;
  Eigen::VectorXd mu;
};

// All instances: R = 0.1, S = 1, ‖μ‖ = 0.9, λ and δ by default, entries of B normal with variance
// 1/d. The constraint matters: the best action of the decision set alone violates it, and the limit
// is 0.4 times the constraint's value there, so that it binds at the optimum.
[[nodiscard]] Instance box_instance(Eigen::Index d);       // [−1, 1]^d
[[nodiscard]] Instance ball_instance(Eigen::Index d);      // radius √d
[[nodiscard]] Instance polytope_instance(Eigen::Index d);  // 4d random rows, half of them a box
[[nodiscard]] Instance arms_instance(Eigen::Index K,
                                     Eigen::Index d);  // every fifth known to be safe
[[nodiscard]] Instance contextual_instance(Eigen::Index d);
// The box with several constraints, each of which the best action of the box violates.
[[nodiscard]] Instance several_instance(Eigen::Index d, std::size_t constraints);

// K fresh arms for a contextual instance; the same for the same `round`.
[[nodiscard]] Eigen::MatrixXd context(Eigen::Index K, Eigen::Index d, std::uint64_t round);

// Gaussian noise of scale R, one entry a round.
[[nodiscard]] std::vector<double> noise(std::size_t rounds);

}  // namespace foothold::bench
