#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace foothold::oracle {

// Which cases a program is to write, and where to.
struct CaseRange {
  std::string out{};
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::uint64_t seed = 20240601;
};

// The main function of a program that writes cases: reads --out, --count, --seed and --first, runs
// `write`, and turns an exception into a message and a failure.
int run_case_program(const std::string& name, int argc, char** argv, std::int64_t default_count,
                     const std::function<void(const CaseRange&)>& write);

}  // namespace foothold::oracle
