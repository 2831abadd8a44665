#pragma once

#include <cstdint>
#include <vector>

#include "foothold/config/experiment.hpp"
#include "foothold/policy/learner.hpp"

#include "checks/safe_set_border.hpp"

namespace foothold::reproduction {

/// Plays a policy on an experiment's instance, with the noise of one of its runs, and returns the
/// border of the certified set as it is before each of the given rounds, which must ascend.
[[nodiscard]] std::vector<PlaneCurve> safe_set_history(const config::ExperimentConfig& experiment,
                                                       std::int64_t run, policy::Learner& policy,
                                                       const std::vector<std::int64_t>& rounds);

}  // namespace foothold::reproduction
