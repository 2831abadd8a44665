#pragma once

#include <iosfwd>

#include "foothold/simulation/batch/batch.hpp"

namespace foothold::simulation {

/// A sweep as one JSON object: its axes, and for each point its folder, settings, hash and the
/// numbers of `PolicySummary` by policy. As reproducible as `write_summary`.
void write_sweep_json(const BatchResult& batch, std::ostream& out);

/// One line per point and policy: folder, a column for each axis, then those of `write_policies`.
void write_sweep_csv(const BatchResult& batch, std::ostream& out);

}  // namespace foothold::simulation
