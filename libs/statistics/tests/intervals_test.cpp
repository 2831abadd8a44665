#include "foothold/statistics/intervals.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "foothold/statistics/moments.hpp"

namespace foothold::statistics {
namespace {

// Oracle: P(X ≤ k) for X ~ Bin(n, p), summed term by term.
double binomial_cdf(int k, int n, double probability) {
  const auto p = static_cast<long double>(probability);
  long double term = std::pow(1.0L - p, n);
  long double sum = term;
  for (int i = 1; i <= k; ++i) {
    term *= static_cast<long double>(n - i + 1) / i * (p / (1.0L - p));
    sum += term;
  }
  return static_cast<double>(sum);
}

TEST(Intervals, HalfWidthOfTwentyRunsUsesTheTableValue) {
  // t_{19, 0.975} = 2.093024 in the tables.
  std::vector<double> values(20);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(i);
  }
  EXPECT_NEAR(mean_half_width(values, 0.95), 2.093024 * sample_std(values) / std::sqrt(20.0), 2e-6);
}

TEST(Intervals, NoSuccessesLimitIsItsClosedForm) {
  // (1 − p)ⁿ = 1 − confidence.
  EXPECT_NEAR(binomial_upper_limit(0, 20, 0.95), 1.0 - std::pow(0.05, 1.0 / 20.0), 1e-13);
  EXPECT_NEAR(binomial_upper_limit(0, 1000, 0.99), 1.0 - std::pow(0.01, 1.0 / 1000.0), 1e-13);
  EXPECT_EQ(binomial_upper_limit(5, 5, 0.95), 1.0);
}

TEST(Intervals, BinomialLimitInvertsTheSumOfProbabilities) {
  for (const int n : {5, 20, 200}) {
    for (int k = 0; k < n; k += 1 + n / 7) {
      const double limit = binomial_upper_limit(k, n, 0.95);
      EXPECT_NEAR(binomial_cdf(k, n, limit), 0.05, 1e-11) << k << " of " << n;
    }
  }
}

TEST(Intervals, TwoSidedBinomialIntervalsAgreeWithSciPy) {
  // scipy.stats.binomtest(k, n).proportion_ci(confidence, "exact"), SciPy 1.17.1.
  struct Case {
    std::int64_t successes;
    std::int64_t trials;
    double confidence;
    Interval expected;
  };
  const std::vector<Case> cases{{0, 20, 0.95, {0.0, 0.16843347098308548}},
                                {3, 20, 0.95, {0.03207093718554477, 0.37892682654529564}},
                                {20, 20, 0.95, {0.8315665290169145, 1.0}},
                                {7, 50, 0.99, {0.042468787378833785, 0.3091069659648189}},
                                {1, 1000, 0.9, {5.129197890907456e-05, 0.004734993575492847}},
                                {137, 5000, 0.95, {0.023052780115055026, 0.032310033614400165}},
                                {0, 0, 0.95, {0.0, 1.0}}};
  for (const Case& c : cases) {
    const Interval interval = binomial_interval(c.successes, c.trials, c.confidence);
    EXPECT_NEAR(interval.lower, c.expected.lower, 1e-10 * c.expected.lower) << c.trials;
    EXPECT_NEAR(interval.upper, c.expected.upper, 1e-10 * c.expected.upper) << c.trials;
  }
}

}  // namespace
}  // namespace foothold::statistics
