#pragma once

#include <filesystem>

#include "foothold/simulation/play/result.hpp"

namespace foothold::report {

/// Reads back what `foothold run --out` wrote: names, horizon and final numbers from summary.json,
/// curves from trace.csv. What neither holds keeps its default. Throws `Error{NotFound, "path"}` if
/// a file is missing and `Error{InvalidArgument}` naming file and place if it does not hold what it
/// should: the files may have been edited, or be of another program.
[[nodiscard]] simulation::ExperimentResult read_results(const std::filesystem::path& directory);

}  // namespace foothold::report
