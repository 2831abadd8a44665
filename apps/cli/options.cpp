#include "options.hpp"

#include <charconv>
#include <ostream>

#include <fmt/format.h>

#include "foothold/base/error.hpp"

namespace foothold::cli {

std::string check_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size();
  return is_whole ? "" : fmt::format("must be a whole number from 0 to 2^64 - 1, got {}", text);
}

std::string with_location_first(const std::string& message) {
  const std::size_t open = message.rfind(" (");
  if (open == std::string::npos || !message.ends_with(')')) {
    return message;
  }
  const std::string location = message.substr(open + 2, message.size() - open - 3);
  const std::size_t digits = location.find_last_not_of("0123456789");
  if (digits == std::string::npos || digits + 1 == location.size() || location[digits] != ':') {
    return message;
  }
  return location + ": " + message.substr(0, open);
}

void add_threads_option(CLI::App& command, unsigned& threads) {
  command
      .add_option("--threads", threads,
                  "Number of threads; results do not depend on it (default: all of the machine)")
      ->check(CLI::Range(1U, kMaxThreads).description(""))
      ->type_name("N");
}

CLI::Option* add_seed_option(CLI::App& command, std::uint64_t& seed) {
  return command.add_option("--seed", seed, "Seed of all random streams")
      ->check(CLI::Validator(check_seed, ""))
      ->type_name("N");
}

config::ExperimentConfig load_experiment_file(const std::string& file) {
  try {
    return config::load_experiment(file);
  } catch (const Error& error) {
    throw Error(error.code(), "", with_location_first(error.what()));
  }
}

void require_written(const std::ostream& out) {
  if (!out) {
    throw Error(ErrorCode::Unavailable, "", "the results could not be written to standard output");
  }
}

}  // namespace foothold::cli
