#pragma once

#include <cstdint>

#include "foothold/base/random_stream.hpp"

namespace foothold::simulation {

// What the runner gives to every policy of a run, for those who play a policy themselves and want
// the very run that the runner plays.

/// The noise of a run: η_t is its draw t.
[[nodiscard]] RandomStream noise_of_run(std::uint64_t seed, std::int64_t run);

/// The seed of the policies' own draws in a run.
[[nodiscard]] std::uint64_t policy_seed_of_run(std::uint64_t seed, std::int64_t run);

}  // namespace foothold::simulation
