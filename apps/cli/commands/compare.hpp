#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "console.hpp"
#include "exit_code.hpp"

namespace foothold::cli {

struct CompareArgs {
  std::vector<std::string> files{};
  std::string out{};                      ///< Directory of the report; empty: none is written.
  std::optional<std::int64_t> horizon{};  ///< In place of every file's; so below.
  std::optional<std::int64_t> runs{};
  std::optional<std::uint64_t> seed{};
  unsigned threads = 0;
  bool quiet = false;
};

/// Runs the policies of several experiment files on common random numbers and prints their
/// regret and the paired differences to the first. Interrupted, it prints nothing and returns
/// `ExitCode::Interrupted`. Throws `Error`, also if the files are not about the same world.
[[nodiscard]] ExitCode run_compare(const CompareArgs& args, const Console& console);

/// Registers `foothold compare` on `root`. `console` and `exit_code` must outlive the parsing.
void add_compare(CLI::App& root, const Console& console, ExitCode& exit_code);

}  // namespace foothold::cli
