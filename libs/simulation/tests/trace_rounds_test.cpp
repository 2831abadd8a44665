#include "play/trace_rounds.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace foothold::simulation {
namespace {

TEST(LogSpacedRounds, RunFromOneToTheHorizonStrictlyIncreasing) {
  for (const std::int64_t horizon : {1, 2, 3, 10, 199, 200, 201, 5000, 100000, 1000000000}) {
    const std::vector<std::int64_t> rounds = log_spaced_rounds(horizon, 200);
    EXPECT_EQ(rounds.front(), 1);
    EXPECT_EQ(rounds.back(), horizon);
    EXPECT_LE(rounds.size(), 200U);
    for (std::size_t i = 1; i < rounds.size(); ++i) {
      EXPECT_GT(rounds[i], rounds[i - 1]);
    }
  }
}

TEST(LogSpacedRounds, AreEvenOnALogarithmicScaleOnceTheyAreSparse) {
  const std::vector<std::int64_t> rounds = log_spaced_rounds(100000, 200);
  const double step = std::pow(100000.0, 1.0 / 199.0);
  for (std::size_t i = 1; i < rounds.size(); ++i) {
    if (rounds[i] > 1000) {
      const double ratio = static_cast<double>(rounds[i]) / static_cast<double>(rounds[i - 1]);
      EXPECT_NEAR(ratio, step, 2e-3);
    }
  }
}

}  // namespace
}  // namespace foothold::simulation
