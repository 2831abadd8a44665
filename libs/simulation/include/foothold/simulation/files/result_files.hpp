#pragma once

#include <filesystem>
#include <iosfwd>

#include "foothold/simulation/play/result.hpp"

namespace foothold::simulation {

/// The experiment's results as one JSON object. Keys come in a fixed order and numbers in the
/// shortest form that reads back to the same bits; numbers that do not exist or are not finite are
/// `null`. The same bytes for the same configuration, seed, version and type of CPU.
void write_summary(const ExperimentResult& result, std::ostream& out);

/// One line per policy, run and traced round: policy,run,round,regret,violations. Runs count
/// from 0. As reproducible as the summary.
void write_trace(const ExperimentResult& result, std::ostream& out);

/// One line per policy with the numbers of `PolicySummary`; those that do not exist are empty.
void write_policies(const ExperimentResult& result, std::ostream& out);

/// How long it took, on how many threads of which machine. Not reproducible.
void write_timing(const ExperimentResult& result, std::ostream& out);

/// Makes sure that results can be written to a directory before they are computed: creates it and
/// writes a file there, which it removes again. Throws `Error{Unavailable, "out"}`.
void prepare_directory(const std::filesystem::path& directory);

/// Writes summary.json, trace.csv and timing.json. Each file appears whole, under its name, or
/// not at all; nothing is renamed before everything is written. Throws `Error{Conflict}` if the
/// experiment was interrupted and `Error{Unavailable, "out"}` if a file cannot be written.
void write_result_files(const ExperimentResult& result, const std::filesystem::path& directory);

}  // namespace foothold::simulation
