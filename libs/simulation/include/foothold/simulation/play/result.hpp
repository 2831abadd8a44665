#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foothold/config/experiment.hpp"

namespace foothold::simulation {

/// What one learner did in one run.
struct RunResult {
  double final_regret = 0.0;       ///< Σ_t μᵀx_t − μᵀx*, at the horizon.
  std::int64_t violations = 0;     ///< Rounds with μᵀB_k x > c_k for some k.
  double min_margin = 0.0;         ///< The smallest min_k (c_k − μᵀB_k x) of all rounds.
  std::int64_t warmup_rounds = 0;  ///< T'
  std::int64_t explorations = 0;   ///< Rounds played to learn what is safe, warm-up aside.
  bool has_lost_coverage = false;  ///< μ ∉ C_t at some round t.
  /// The first round after the warm-up at which x* was certified; none if that never happened, and
  /// for learners without certificates and contextual arms.
  std::optional<std::int64_t> optimum_certified_round{};
  /// The round at which no action could be certified: the run ended there, before its horizon, and
  /// has no final regret (NaN). Everything else is of the rounds before, and traces end there.
  std::optional<std::int64_t> failed_round{};
  double safety_gap = 0.0;  ///< Δ of the run's instance; of contextual arms the smallest one.
  double best_loss = 0.0;   ///< μᵀx*; of contextual arms the mean over the rounds.
  std::vector<double> trace_regret{};            ///< Regret so far, at `trace_rounds`.
  std::vector<std::int64_t> trace_violations{};  ///< Violations so far, at `trace_rounds`.
  double seconds = 0.0;  ///< Time taken; the one number here that is not reproducible.
};

/// All runs of one learner.
struct PolicyResult {
  std::string name{};
  std::string algorithm{};        ///< Its word in files.
  bool has_oracle_gap = false;    ///< The schedule was told the true Δ of each run.
  std::vector<RunResult> runs{};  ///< In their order; only those finished if interrupted.
};

struct ExperimentResult {
  std::string name{};
  std::uint64_t seed = 0;
  std::int64_t horizon = 0;
  std::int64_t runs = 0;
  std::uint64_t config_hash = 0;
  std::vector<std::int64_t> trace_rounds{};  ///< Log-spaced, from 1 to the horizon.
  std::vector<PolicyResult> policies{};
  /// What a reader must know to judge the numbers, such as an assumption that does not hold.
  std::vector<std::string> notes{};
  bool is_complete = true;  ///< False if the experiment was interrupted.
  unsigned threads = 1;
  double seconds = 0.0;  ///< Time taken by all.
};

}  // namespace foothold::simulation
