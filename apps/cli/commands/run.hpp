#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "foothold/simulation/batch/batch.hpp"

#include "console.hpp"
#include "exit_code.hpp"
#include "print_results.hpp"

namespace foothold::cli {

struct RunArgs {
  std::string file{};
  std::string out{};     ///< Directory for the journal and the result files; empty: none.
  unsigned threads = 0;  ///< 0: as many as the machine runs at once; one on each of several ranks.
  std::optional<std::uint64_t> seed{};  ///< In place of the file's.
  simulation::Shard shard{};            ///< More than one needs `out`.
  bool is_fresh = false;                ///< Drop what an earlier start has finished.
  OutputFormat format = OutputFormat::Table;
  bool quiet = false;
};

/// Runs an experiment file or a sweep, writes the result files if a directory is given, and prints
/// the results to `console.out`. Interrupted, it writes and prints no result, says on `console.err`
/// how many runs are finished and kept, and returns `ExitCode::Interrupted`; with results of which
/// some runs found no safe action, `ExitCode::NoSafeAction`. Throws `Error`.
[[nodiscard]] ExitCode run_run(const RunArgs& args, const Console& console);

/// Registers `foothold run` on `root`. `console` and `exit_code` must outlive the parsing.
void add_run(CLI::App& root, const Console& console, ExitCode& exit_code);

}  // namespace foothold::cli
