#include "foothold/statistics/distributions.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace foothold::statistics {
namespace {

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

TEST(Distributions, StudentQuantilesAgreeWithTheirClosedForms) {
  for (const double p : {0.6, 0.9, 0.975, 0.9995}) {
    // ν = 1 is Cauchy's; for ν = 2, t = a√(2/(1 − a²)) with a = 2p − 1.
    const double a = 2.0 * p - 1.0;
    const double cauchy = std::tan(std::numbers::pi * (p - 0.5));
    EXPECT_NEAR(student_quantile(p, 1.0), cauchy, 1e-11 * cauchy * cauchy);
    EXPECT_NEAR(student_quantile(p, 2.0), a * std::sqrt(2.0 / (1.0 - a * a)), 1e-10);
    EXPECT_DOUBLE_EQ(student_quantile(1.0 - p, 2.0), -student_quantile(1.0 - (1.0 - p), 2.0));
  }
}

TEST(Distributions, StudentQuantilesInvertTheIntegralOfTheDensity) {
  for (const double degrees : {3.0, 7.0, 19.0, 99.0}) {
    for (const double p : {0.55, 0.9, 0.975, 0.999}) {
      EXPECT_NEAR(student_cdf(student_quantile(p, degrees), degrees), p, 1e-11);
    }
  }
}

TEST(Distributions, RegularizedBetaIsSymmetricAndMonotone) {
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
}  // namespace foothold::statistics
