#pragma once

#include <filesystem>
#include <vector>

#include "foothold/simulation/batch/batch.hpp"

#include "batch/finished_runs.hpp"
#include "batch/journal.hpp"
#include "batch/work_items.hpp"

namespace foothold::simulation {

/// Writes the result files of every experiment of a finished batch, each in its folder, and for a
/// sweep sweep.json and sweep.csv, last. Traces are read from the journals one at a time. Throws
/// `Error{Unavailable, "out"}`.
void write_batch_files(const BatchResult& batch, const WorkItems& items,
                       const FinishedRuns& finished, const std::vector<const Journal*>& journals,
                       const std::filesystem::path& directory);

}  // namespace foothold::simulation
