#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "foothold/simulation/play/result.hpp"
#include "foothold/statistics/intervals.hpp"

namespace foothold::simulation {

/// The confidence of every interval and limit that is reported.
inline constexpr double kConfidence = 0.95;

/// The quantiles of the regret that are reported beside its median.
inline constexpr std::array<double, 4> kRegretQuantiles{0.05, 0.25, 0.75, 0.95};

/// The numbers that stand for all runs of one policy. Those that do not exist are NaN.
struct PolicySummary {
  std::string name{};
  std::int64_t runs = 0;
  double mean_regret = 0.0;        ///< Cumulative, at the horizon.
  double regret_half_width = 0.0;  ///< `mean_regret` ± this: 95 % t-interval of the expectation.
  double std_regret = 0.0;         ///< Of the sample, n − 1.
  double median_regret = 0.0;
  /// At the levels `kRegretQuantiles`.
  std::array<double, kRegretQuantiles.size()> regret_quantiles{};
  /// 95 % bootstrap interval of the expected regret: the one to trust when a few runs rule the
  /// mean.
  statistics::Interval regret_bootstrap{};
  double per_step_regret = 0.0;  ///< `mean_regret` / horizon.
  std::int64_t violations = 0;   ///< Rounds, over all runs.
  std::int64_t violating_runs = 0;
  double violating_limit = 0.0;  ///< 95 % upper limit of the probability that a run violates.
  double min_margin = 0.0;       ///< Over all runs.
  double median_warmup = 0.0;
  std::int64_t coverage_failures = 0;  ///< Runs in which μ left the region.
  /// Runs that ended for want of a safe action. Numbers on regret are of the others.
  std::int64_t failed_runs = 0;
};

/// Requires a finished policy of an experiment with this horizon.
[[nodiscard]] PolicySummary summarize(const PolicyResult& policy, std::int64_t horizon);

}  // namespace foothold::simulation
