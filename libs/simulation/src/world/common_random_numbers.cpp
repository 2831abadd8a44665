#include "foothold/simulation/world/common_random_numbers.hpp"

#include "world/run_streams.hpp"

namespace foothold::simulation {

RandomStream noise_of_run(std::uint64_t seed, std::int64_t run) {
  return run_stream(seed, run, StreamPurpose::Noise);
}

std::uint64_t policy_seed_of_run(std::uint64_t seed, std::int64_t run) {
  return policy_seed(seed, run);
}

}  // namespace foothold::simulation
