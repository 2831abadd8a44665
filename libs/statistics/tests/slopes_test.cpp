#include "foothold/statistics/slopes.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "foothold/base/infinity.hpp"

namespace foothold::statistics {
namespace {

TEST(Slopes, SlopesAgreeWithSciPyAndAnExactPowerHasNoWidth) {
  // scipy.stats.linregress on the logarithms, its standard error times t_{4, 0.975}, SciPy 1.17.1.
  const std::vector<double> x{100, 300, 1000, 3000, 10000, 30000};
  const std::vector<double> y{12.1, 19.5, 41.0, 77.3, 160.2, 262.4};
  const SlopeFit fit = fit_log_log(x, y, 0.95);
  EXPECT_NEAR(fit.slope, 0.5567404432425648, 1e-13);
  EXPECT_NEAR(fit.intercept, -0.12311784340837661, 1e-12);
  EXPECT_NEAR(fit.half_width, 0.03777187653319942, 1e-12);

  std::vector<double> power;
  for (const double value : x) {
    power.push_back(3.0 * std::pow(value, 2.0 / 3.0));
  }
  const SlopeFit exact = fit_log_log(x, power, 0.95);
  EXPECT_NEAR(exact.slope, 2.0 / 3.0, 1e-14);
  EXPECT_NEAR(exact.intercept, std::log(3.0), 1e-13);
  EXPECT_NEAR(exact.half_width, 0.0, 1e-13);
}

TEST(Slopes, SlopesThatDoNotExistAreNaN) {
  const std::vector<double> two{1.0, 2.0};
  EXPECT_DOUBLE_EQ(fit_log_log(two, std::vector<double>{5.0, 20.0}, 0.95).slope, 2.0);
  EXPECT_TRUE(std::isnan(fit_log_log(two, two, 0.95).half_width));
  for (const double bad : {0.0, -1.0, kNaN, kInfinity}) {
    EXPECT_TRUE(std::isnan(fit_log_log(two, std::vector<double>{1.0, bad}, 0.95).slope));
    EXPECT_TRUE(std::isnan(fit_log_log(std::vector<double>{bad, 1.0}, two, 0.95).slope));
  }
  EXPECT_TRUE(std::isnan(fit_log_log(std::vector<double>{2.0, 2.0}, two, 0.95).slope));
  EXPECT_TRUE(std::isnan(fit_log_log({}, {}, 0.95).slope));
}

}  // namespace
}  // namespace foothold::statistics
