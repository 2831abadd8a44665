#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "console.hpp"
#include "exit_code.hpp"

namespace foothold::cli {

enum class OutputFormat { Table, Json, Csv };

struct RunArgs {
  std::string file{};
  std::string out{};     ///< Directory for the result files; empty: none are written.
  unsigned threads = 0;  ///< 0: as many as the machine runs at once.
  std::optional<std::uint64_t> seed{};  ///< In place of the file's.
  OutputFormat format = OutputFormat::Table;
  bool quiet = false;
};

/// Runs an experiment file, writes the result files if a directory is given, and prints the
/// results to `console.out`. Interrupted, it writes and prints no result, says on
/// `console.err` what was not finished, and returns `ExitCode::Interrupted`. Throws `Error`.
[[nodiscard]] ExitCode run_run(const RunArgs& args, const Console& console);

/// Registers `foothold run` on `root`. `console` and `exit_code` must outlive the parsing.
void add_run(CLI::App& root, const Console& console, ExitCode& exit_code);

}  // namespace foothold::cli
