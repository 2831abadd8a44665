#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

namespace foothold::bench {

// How much is measured: rounds of a run, and how often it is played.
struct Effort {
  std::size_t rounds = 3000;
  int repetitions = 7;
  long largest_dim = 64;
};

// What every program of this folder takes: [--quick] [--json FILE]; one takes a stream as well.
struct CommandLine {
  bool is_quick = false;
  std::string json{};
  std::string stream{};
};

enum class TakesStream { No, Yes };

// Ends the program with a message for anything else.
[[nodiscard]] CommandLine parse(int argc, char** argv, TakesStream takes = TakesStream::No);

// Writes the result to the file of `--json`, if there is one.
void write(const CommandLine& line, const nlohmann::json& result);

}  // namespace foothold::bench
