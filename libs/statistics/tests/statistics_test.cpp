#include "foothold/simulation/statistics.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "foothold/base/infinity.hpp"
#include "foothold/base/random_stream.hpp"

namespace foothold::simulation {
namespace {

// Oracle: P(X ≤ k) for X ~ Bin(n, p), summed term by term.
double binomial_cdf(int k, int n, double p) {
  long double term = std::pow(1.0L - p, n);
  long double sum = term;
  for (int i = 1; i <= k; ++i) {
    term *= static_cast<long double>(n - i + 1) / i * (p / (1.0L - p));
    sum += term;
  }
  return static_cast<double>(sum);
}

// Oracle: P(T ≤ t) = 1/2 + ∫₀ᵗ of the density, by Simpson's rule.
double student_cdf(double t, double degrees) {
  constexpr int kSteps = 20000;
  const double scale = std::exp(std::lgamma(0.5 * (degrees + 1.0)) - std::lgamma(0.5 * degrees)) /
                       std::sqrt(degrees * std::numbers::pi);
  const auto density = [&](double x) {
    return scale * std::pow(1.0 + x * x / degrees, -0.5 * (degrees + 1.0));
  };
  double sum = density(0.0) + density(t);
  for (int i = 1; i < kSteps; ++i) {
    sum += (i % 2 == 1 ? 4.0 : 2.0) * density(t * i / kSteps);
  }
  return 0.5 + sum * t / kSteps / 3.0;
}

TEST(Statistics, MeanAndStandardDeviationOfTwoToNine) {
  // Mean 5, squared deviations 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32, over n − 1 = 7.
  const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(mean(values), 5.0);
  EXPECT_DOUBLE_EQ(sample_std(values), std::sqrt(32.0 / 7.0));
}

TEST(Statistics, StandardDeviationDoesNotCancelBesideALargeMean) {
  // 10⁹ + {0, 1, 2}: the naive Σx² − n·mean² has no correct digit.
  EXPECT_DOUBLE_EQ(sample_std(std::vector<double>{1e9, 1e9 + 1.0, 1e9 + 2.0}), 1.0);
}

TEST(Statistics, WhatDoesNotExistIsNaN) {
  const std::vector<double> none;
  const std::vector<double> one{3.0};
  EXPECT_TRUE(std::isnan(mean(none)));
  EXPECT_TRUE(std::isnan(median(none)));
  EXPECT_TRUE(std::isnan(sample_std(one)));
  EXPECT_TRUE(std::isnan(mean_half_width(one, 0.95)));
  EXPECT_EQ(mean(one), 3.0);
  EXPECT_EQ(median(one), 3.0);
}

TEST(Statistics, QuantilesInterpolateBetweenOrderStatistics) {
  const std::vector<double> values{40, 10, 30, 20};
  EXPECT_DOUBLE_EQ(median(values), 25.0);
  EXPECT_DOUBLE_EQ(quantile(values, 0.0), 10.0);
  EXPECT_DOUBLE_EQ(quantile(values, 1.0), 40.0);
  // (n − 1)p = 0.75: three quarters of the way from 10 to 20.
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 17.5);
}

TEST(Statistics, StudentQuantilesAgreeWithTheirClosedForms) {
  for (const double p : {0.6, 0.9, 0.975, 0.9995}) {
    // ν = 1 is Cauchy's; for ν = 2, t = a√(2/(1 − a²)) with a = 2p − 1.
    const double a = 2.0 * p - 1.0;
    const double cauchy = std::tan(std::numbers::pi * (p - 0.5));
    EXPECT_NEAR(student_quantile(p, 1.0), cauchy, 1e-11 * cauchy * cauchy);
    EXPECT_NEAR(student_quantile(p, 2.0), a * std::sqrt(2.0 / (1.0 - a * a)), 1e-10);
    EXPECT_DOUBLE_EQ(student_quantile(1.0 - p, 2.0), -student_quantile(1.0 - (1.0 - p), 2.0));
  }
}

TEST(Statistics, StudentQuantilesInvertTheIntegralOfTheDensity) {
  for (const double degrees : {3.0, 7.0, 19.0, 99.0}) {
    for (const double p : {0.55, 0.9, 0.975, 0.999}) {
      EXPECT_NEAR(student_cdf(student_quantile(p, degrees), degrees), p, 1e-11);
    }
  }
}

TEST(Statistics, HalfWidthOfTwentyRunsUsesTheTableValue) {
  // t_{19, 0.975} = 2.093024 in the tables.
  std::vector<double> values(20);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(i);
  }
  EXPECT_NEAR(mean_half_width(values, 0.95), 2.093024 * sample_std(values) / std::sqrt(20.0), 2e-6);
}

TEST(Statistics, NoSuccessesLimitIsItsClosedForm) {
  // (1 − p)ⁿ = 1 − confidence.
  EXPECT_NEAR(binomial_upper_limit(0, 20, 0.95), 1.0 - std::pow(0.05, 1.0 / 20.0), 1e-13);
  EXPECT_NEAR(binomial_upper_limit(0, 1000, 0.99), 1.0 - std::pow(0.01, 1.0 / 1000.0), 1e-13);
  EXPECT_EQ(binomial_upper_limit(5, 5, 0.95), 1.0);
}

