#pragma once

#include <string>

#include <gtest/gtest.h>

#include "foothold/base/error.hpp"

namespace foothold::config::testing {

// Runs `act`, which must throw an `Error`, and returns it.
template <typename Act>
Error error_of(const Act& act) {
  try {
    static_cast<void>(act());
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error was thrown";
  return {ErrorCode::Internal, "none", "none"};
}

inline ::testing::AssertionResult mentions(const Error& error, const std::string& text) {
  if (std::string(error.what()).find(text) != std::string::npos) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "\"" << error.what() << "\" does not mention " << text;
}

}  // namespace foothold::config::testing
