#pragma once

#include "foothold/policy/learner.hpp"

namespace foothold::policy {

/// GSLUCB [AAT19, Alg. 2]: Safe-LUCB whose warm-up finds its own length. After every told draw
/// from the foothold it computes a lower confidence bound Δ_t on the safety gap and goes on while
///
///     t ≤ min(T'_{t−1}, T_0),    T'_t = T_{Δ_t} if Δ_t > 0, otherwise T_0.
///
/// [AAT19] gives Δ_t for arms; boxes, polytopes and balls are added here
/// (docs/algorithms/gap_bound.md). Δ_t takes the region that caution takes. Deviation from
/// [AAT19, §4]: the text says to stop when t ≤ T'_{t−1}, the algorithm to go on; the
/// algorithm is meant.
///
/// Needs a horizon, because T_Δ and T_0 do. Contextual arms: Δ_t is the smallest bound over the
/// last `kContexts` sets of arms, a heuristic, since a later context may have a smaller gap; and
/// λ_- must be declared (`WarmupOptions::min_eigenvalue`).
class Gslucb final : public Learner {
 public:
  /// How many contexts are remembered for the bound.
  static constexpr std::size_t kContexts = 32;

  /// Throws `Error{InvalidArgument}` if the problem or the options are not valid, the horizon
  /// is missing, a schedule is given, or λ_- is 0 or unknown.
  explicit Gslucb(safety::Problem problem, const PolicyOptions& options = {});

  /// Δ_t of the last evaluation; 0 before the first.
  [[nodiscard]] double gap_bound() const noexcept;
};

}  // namespace foothold::policy
