#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "foothold/simulation/play/result.hpp"

namespace foothold::simulation {

/// The columns of `policy_csv`.
inline constexpr std::string_view kPolicyColumns =
    "policy,runs,mean_regret,regret_half_width,std_regret,median_regret,per_step_regret,"
    "violations,violating_runs,violating_runs_limit,min_margin,median_warmup,"
    "coverage_failures,oracle_gap,failed_runs";

/// The numbers of `PolicySummary` as one line without its end.
[[nodiscard]] std::string policy_csv(const PolicyResult& policy, std::int64_t horizon);

}  // namespace foothold::simulation
