#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "foothold/config/experiment.hpp"

namespace foothold::cli {

inline constexpr unsigned kMaxThreads = 4096;

/// `--threads N`, 1 to `kMaxThreads`.
void add_threads_option(CLI::App& command, unsigned& threads);

/// What is wrong with a seed as the user typed it, or nothing: CLI11 alone would take −1 for 2⁶⁴
/// − 1.
[[nodiscard]] std::string check_seed(const std::string& text);

/// `--seed N`, a whole number from 0 to 2⁶⁴ − 1.
CLI::Option* add_seed_option(CLI::App& command, std::uint64_t& seed);

/// The configuration's messages end in " (file:line)"; editors look for "file:line: " in front.
[[nodiscard]] std::string with_location_first(const std::string& message);

/// An experiment file, with "file:line: " in front of what is wrong with it.
[[nodiscard]] config::ExperimentConfig load_experiment_file(const std::string& file);

/// Throws `Error{Unavailable}` if what was printed did not all get out.
void require_written(const std::ostream& out);

}  // namespace foothold::cli
