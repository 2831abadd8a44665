#include "files/policy_csv.hpp"

#include <fmt/format.h>

#include "foothold/simulation/files/csv_text.hpp"
#include "foothold/simulation/play/summary.hpp"

namespace foothold::simulation {

std::string policy_csv(const PolicyResult& policy, std::int64_t horizon) {
  const PolicySummary summary = summarize(policy, horizon);
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", csv_field(summary.name),
                     summary.runs, csv_number(summary.mean_regret),
                     csv_number(summary.regret_half_width), csv_number(summary.std_regret),
                     csv_number(summary.median_regret), csv_number(summary.per_step_regret),
                     summary.violations, summary.violating_runs,
                     csv_number(summary.violating_limit), csv_number(summary.min_margin),
                     csv_number(summary.median_warmup), summary.coverage_failures,
                     policy.has_oracle_gap, summary.failed_runs);
}

}  // namespace foothold::simulation
