#include "case_program.hpp"

#include <cstdlib>
#include <exception>
#include <stdexcept>

#include <fmt/core.h>

namespace foothold::oracle {
namespace {

void read_option(const std::string& option, const std::string& value, CaseRange& range) {
  if (option == "--out") {
    range.out = value;
  } else if (option == "--count") {
    range.count = std::stoll(value);
  } else if (option == "--seed") {
    range.seed = std::stoull(value);
  } else if (option == "--first") {
    range.first = std::stoll(value);
  } else {
    throw std::runtime_error(fmt::format("{}: must be --out, --count, --seed or --first", option));
  }
}

}  // namespace

int run_case_program(const std::string& name, int argc, char** argv, std::int64_t default_count,
                     const std::function<void(const CaseRange&)>& write) {
  try {
    CaseRange range{.count = default_count};
    for (int i = 1; i + 1 < argc; i += 2) {
      read_option(argv[i], argv[i + 1], range);
    }
    write(range);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

}  // namespace foothold::oracle
