#pragma once

#include <cstdint>

#include "foothold/safety/known_safe_set.hpp"
#include "foothold/safety/problem.hpp"

namespace foothold::reproduction {

/// Monte-Carlo checks of what [AAT19] says of random draws from the foothold. Each is a pure
/// function of its arguments, the seed among them.

/// λ_min of the mean outer product of `draws` draws.
[[nodiscard]] double sampled_min_eigenvalue(const safety::Problem& problem, safety::Sampler sampler,
                                            std::int64_t draws, std::uint64_t seed);

/// Of `trials` sums Y of `count` outer products of draws: how many have λ_min(Y) ≤ `threshold`,
/// and the smallest λ_min of all.
struct EigenvalueTrials {
  std::int64_t below = 0;
  double smallest = 0.0;
};
[[nodiscard]] EigenvalueTrials eigenvalue_trials(const safety::Problem& problem, std::int64_t count,
                                                 double threshold, std::int64_t trials,
                                                 std::uint64_t seed);

/// Of `trials` sequences of `rounds` draws with Gaussian noise of scale R: in how many μ lies
/// within the paper's region at all rounds at once [AAT19, Thm. 1].
[[nodiscard]] std::int64_t covered_trials(const safety::Problem& problem, const Eigen::VectorXd& mu,
                                          std::int64_t rounds, std::int64_t trials,
                                          std::uint64_t seed);

}  // namespace foothold::reproduction
