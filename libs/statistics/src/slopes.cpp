#include "foothold/statistics/slopes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "foothold/base/infinity.hpp"
#include "foothold/base/invariant.hpp"
#include "foothold/statistics/distributions.hpp"
#include "foothold/statistics/moments.hpp"

namespace foothold::statistics {
namespace {

std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) {
    logs.push_back(std::log(value));
  }
  return logs;
}

}  // namespace

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

}  // namespace foothold::statistics
