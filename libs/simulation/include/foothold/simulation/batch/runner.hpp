#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "foothold/config/experiment.hpp"
#include "foothold/simulation/play/result.hpp"

namespace foothold::simulation {

/// How far an experiment is.
struct Progress {
  std::int64_t rounds_done = 0;
  std::int64_t rounds_kept = 0;  ///< Of these, done before this start.
  std::int64_t rounds_total = 0;
  std::int64_t runs_done = 0;  ///< Counted once per policy.
  std::int64_t runs_total = 0;
};

struct RunOptions {
  unsigned threads = 0;  ///< 0: as many as the machine runs at once.
  /// Set to true, from anywhere, to stop within some hundred rounds. A signal handler may.
  const std::atomic<bool>* stop = nullptr;
  /// Called from the thread that called `run_experiment`, about every `progress_interval`,
  /// and once at the end.
  std::function<void(const Progress&)> progress{};
  std::chrono::milliseconds progress_interval{100};
};

/// Simulates every policy on every run of an experiment.
///
/// In one run all policies meet the same instance, the same noise η_t at round t, and the same
/// seed for their own draws, so that their differences are theirs. Each run has its own random
/// streams; results are the same bits for any number of threads. Memory grows with the number of
/// runs, not with the horizon.
///
/// Every decision's certificate is checked again here. A schedule that needs the safety gap
/// and was not given it is told the true one of each run (`PolicyResult::has_oracle_gap`).
///
/// Throws `Error{InvalidArgument}` if the experiment is not one (no rounds, runs or
/// policies; a problem without environment; contextual arms without a family; an oracle gap of 0),
/// and what a policy throws, with the name of the policy and the run in front. If several runs
/// throw, the first of them in order is reported. A run without a safe action is no reason to throw
/// away the others: it ends at that round (`RunResult::failed_round`).
[[nodiscard]] ExperimentResult run_experiment(const config::ExperimentConfig& config,
                                              const RunOptions& options = {});

}  // namespace foothold::simulation
