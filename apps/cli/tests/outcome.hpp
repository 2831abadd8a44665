#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "application.hpp"

namespace foothold::cli {

// What a command returned and wrote.
struct Outcome {
  ExitCode exit_code = ExitCode::Failure;
  std::string out;
  std::string err;
};

// The application with these arguments after its name.
inline Outcome call(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv{"foothold"};
  for (const std::string& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  std::ostringstream out;
  std::ostringstream err;
  const ExitCode exit_code =
      run_application(static_cast<int>(argv.size()), argv.data(), {.out = out, .err = err});
  return {.exit_code = exit_code, .out = out.str(), .err = err.str()};
}

}  // namespace foothold::cli
