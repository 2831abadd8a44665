#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace foothold::testing {

// sup_x |F_n(x) − F(x)| of a sample against a continuous distribution function.
template <typename Cdf>
double kolmogorov_distance(std::vector<double> sample, Cdf cdf) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double value = cdf(sample[i]);
    const auto below = static_cast<double>(i);
    distance = std::max({distance, (below + 1.0) / n - value, value - below / n});
  }
  return distance;
}

// Massart's inequality: P(√n · distance > s) ≤ 2 exp(−2s²) < 1e-6 for s = 2.7.
inline double max_kolmogorov_distance(std::size_t sample_size) {
  return 2.7 / std::sqrt(static_cast<double>(sample_size));
}

}  // namespace foothold::testing
