#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "console.hpp"
#include "exit_code.hpp"

namespace foothold::cli {

struct PlotArgs {
  std::string directory{};  ///< Holds summary.json and trace.csv.
  std::string out{};        ///< Where figures go; empty: to `directory`.
};

/// Draws the regret curves of stored results and a report of them. Throws `Error`.
[[nodiscard]] ExitCode run_plot(const PlotArgs& args, const Console& console);

/// Registers `foothold plot` on `root`. `console` and `exit_code` must outlive the parsing.
void add_plot(CLI::App& root, const Console& console, ExitCode& exit_code);

}  // namespace foothold::cli
