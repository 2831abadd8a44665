#pragma once

#include <iosfwd>
#include <string>

#include "foothold/simulation/batch/batch.hpp"

namespace foothold::cli {

enum class OutputFormat { Table, Json, Csv };

/// The format of one of the words table, json and csv.
[[nodiscard]] OutputFormat format_named(const std::string& word);

/// Prints the results of an experiment or a sweep. Throws `Error{Unavailable}` if `out` does not
/// take them.
void print_results(const simulation::BatchResult& batch, OutputFormat format, std::ostream& out);

}  // namespace foothold::cli
