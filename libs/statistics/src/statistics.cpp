#include "foothold/simulation/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "foothold/base/infinity.hpp"
#include "foothold/base/invariant.hpp"

namespace foothold::simulation {
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

// The root of an increasing function on [low, high], to the last bit.
template <typename Function>
double bisect(Function function, double low, double high) {
  constexpr int kMaxHalvings = 2000;  // A double has no more than that from 10³⁰⁸ to 10⁻³⁰⁸.
  for (int i = 0; i < kMaxHalvings; ++i) {
    const double middle = low + 0.5 * (high - low);
    if (middle <= low || middle >= high) {
      break;
    }
    (function(middle) < 0.0 ? low : high) = middle;
  }
  return high;
}

std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) {
    logs.push_back(std::log(value));
  }
  return logs;
}

}  // namespace

double mean(std::span<const double> values) {
  if (values.empty()) {
    return kNaN;
  }
  double sum = 0.0;
  for (const double value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

double sample_std(std::span<const double> values) {
  if (values.size() < 2) {
    return kNaN;
  }
  // Two passes: no cancellation between large sums of squares.
  const double centre = mean(values);
  double sum = 0.0;
  for (const double value : values) {
    sum += (value - centre) * (value - centre);
  }
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double quantile(std::span<const double> values, double p) {
  FOOTHOLD_ASSERT(p >= 0.0 && p <= 1.0);
  if (values.empty()) {
    return kNaN;
  }
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double fraction = position - static_cast<double>(below);
  return (1.0 - fraction) * sorted[below] + fraction * sorted[above];
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

double mean_half_width(std::span<const double> values, double confidence) {
  if (values.size() < 2) {
    return kNaN;
  }
  const auto n = static_cast<double>(values.size());
  return student_quantile(0.5 * (1.0 + confidence), n - 1.0) * sample_std(values) / std::sqrt(n);
}

double binomial_upper_limit(std::int64_t successes, std::int64_t trials, double confidence) {
  FOOTHOLD_ASSERT(successes >= 0 && successes <= trials && trials >= 1);
  FOOTHOLD_ASSERT(confidence > 0.0 && confidence < 1.0);
  if (successes == trials) {
    return 1.0;
  }
  // P(X ≤ k) = 1 − I_p(k + 1, n − k) falls in p.
  const auto k = static_cast<double>(successes);
  const auto n = static_cast<double>(trials);
  return bisect([&](double p) { return regularized_beta(k + 1.0, n - k, p) - confidence; }, 0.0,
                1.0);
}

Interval binomial_interval(std::int64_t successes, std::int64_t trials, double confidence) {
  FOOTHOLD_ASSERT(successes >= 0 && successes <= trials);
  FOOTHOLD_ASSERT(confidence > 0.0 && confidence < 1.0);
  if (trials == 0) {
    return {.lower = 0.0, .upper = 1.0};
  }
  const double tail = 0.5 * (1.0 - confidence);
  Interval interval{.lower = 0.0, .upper = binomial_upper_limit(successes, trials, 1.0 - tail)};
  if (successes > 0) {
    // P(X ≥ k) = I_p(k, n − k + 1) grows in p.
    const auto k = static_cast<double>(successes);
    const auto n = static_cast<double>(trials);
    interval.lower =
        bisect([&](double p) { return regularized_beta(k, n - k + 1.0, p) - tail; }, 0.0, 1.0);
  }
  return interval;
}

SlopeFit fit_log_log(std::span<const double> x, std::span<const double> y, double confidence) {
  FOOTHOLD_ASSERT(x.size() == y.size());
  FOOTHOLD_ASSERT(confidence > 0.0 && confidence < 1.0);
  SlopeFit fit{.slope = kNaN, .half_width = kNaN, .intercept = kNaN};
  const auto is_positive = [](double value) { return value > 0.0 && std::isfinite(value); };
  if (!std::ranges::all_of(x, is_positive) || !std::ranges::all_of(y, is_positive)) {
    return fit;
  }
  const std::vector<double> u = logarithms(x);
  const std::vector<double> v = logarithms(y);
  const double u_mean = mean(u);
  const double v_mean = mean(v);
  double uu = 0.0;
  double uv = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    uu += (u[i] - u_mean) * (u[i] - u_mean);
    uv += (u[i] - u_mean) * (v[i] - v_mean);
  }
  if (!(uu > 0.0)) {
    return fit;
  }
  fit.slope = uv / uu;
  fit.intercept = v_mean - fit.slope * u_mean;
  if (u.size() > 2) {
    double residual = 0.0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      const double error = (v[i] - v_mean) - fit.slope * (u[i] - u_mean);
      residual += error * error;
    }
    const auto degrees = static_cast<double>(u.size() - 2);
    fit.half_width =
        student_quantile(0.5 * (1.0 + confidence), degrees) * std::sqrt(residual / degrees / uu);
  }
  return fit;
}

PairedDifference compare_paired(std::span<const double> a, std::span<const double> b,
                                double confidence) {
  FOOTHOLD_ASSERT(a.size() == b.size());
  std::vector<double> differences;
  double wins = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    differences.push_back(a[i] - b[i]);
    wins += a[i] < b[i] ? 1.0 : (b[i] < a[i] ? 0.0 : 0.5);
  }
  return {.mean = mean(differences),
          .half_width = mean_half_width(differences, confidence),
          .median = median(differences),
          .wins = a.empty() ? kNaN : wins / static_cast<double>(a.size())};
}

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

}  // namespace foothold::simulation
