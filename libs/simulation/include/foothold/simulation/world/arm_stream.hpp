#pragma once

#include <cstdint>

#include <Eigen/Core>

#include "foothold/base/random_stream.hpp"
#include "foothold/config/experiment.hpp"
#include "foothold/safety/problem.hpp"

namespace foothold::simulation {

/// The arms of a contextual run, round by round: `arms` rows of length at most 1, all independent.
/// The first `safe_arms` are uniform on the ellipsoid
///
///     { x : ‖x‖² + (S/c)²‖Bx‖² ≤ 1 } ⊂ D^w ∩ { ‖x‖ ≤ 1 },
///
/// so that every round has a safe action known before any data; the others are uniform on the
/// unit ball. The points are shrunk by 10⁻⁹, which keeps rounding from putting one outside.
///
/// Every arm takes d + 1 draws: the arms of round t are a pure function of (seed, run, t), whatever
/// a learner does, and all learners of a run meet the same. A value: copying it forks a replay.
class ArmStream {
 public:
  /// Requires a contextual `family` and the problem that `draw_instance` drew from it.
  ArmStream(const config::FamilyConfig& family, const safety::Problem& problem, std::uint64_t seed,
            std::int64_t run);

  /// The arms of the next round, one per row; valid until the next call. O(arms · d²).
  [[nodiscard]] const Eigen::MatrixXd& next();

 private:
  RandomStream random_;
  Eigen::Index safe_arms_;
  Eigen::MatrixXd foothold_;  // maps the unit ball to the ellipsoid
  Eigen::VectorXd point_;
  Eigen::MatrixXd arms_;
};

}  // namespace foothold::simulation
