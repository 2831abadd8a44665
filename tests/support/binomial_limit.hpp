#pragma once

#include <cmath>

namespace foothold::testing {

// The smallest k with P(Binomial(n, p) > k) < 1e-6, by summing the exact probabilities.
inline int binomial_limit(int n, double p) {
  double log_prob = n * std::log1p(-p);  // of k = 0
  double below = std::exp(log_prob);
  int k = 0;
  while (1.0 - below >= 1e-6) {
    log_prob += std::log(static_cast<double>(n - k) / (k + 1.0)) + std::log(p) - std::log1p(-p);
    below += std::exp(log_prob);
    ++k;
  }
  return k;
}

}  // namespace foothold::testing
