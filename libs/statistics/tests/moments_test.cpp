#include "foothold/statistics/moments.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "foothold/statistics/intervals.hpp"
#include "foothold/statistics/quantiles.hpp"

namespace foothold::statistics {
namespace {

TEST(Moments, MeanAndStandardDeviationOfTwoToNine) {
  // Mean 5, squared deviations 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32, over n − 1 = 7.
  const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(mean(values), 5.0);
  EXPECT_DOUBLE_EQ(sample_std(values), std::sqrt(32.0 / 7.0));
}

TEST(Moments, StandardDeviationDoesNotCancelBesideALargeMean) {
  // 10⁹ + {0, 1, 2}: the naive Σx² − n·mean² has no correct digit.
  EXPECT_DOUBLE_EQ(sample_std(std::vector<double>{1e9, 1e9 + 1.0, 1e9 + 2.0}), 1.0);
}

TEST(Moments, WhatDoesNotExistIsNaN) {
  const std::vector<double> none;
  const std::vector<double> one{3.0};
  EXPECT_TRUE(std::isnan(mean(none)));
  EXPECT_TRUE(std::isnan(median(none)));
  EXPECT_TRUE(std::isnan(sample_std(one)));
  EXPECT_TRUE(std::isnan(mean_half_width(one, 0.95)));
  EXPECT_EQ(mean(one), 3.0);
  EXPECT_EQ(median(one), 3.0);
}

}  // namespace
}  // namespace foothold::statistics
