#include "foothold/statistics/intervals.hpp"

#include <cmath>

#include "foothold/base/infinity.hpp"
#include "foothold/base/invariant.hpp"
#include "foothold/statistics/distributions.hpp"
#include "foothold/statistics/moments.hpp"

#include "bisection.hpp"

namespace foothold::statistics {

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

}  // namespace foothold::statistics
