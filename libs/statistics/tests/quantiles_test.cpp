#include "foothold/statistics/quantiles.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace foothold::statistics {
namespace {

TEST(Quantiles, QuantilesInterpolateBetweenOrderStatistics) {
  const std::vector<double> values{40, 10, 30, 20};
  EXPECT_DOUBLE_EQ(median(values), 25.0);
  EXPECT_DOUBLE_EQ(quantile(values, 0.0), 10.0);
  EXPECT_DOUBLE_EQ(quantile(values, 1.0), 40.0);
  // (n − 1)p = 0.75: three quarters of the way from 10 to 20.
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 17.5);
}

}  // namespace
}  // namespace foothold::statistics