TEST(Statistics, BinomialLimitInvertsTheSumOfProbabilities) {
  for (const int n : {5, 20, 200}) {
    for (int k = 0; k < n; k += 1 + n / 7) {
      const double limit = binomial_upper_limit(k, n, 0.95);
      EXPECT_NEAR(binomial_cdf(k, n, limit), 0.05, 1e-11) << k << " of " << n;
    }
  }
}

TEST(Statistics, TwoSidedBinomialIntervalsAgreeWithSciPy) {
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

TEST(Statistics, SlopesAgreeWithSciPyAndAnExactPowerHasNoWidth) {
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

TEST(Statistics, SlopesThatDoNotExistAreNaN) {
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

TEST(Statistics, PairedDifferencesAgreeWithSciPy) {
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

// Skewed to the right, as regrets are.
const std::vector<double> kSkewed{0.3, 0.5, 0.6, 0.9, 1.1, 1.4, 1.8, 2.5, 3.9, 7.2, 12.5, 20.1};

TEST(Bootstrap, AgreesWithSciPyWithinItsOwnNoise) {
  // scipy.stats.bootstrap(method = "BCa", n_resamples = 200000), two seeds, SciPy 1.17.1: the
  // mean's interval is (1.99, 9.32 … 9.33), the percentile interval (1.55, 8.06). With 20,000
  // resamples the ends have standard errors of about 0.02 and 0.06: the level 0.99 of the upper end
  // moves by 0.001 where the distribution has density 0.017. The median's is (0.75, 5.55), order
  // statistics both.
  const Interval of_mean = bootstrap_interval(kSkewed, mean, 0.95, 1, 20000);
  EXPECT_NEAR(of_mean.lower, 1.99, 0.08);
  EXPECT_NEAR(of_mean.upper, 9.32, 0.25);
  const Interval of_median = bootstrap_interval(kSkewed, median, 0.95, 1, 20000);
  EXPECT_NEAR(of_median.lower, 0.75, 1e-12);
  EXPECT_NEAR(of_median.upper, 5.55, 1e-12);
}

TEST(Bootstrap, MovesAndScalesWithTheValuesAndRepeatsItself) {
  std::vector<double> moved;
  for (const double value : kSkewed) {
    moved.push_back(10.0 - 2.0 * value);  // Mirrored, so that the ends change places.
  }
  const Interval interval = bootstrap_interval(kSkewed, mean, 0.9, 5);
  const Interval mirrored = bootstrap_interval(moved, mean, 0.9, 5);
  EXPECT_NEAR(mirrored.lower, 10.0 - 2.0 * interval.upper, 1e-9);
  EXPECT_NEAR(mirrored.upper, 10.0 - 2.0 * interval.lower, 1e-9);
  EXPECT_EQ(bootstrap_interval(kSkewed, mean, 0.9, 5).lower, interval.lower);
  EXPECT_NE(bootstrap_interval(kSkewed, mean, 0.9, 6).lower, interval.lower);
}

TEST(Bootstrap, OfEqualValuesIsAPointAndOfOneValueNothing) {
  const Interval point = bootstrap_interval(std::vector<double>(5, 2.5), mean, 0.95, 1);
  EXPECT_EQ(point.lower, 2.5);
  EXPECT_EQ(point.upper, 2.5);
  EXPECT_TRUE(std::isnan(bootstrap_interval(std::vector<double>{1.0}, mean, 0.95, 1).lower));
  const std::vector<double> broken{1.0, kNaN};
  EXPECT_TRUE(std::isnan(bootstrap_interval(broken, mean, 0.95, 1).upper));
}

TEST(Bootstrap, CoversTheMeanOfSkewedValuesAboutAsOftenAsItSays) {
  // 30 exponential values have mean 1. With an error of order 1/n the coverage is at least 0.92;
  // 500 trials have a standard error of 0.0122, and four of them are allowed. An interval of half
  // the width would cover about 0.67.
  constexpr int kTrials = 500;
  RandomStream random(20240601, 0);
  int covered = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> values(30);
    for (double& value : values) {
      value = -std::log1p(-random.uniform());
    }
    const Interval interval = bootstrap_interval(values, mean, 0.95, 1, 400);
    covered += interval.lower <= 1.0 && 1.0 <= interval.upper ? 1 : 0;
  }
  EXPECT_GE(covered, kTrials * (0.92 - 4.0 * 0.0122));
  EXPECT_LE(covered, kTrials * (0.95 + 4.0 * 0.0098));
}

TEST(Statistics, RegularizedBetaIsSymmetricAndMonotone) {
  // I_x(a, 1) = x^a, I_x(1, b) = 1 − (1 − x)^b, I_x(a, b) = 1 − I_{1−x}(b, a).
  double previous = 0.0;
  for (double x = 0.05; x < 1.0; x += 0.05) {
    EXPECT_NEAR(regularized_beta(3.5, 1.0, x), std::pow(x, 3.5), 1e-14);
    EXPECT_NEAR(regularized_beta(1.0, 2.5, x), 1.0 - std::pow(1.0 - x, 2.5), 1e-14);
    EXPECT_NEAR(regularized_beta(20.0, 7.0, x), 1.0 - regularized_beta(7.0, 20.0, 1.0 - x), 1e-13);
    EXPECT_GE(regularized_beta(20.0, 7.0, x), previous);
    previous = regularized_beta(20.0, 7.0, x);
  }
  EXPECT_EQ(regularized_beta(2.0, 3.0, 0.0), 0.0);
  EXPECT_EQ(regularized_beta(2.0, 3.0, 1.0), 1.0);
}

}  // namespace
}  // namespace foothold::simulation
