#pragma once

#include "foothold/base/error.hpp"

namespace foothold::cli {

/// Process exit codes; documented in docs/cli.md and stable across releases.
enum class ExitCode : int {
  Success = 0,
  Failure = 1,
  Usage = 2,
  NotFound = 3,
  Unavailable = 4,
  NoSafeAction = 5,
  Interrupted = 130  // as shells report a program that Ctrl-C ended
};

constexpr ExitCode exit_code_for(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidArgument:
    case ErrorCode::Conflict:
      return ExitCode::Usage;
    case ErrorCode::NotFound:
      return ExitCode::NotFound;
    case ErrorCode::NoSafeAction:
      return ExitCode::NoSafeAction;
    case ErrorCode::Unavailable:
      return ExitCode::Unavailable;
    case ErrorCode::Internal:
      return ExitCode::Failure;
  }
  return ExitCode::Failure;
}

}  // namespace foothold::cli
