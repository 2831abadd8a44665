#include "foothold/statistics/distributions.hpp"

#include <cmath>

#include "foothold/base/invariant.hpp"

#include "bisection.hpp"

namespace foothold::statistics {
namespace {

// Kept away from zero, as Lentz's method wants it.
double bounded_away(double value) {
  constexpr double kTiny = 1e-300;
  return std::abs(value) < kTiny ? kTiny : value;
}

// The continued fraction of I_x(a, b) by Lentz's method; converges fast for x < (a+1)/(a+b+2).
double beta_fraction(double a, double b, double x) {
  constexpr int kMaxTerms = 100000;
  constexpr double kPrecision = 1e-16;
  double c = 1.0;
  double d = 1.0 / bounded_away(1.0 - (a + b) * x / (a + 1.0));
  double fraction = d;
  for (int i = 1; i <= kMaxTerms; ++i) {
    const auto m = static_cast<double>(i);
    const double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
    d = 1.0 / bounded_away(1.0 + even * d);
    c = bounded_away(1.0 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
    d = 1.0 / bounded_away(1.0 + odd * d);
    c = bounded_away(1.0 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1.0) <= kPrecision) {
      break;
    }
  }
  return fraction;
}

// log Γ without the global `signgam` that `std::lgamma` writes: results are wanted from threads.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

}  // namespace

double student_quantile(double p, double degrees) {
  FOOTHOLD_ASSERT(p > 0.0 && p < 1.0 && degrees > 0.0);
  if (p < 0.5) {
    return -student_quantile(1.0 - p, degrees);
  }
  // P(|T| > t) = I_{ν/(ν + t²)}(ν/2, 1/2): solve for x = t²/(ν + t²), on whose side the small
  // values are resolved, I_x(1/2, ν/2) = 2p − 1.
  const double x =
      bisect([&](double z) { return regularized_beta(0.5, 0.5 * degrees, z) - (2.0 * p - 1.0); },
             0.0, 1.0);
  return std::sqrt(degrees * x / (1.0 - x));
}

double regularized_beta(double a, double b, double x) {
  FOOTHOLD_ASSERT(a > 0.0 && b > 0.0 && x >= 0.0 && x <= 1.0);
  if (x <= 0.0 || x >= 1.0) {
    return x <= 0.0 ? 0.0 : 1.0;
  }
  const double log_front =
      log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log1p(-x);
  if (x < (a + 1.0) / (a + b + 2.0)) {
    return std::exp(log_front) * beta_fraction(a, b, x) / a;
  }
  return 1.0 - std::exp(log_front) * beta_fraction(b, a, 1.0 - x) / b;
}

}  // namespace foothold::statistics
