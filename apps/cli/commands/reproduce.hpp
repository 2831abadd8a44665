#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

#include "console.hpp"
#include "exit_code.hpp"

namespace foothold::cli {

struct ReproduceArgs {
  std::string part = "all";  ///< all, fig1a, fig1b, fig2, fig3 or theory
  std::string out{};         ///< Directory of the report; empty: results/reproduction.
  bool is_quick = false;
  bool is_full = false;
  unsigned threads = 0;  ///< 0: as many as the machine runs at once.
  std::uint64_t seed = 2019;
  bool quiet = false;
};

/// Reproduces the paper, or a part of it, writes the report and prints the verdicts and where the
/// report is. Interrupted, it writes nothing and returns `ExitCode::Interrupted`. Throws `Error`.
[[nodiscard]] ExitCode run_reproduce(const ReproduceArgs& args, const Console& console);

/// Registers `foothold reproduce` on `root`. `console` and `exit_code` must outlive the parsing.
void add_reproduce(CLI::App& root, const Console& console, ExitCode& exit_code);

}  // namespace foothold::cli
