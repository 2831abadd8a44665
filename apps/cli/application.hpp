#pragma once

#include "console.hpp"
#include "exit_code.hpp"

namespace foothold::cli {

/// The whole program but for its globals: parses the arguments and runs the command. Errors go to
/// `console.err` as one line, `foothold: …`.
[[nodiscard]] ExitCode run_application(int argc, const char* const* argv, const Console& console);

}  // namespace foothold::cli
