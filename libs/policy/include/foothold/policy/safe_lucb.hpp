#pragma once

#include "foothold/policy/learner.hpp"

namespace foothold::policy {

/// Safe-LUCB [AAT19, Alg. 1]: random draws from the foothold for T' told rounds, then
///
///     x_t = argmin { min_{v ∈ C_t} vᵀx : x certified }.
///
/// T' is the schedule of `PolicyOptions::warmup`. One `ask` and `tell` cost O(d³) on convex sets
/// (one or a few small cone programs) and O(Kd²) for K arms; no allocation after the first rounds.
class SafeLucb final : public Learner {
 public:
  /// Throws `Error{InvalidArgument}` if the problem or the options are not valid.
  explicit SafeLucb(safety::Problem problem, const PolicyOptions& options = {});
};

}  // namespace foothold::policy
