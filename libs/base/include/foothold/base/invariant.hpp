#pragma once

#include <string>

#include "foothold/base/error.hpp"

namespace foothold::detail {

[[noreturn]] inline void fail_invariant(const char* condition, const char* file, int line) {
  throw Error(
      ErrorCode::Internal, "",
      std::string("invariant broken: ") + condition + " at " + file + ":" + std::to_string(line));
}

}  // namespace foothold::detail

/// A state that must never be; checked in every build. Throws `Error{Internal}`.
#define FOOTHOLD_INVARIANT(condition)                                     \
  do {                                                                    \
    if (!(condition)) {                                                   \
      ::foothold::detail::fail_invariant(#condition, __FILE__, __LINE__); \
    }                                                                     \
  } while (false)

/// A precondition that a caller inside the library broke. Off only in the preset `release`.
#ifdef NDEBUG
#define FOOTHOLD_ASSERT(condition) static_cast<void>(0)
#else
#define FOOTHOLD_ASSERT(condition) FOOTHOLD_INVARIANT(condition)
#endif
