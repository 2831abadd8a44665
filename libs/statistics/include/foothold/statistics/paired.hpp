#pragma once

#include <span>

namespace foothold::statistics {

/// How a differs from b, pair by pair.
struct PairedDifference {
  double mean = 0.0;        ///< Of a − b.
  double half_width = 0.0;  ///< `mean` ± this: t-interval of the expected difference.
  double median = 0.0;      ///< Of a − b.
  double wins = 0.0;        ///< The share of pairs with a < b; equal pairs count half.
};

/// Compares two samples whose entries i belong together, such as the runs of two learners that met
/// the same instances and noise: what they have in common cancels, and the interval is of the
/// difference, which may be far narrower than either mean's. Requires as many a as b. NaN without
/// pairs; a NaN half-width for one.
[[nodiscard]] PairedDifference compare_paired(std::span<const double> a, std::span<const double> b,
                                              double confidence);

}  // namespace foothold::statistics
