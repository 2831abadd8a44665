#pragma once

#include "foothold/base/hash.hpp"
#include "foothold/policy/algorithm.hpp"
#include "foothold/policy/options.hpp"

namespace foothold::policy {

// Throws Error{InvalidArgument} if an option is set that the policy does not use: a mistake of
// whoever set it.
void require_used(const PolicyOptions& options, Algorithm algorithm);

// Adds every option, by its name and its bits.
void add_options(const PolicyOptions& options, Hasher& hasher);

}  // namespace foothold::policy
