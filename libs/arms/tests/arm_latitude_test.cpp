#include "shortlist/arm_latitude.hpp"

#include <gtest/gtest.h>

namespace foothold::arms {
namespace {

TEST(ArmLatitude, GrowsWhileListsCostLessThanTheSweepsTheySave) {
  ArmLatitude latitude;
  const double first = latitude.next();
  EXPECT_GT(first, 0.0);
  latitude.has_expired(/*rounds=*/5, /*share=*/0.01);
  EXPECT_GT(latitude.next(), first);
}

TEST(ArmLatitude, FallsWhenListsCostMore) {
  ArmLatitude latitude;
  latitude.has_expired(/*rounds=*/5, /*share=*/0.01);
  const double wide = latitude.next();
  latitude.has_expired(/*rounds=*/50, /*share=*/0.1);
  EXPECT_LT(latitude.next(), wide);
}

TEST(ArmLatitude, IsNotTriedForAWhileAfterAListThatServedOnce) {
  ArmLatitude latitude;
  int attempts = 0;
  for (int sweep = 0; sweep < 200; ++sweep) {
    if (latitude.next() > 0.0) {
      ++attempts;
      latitude.has_expired(/*rounds=*/1, /*share=*/0.01);
    }
  }
  EXPECT_GT(attempts, 2);
  EXPECT_LT(attempts, 15);
}

TEST(ArmLatitude, IsRarelyTriedWhereTheSmallestIsTooMuch) {
  ArmLatitude latitude;
  int attempts = 0;
  for (int sweep = 0; sweep < 200; ++sweep) {
    if (latitude.next() > 0.0) {
      ++attempts;
      latitude.was_too_long();
    }
  }
  EXPECT_GT(attempts, 2);
  EXPECT_LT(attempts, 15);
}

}  // namespace
}  // namespace foothold::arms
