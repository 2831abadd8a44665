#include "foothold/statistics/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "foothold/base/infinity.hpp"
#include "foothold/base/invariant.hpp"
#include "foothold/base/random_stream.hpp"
#include "foothold/statistics/moments.hpp"
#include "foothold/statistics/quantiles.hpp"

namespace foothold::statistics {
namespace {

using Statistic = double (*)(std::span<const double>);

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

// The p-quantile of the standard normal distribution by bisection; what lies beyond ±38 underflows.
double normal_quantile(double p) {
  double low = -38.0;
  double high = 38.0;
  for (double middle = 0.0; middle > low && middle < high; middle = low + 0.5 * (high - low)) {
    (normal_cdf(middle) < p ? low : high) = middle;
  }
  return high;
}

std::vector<double> resampled(std::span<const double> values, Statistic statistic,
                              std::uint64_t seed, int resamples) {
  constexpr std::uint64_t kStream = 0xB007;  // far from the streams of runs with small numbers
  RandomStream random(seed, kStream);
  std::vector<double> sample(values.size());
  std::vector<double> results;
  results.reserve(static_cast<std::size_t>(resamples));
  for (int b = 0; b < resamples; ++b) {
    for (double& value : sample) {
      value = values[random.index(values.size())];
    }
    results.push_back(statistic(sample));
  }
  return results;
}

// z₀ = Φ⁻¹(P(θ* < θ̂)): how far θ̂ lies from the median of its resamples θ*. Ties count half, or a
// statistic with few values, such as a median, would seem biased. Resamples that hold the same
// values in another order tie up to rounding, hence the tolerance.
double bias_correction(std::span<const double> sorted, double estimate, double scale) {
  constexpr double kTolerance = 1e-12;
  const auto first = std::ranges::lower_bound(sorted, estimate - kTolerance * scale);
  const auto last = std::ranges::upper_bound(sorted, estimate + kTolerance * scale);
  const auto below = static_cast<double>(first - sorted.begin());
  const auto equal = static_cast<double>(last - first);
  const auto n = static_cast<double>(sorted.size());
  return normal_quantile(std::clamp((below + 0.5 * equal) / n, 0.5 / n, 1.0 - 0.5 / n));
}

// a = Σ d³ / (6 (Σ d²)^{3/2}) with d_i = mean of all leave-one-out estimates − the i-th of them.
double acceleration(std::span<const double> values, Statistic statistic) {
  std::vector<double> rest(values.begin() + 1, values.end());
  std::vector<double> estimates;
  estimates.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    estimates.push_back(statistic(rest));
    if (i < rest.size()) {
      rest[i] = values[i];  // Now it is value i + 1 that is missing.
    }
  }
  const double centre = mean(estimates);
  double squares = 0.0;
  double cubes = 0.0;
  for (const double estimate : estimates) {
    const double d = centre - estimate;
    squares += d * d;
    cubes += d * d * d;
  }
  return squares > 0.0 ? cubes / (6.0 * std::pow(squares, 1.5)) : 0.0;
}

}  // namespace

Interval bootstrap_interval(std::span<const double> values, Statistic statistic, double confidence,
                            std::uint64_t seed, int resamples) {
  FOOTHOLD_ASSERT(confidence > 0.0 && confidence < 1.0 && resamples >= 1);
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (values.size() < 2 || !std::ranges::all_of(values, is_finite)) {
    return {.lower = kNaN, .upper = kNaN};
  }
  std::vector<double> results = resampled(values, statistic, seed, resamples);
  std::ranges::sort(results);
  const double scale = std::max(std::abs(results.front()), std::abs(results.back()));
  const double z0 = bias_correction(results, statistic(values), scale);
  const double a = acceleration(values, statistic);
  // [Efr87]: the level of the resamples' distribution to read the end from.
  const auto end = [&](double p) {
    const double z = z0 + normal_quantile(p);
    const double denominator = 1.0 - a * z;
    // Beyond the pole the transformation has turned over: the most extreme resample stands there.
    const double level =
        denominator > 0.0 ? normal_cdf(z0 + z / denominator) : (z > 0.0 ? 1.0 : 0.0);
    return quantile(results, std::clamp(level, 0.0, 1.0));
  };
  const double tail = 0.5 * (1.0 - confidence);
  return {.lower = end(tail), .upper = end(1.0 - tail)};
}

}  // namespace foothold::statistics
