#pragma once

#include <functional>

#include "foothold/simulation/ranks/ranks.hpp"

namespace foothold::simulation {

/// Runs `act` on this rank; all ranks call this together. If it throws on one, all throw: what
/// the leader threw, or what the first of the others threw, with its rank in front. Without ranks
/// it just runs it.
void agree(Ranks* ranks, const std::function<void()>& act);

}  // namespace foothold::simulation
