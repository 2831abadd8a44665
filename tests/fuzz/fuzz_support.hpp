#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "foothold/base/error.hpp"

namespace foothold::fuzz {

/// Ends the process, which libFuzzer reports together with the input.
[[noreturn]] inline void fail(const std::string& message) {
  std::fprintf(stderr, "fuzz: %s\n", message.c_str());
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Calls `action`. Returns whether it came to its end; `Error` and `std::bad_alloc` are the only
/// exceptions that it may throw. Any other one leaves, and libFuzzer reports it.
template <class Action>
bool survives(const Action& action) {
  try {
    action();
    return true;
  } catch (const Error&) {
    return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace foothold::fuzz
