#pragma once

#include <cstdint>
#include <limits>

#include "foothold/base/random_stream.hpp"

namespace foothold::simulation {

/// What a random stream of a run is for. One stream per purpose, so that a change to one
/// draws nothing from another.
enum class StreamPurpose : std::uint64_t {
  Noise,       ///< η_t is draw t, for every policy.
  Feedback,    ///< Whether and when losses arrive.
  PolicySeed,  ///< The seed of the policies' own draws.
  Parameter,   ///< μ of a generated instance.
  Constraint,  ///< B and c of a generated instance.
  Arms         ///< The arms of a generated instance.
};

/// Stream numbers run · 16 + purpose are distinct for distinct runs and purposes.
[[nodiscard]] inline RandomStream run_stream(std::uint64_t seed, std::int64_t run,
                                             StreamPurpose purpose) {
  constexpr std::uint64_t kPurposes = 16;
  return {seed, static_cast<std::uint64_t>(run) * kPurposes + static_cast<std::uint64_t>(purpose)};
}

/// The seed of all policies of a run: the same, so that policies with the same warm-up play the
/// same warm-up.
[[nodiscard]] inline std::uint64_t policy_seed(std::uint64_t seed, std::int64_t run) {
  return run_stream(seed, run, StreamPurpose::PolicySeed)
      .index(std::numeric_limits<std::uint64_t>::max());
}

}  // namespace foothold::simulation
