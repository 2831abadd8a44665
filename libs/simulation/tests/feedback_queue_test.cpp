#include "play/feedback_queue.hpp"

#include <cmath>
#include <map>
#include <vector>

#include <gtest/gtest.h>

namespace foothold::simulation {
namespace {

// The delay of each round: arrival before round t + 1 + D; −1 if it is missing.
std::vector<std::int64_t> delays(const config::FeedbackConfig& feedback, std::int64_t rounds) {
  FeedbackQueue queue(feedback, RandomStream(8, 0));
  std::vector<std::int64_t> result(static_cast<std::size_t>(rounds), -1);
  for (std::int64_t round = 1; round <= 2 * rounds; ++round) {
    while (const auto late = queue.receive(round)) {
      EXPECT_LE(late->due, round);
      EXPECT_EQ(late->loss, 0.5 * static_cast<double>(late->round));
      EXPECT_EQ(late->ticket, static_cast<std::uint64_t>(late->round) + 7U);
      result[static_cast<std::size_t>(late->round - 1)] = round - late->round - 1;
    }
    if (round <= rounds) {
      static_cast<void>(queue.send(round, static_cast<std::uint64_t>(round) + 7U,
                                   0.5 * static_cast<double>(round)));
    }
  }
  return result;
}

TEST(FeedbackQueue, WithoutDelayDeliversBeforeTheNextRound) {
  for (const std::int64_t delay : delays({}, 1000)) {
    EXPECT_EQ(delay, 0);
  }
}

TEST(FeedbackQueue, HasGeometricDelaysOfTheGivenMean) {
  constexpr std::int64_t kRounds = 100000;
  constexpr double kMean = 20.0;
  std::map<std::int64_t, double> share;
  double sum = 0.0;
  for (const std::int64_t delay : delays({.delay_mean = kMean}, kRounds)) {
    sum += static_cast<double>(delay);
    share[delay] += 1.0 / kRounds;
  }
  // Var D = (1 − p)/p² = 420; six standard errors.
  EXPECT_NEAR(sum / kRounds, kMean, 6.0 * std::sqrt(420.0 / kRounds));
  // P(D = k) = p(1 − p)^k with p = 1/21; six binomial standard errors.
  for (const std::int64_t k : {0, 1, 10, 40}) {
    const double probability = std::pow(20.0 / 21.0, static_cast<double>(k)) / 21.0;
    EXPECT_NEAR(share[k], probability, 6.0 * std::sqrt(probability / kRounds));
  }
}

TEST(FeedbackQueue, LosesTheGivenShareAndTheSameRoundsWhateverTheLosses) {
  constexpr std::int64_t kRounds = 100000;
  FeedbackQueue one({.delay_mean = 2.0, .missing = 0.05}, RandomStream(8, 0));
  FeedbackQueue other({.delay_mean = 2.0, .missing = 0.05}, RandomStream(8, 0));
  int missing = 0;
  for (std::int64_t round = 1; round <= kRounds; ++round) {
    const bool is_sent = one.send(round, 0, 1.0);
    EXPECT_EQ(is_sent, other.send(round, 0, -3.0));
    missing += is_sent ? 0 : 1;
    while (const auto late = one.receive(round + 1)) {
      EXPECT_EQ(late->round, other.receive(round + 1)->round);
    }
  }
  EXPECT_NEAR(missing / static_cast<double>(kRounds), 0.05, 6.0 * std::sqrt(0.05 * 0.95 / kRounds));
}

TEST(FeedbackQueue, DeliversTheOldestOfThoseDueTogetherFirst) {
  FeedbackQueue queue({.delay_mean = 5.0}, RandomStream(8, 0));
  for (std::int64_t round = 1; round <= 100; ++round) {
    ASSERT_TRUE(queue.send(round, 0, 0.0));
  }
  std::int64_t due = 0;
  std::int64_t last = 0;
  while (const auto late = queue.receive(100000)) {
    EXPECT_TRUE(late->due > due || (late->due == due && late->round > last));
    due = late->due;
    last = late->round;
  }
}

}  // namespace
}  // namespace foothold::simulation
