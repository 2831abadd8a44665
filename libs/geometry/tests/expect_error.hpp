#pragma once

#include <string>

#include <gtest/gtest.h>

#include "foothold/base/error.hpp"

namespace foothold::geometry::testing {

// Expects `action` to throw `Error{InvalidArgument}` about `field`, with a message that starts
// with it and contains `fragment`.
template <typename Action>
void expect_invalid(Action action, const std::string& field, const std::string& fragment) {
  try {
    action();
    ADD_FAILURE() << "no error about " << field;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(error.field(), field);
    const std::string message = error.what();
    EXPECT_EQ(message.rfind(field + ": ", 0), 0U) << message;
    EXPECT_NE(message.find(fragment), std::string::npos) << message;
  }
}

}  // namespace foothold::geometry::testing
