#include "foothold/statistics/paired.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace foothold::statistics {
namespace {

TEST(Paired, PairedDifferencesAgreeWithSciPy) {
  // scipy.stats.ttest_rel(a, b).confidence_interval(0.9), SciPy 1.17.1. Five pairs are won, one is
  // lost and one is even.
  const std::vector<double> a{3.1, 4.7, 2.2, 8.8, 5.0, 6.1, 7.7};
  const std::vector<double> b{3.9, 4.1, 4.2, 9.9, 5.0, 8.4, 9.0};
  const PairedDifference difference = compare_paired(a, b, 0.9);
  EXPECT_NEAR(difference.mean, -0.9857142857142857, 1e-14);
  EXPECT_NEAR(difference.half_width, 0.757862340603189, 1e-12);
  EXPECT_NEAR(difference.median, -1.1, 1e-14);
  EXPECT_NEAR(difference.wins, 5.5 / 7.0, 1e-15);
  EXPECT_TRUE(std::isnan(compare_paired({}, {}, 0.9).wins));
}

}  // namespace
}  // namespace foothold::statistics
