#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "console.hpp"
#include "exit_code.hpp"
#include "print_results.hpp"

namespace foothold::cli {

struct MergeArgs {
  std::string out{};
  std::vector<std::string> directories{};  ///< Of the shards.
  OutputFormat format = OutputFormat::Table;
};

/// Puts shards together: writes and prints what one `foothold run` without shards would have.
/// Throws `Error`.
[[nodiscard]] ExitCode run_merge(const MergeArgs& args, const Console& console);

/// Registers `foothold merge` on `root`. `console` and `exit_code` must outlive the parsing.
void add_merge(CLI::App& root, const Console& console, ExitCode& exit_code);

}  // namespace foothold::cli
