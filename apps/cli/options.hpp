#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "foothold/config/experiment.hpp"

namespace foothold::cli {

/// `--threads N`, 1 to 4096.
void add_threads_option(CLI::App& command, unsigned& threads);

/// `--seed N`, a whole number from 0 to 2⁶⁴ − 1; CLI11 alone would take −1 for the largest.
CLI::Option* add_seed_option(CLI::App& command, std::uint64_t& seed);

/// An experiment file, with "file:line: " in front of what is wrong with it.
[[nodiscard]] config::ExperimentConfig load_experiment_file(const std::string& file);

/// Throws `Error{Unavailable}` if what was printed did not all get out.
void require_written(const std::ostream& out);

}  // namespace foothold::cli
