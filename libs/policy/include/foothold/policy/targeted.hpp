#pragma once

#include "foothold/policy/learner.hpp"

namespace foothold::policy {

/// Targeted exploration: no random warm-up. It explores only when a constraint blocks something
/// worth having, and then in the one direction that blocks it; otherwise it plays the optimistic
/// choice over the certified set (or Thompson's). Every action is certified, as always.
///
/// Two rules decide (docs/algorithms/targeted.md, with what is proved and what is not):
///
/// - *value*: for each action that may be safe but is not certified, what it would gain in the
///   rounds that remain against what it would cost to certify it; the largest difference, if
///   positive, names the action to aim at and the certified action that teaches most about it;
/// - *net*, on convex sets: if the best action that may be safe is not certified and the width of
///   its constraint exceeds θ₀ t^{−1/3}, explore in any case. It keeps the T^{2/3} of [AAT19,
///   Thm. 3] in the worst case and is meant to act rarely.
///
/// With `PolicyOptions::horizon` the rounds that remain are known; without, 2t are assumed.
class Targeted final : public Learner {
 public:
  /// Throws `Error{InvalidArgument}` if the problem or the options are not valid.
  explicit Targeted(safety::Problem problem, const PolicyOptions& options = {});
};

}  // namespace foothold::policy
