#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "foothold/config/experiment.hpp"
#include "foothold/simulation/play/result.hpp"

namespace foothold::simulation {

/// Rounds between two looks at whether to go on.
inline constexpr std::int64_t kRoundsPerCheck = 256;

/// One policy in one run.
struct Episode {
  const config::ExperimentConfig& experiment;
  const config::PolicyConfig& policy;
  std::int64_t run = 0;
  const std::vector<std::int64_t>& trace_rounds;
};

/// Whether the policy's schedule needs a safety gap that it was not given.
[[nodiscard]] bool needs_oracle_gap(const config::PolicyConfig& policy);

/// Plays an episode from first to last round, or to the first that has no safe action. `go_on` is
/// called with the number of rounds played since the last call; once it returns false, there is no
/// result. A pure function of the episode otherwise, but for the time it takes. O(1) allocations a
/// round at most, none unless feedback is late or arms are contextual.
///
/// Contextual arms: the regret of a round is against its best safe arm; `best_loss` is that arm's
/// loss, averaged over the rounds, and `safety_gap` the smallest gap of all rounds.
[[nodiscard]] std::optional<RunResult> play(const Episode& episode,
                                            const std::function<bool(std::int64_t)>& go_on);

}  // namespace foothold::simulation
