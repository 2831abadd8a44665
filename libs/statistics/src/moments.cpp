#include "foothold/statistics/moments.hpp"

#include <cmath>

#include "foothold/base/infinity.hpp"

namespace foothold::statistics {

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

}  // namespace foothold::statistics
