#include "foothold/simulation/statistics.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

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
