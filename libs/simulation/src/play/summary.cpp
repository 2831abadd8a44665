#include "foothold/simulation/play/summary.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "foothold/statistics/bootstrap.hpp"
#include "foothold/statistics/moments.hpp"
#include "foothold/statistics/quantiles.hpp"

namespace foothold::simulation {
namespace {

// The same resamples for every policy and experiment: an interval depends on the regrets alone,
// whichever shard or machine they come from.
constexpr std::uint64_t kBootstrapSeed = 1987;

}  // namespace

PolicySummary summarize(const PolicyResult& policy, std::int64_t horizon) {
  PolicySummary summary{.name = policy.name,
                        .runs = static_cast<std::int64_t>(policy.runs.size()),
                        .min_margin = std::numeric_limits<double>::infinity()};
  std::vector<double> regrets;
  std::vector<double> warmups;
  for (const RunResult& run : policy.runs) {
    if (run.failed_round) {
      ++summary.failed_runs;
    } else {
      regrets.push_back(run.final_regret);
    }
    warmups.push_back(static_cast<double>(run.warmup_rounds));
    summary.violations += run.violations;
    summary.violating_runs += run.violations > 0 ? 1 : 0;
    summary.min_margin = std::min(summary.min_margin, run.min_margin);
    summary.coverage_failures += run.has_lost_coverage ? 1 : 0;
  }
  summary.mean_regret = statistics::mean(regrets);
  summary.regret_half_width = statistics::mean_half_width(regrets, kConfidence);
  summary.std_regret = statistics::sample_std(regrets);
  summary.median_regret = statistics::median(regrets);
  std::ranges::transform(kRegretQuantiles, summary.regret_quantiles.begin(),
                         [&](double p) { return statistics::quantile(regrets, p); });
  summary.regret_bootstrap =
      statistics::bootstrap_interval(regrets, statistics::mean, kConfidence, kBootstrapSeed);
  summary.per_step_regret = summary.mean_regret / static_cast<double>(horizon);
  summary.violating_limit =
      summary.runs > 0
          ? statistics::binomial_upper_limit(summary.violating_runs, summary.runs, kConfidence)
          : std::numeric_limits<double>::quiet_NaN();
  summary.median_warmup = statistics::median(warmups);
  return summary;
}

}  // namespace foothold::simulation
