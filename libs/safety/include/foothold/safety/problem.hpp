#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "foothold/base/hash.hpp"
#include "foothold/estimation/assumptions.hpp"
#include "foothold/geometry/decision_set.hpp"

namespace foothold::safety {

/// The constraint μᵀBx ≤ c, whose value is never observed.
struct SafetyConstraint {
  Eigen::MatrixXd matrix{};  ///< B, d × d; singular allowed.
  double limit = 1.0;        ///< c; positive unless there is a baseline.
};

/// An action declared safe with room to spare: x₀ ∈ D₀ with μᵀB_k x₀ ≤ c_k − margin for every k.
struct Baseline {
  Eigen::VectorXd action{};  ///< x₀
  double margin = 0.0;       ///< m > 0
};

/// What a learner is told: the actions, the constraints and the assumptions, but
/// not the parameter μ that the losses and the constraints share.
///
/// Everything safe is measured from a centre that is known to be safe: the baseline, or the
/// origin, where μᵀB·0 = 0 ≤ c. With x₀ the centre and m_k the room there (m or c_k), the
/// constraint follows from μᵀB_k(x − x₀) ≤ m_k.
struct Problem {
  geometry::DecisionSet decision_set;
  std::vector<SafetyConstraint> constraints{};
  estimation::Assumptions assumptions{};
  std::optional<Baseline> baseline{};

  [[nodiscard]] Eigen::Index dim() const { return geometry::dim(decision_set); }
  /// x₀: the baseline's action, or the origin.
  [[nodiscard]] Eigen::VectorXd centre() const;
  /// m_k: how much of limit k the centre leaves.
  [[nodiscard]] double room(std::size_t constraint) const {
    return baseline ? baseline->margin : constraints[constraint].limit;
  }
  /// c_k − m_k: what the centre uses up of limit k at most; 0 without a baseline.
  [[nodiscard]] double used(std::size_t constraint) const {
    return baseline ? constraints[constraint].limit - baseline->margin : 0.0;
  }
};

/// Throws `Error{InvalidArgument}` naming the field if there is no constraint, a size
/// disagrees, an entry is not finite, a limit is not positive (without a baseline), the
/// centre is not in the interior of a convex decision set, `action_bound` is missing for contextual
/// arms or not proved to bound every other set, or the assumptions are not valid.
///
/// L ≥ ‖x‖ must hold for every action: radii rest on it, and `tell` refuses a longer action. For a
/// box, a ball and fixed arms the largest norm is known. For a polytope it is NP-hard: an
/// `action_bound` below the norm of the corner of the bounding box is accepted if a search of
/// bounded effort proves it
/// (`geometry::norm_extent`), and refused otherwise. Left out, L is the corner's norm.
void validate(const Problem& problem);

/// The same problem, validated, with `action_bound` and `ridge` filled in. An `action_bound` that
/// is too small by a factor of at most 1 + 1e-9, as decimals make it, becomes the proved one.
[[nodiscard]] Problem resolved(Problem problem);

/// Fingerprint of everything in a resolved problem.
[[nodiscard]] Digest128 digest(const Problem& problem);

}  // namespace foothold::safety
