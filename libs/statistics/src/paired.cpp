#include "foothold/statistics/paired.hpp"

#include <cstddef>
#include <vector>

#include "foothold/base/infinity.hpp"
#include "foothold/base/invariant.hpp"
#include "foothold/statistics/intervals.hpp"
#include "foothold/statistics/moments.hpp"
#include "foothold/statistics/quantiles.hpp"

namespace foothold::statistics {

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

}  // namespace foothold::statistics
