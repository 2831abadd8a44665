#pragma once

#include <gtest/gtest.h>

#include "counted_allocations.hpp"

namespace foothold::testing {

// Tests of a dimension that count allocations.
class CountsAllocations : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!kCountsAllocations) {
      GTEST_SKIP() << "a sanitizer owns malloc";
    }
  }
};

}  // namespace foothold::testing
