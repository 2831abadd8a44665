#pragma once

#include <memory>

#include "foothold/policy/algorithm.hpp"
#include "foothold/policy/learner.hpp"
#include "foothold/policy/options.hpp"
#include "foothold/safety/problem.hpp"

namespace foothold::policy {

/// The policy. Throws `Error{InvalidArgument}` if the problem or the options are not valid, or an
/// option is set that this policy does not use.
[[nodiscard]] std::unique_ptr<Learner> make(Algorithm algorithm, safety::Problem problem,
                                            const PolicyOptions& options = {});

}  // namespace foothold::policy
