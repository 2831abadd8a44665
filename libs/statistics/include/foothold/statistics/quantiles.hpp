#pragma once

#include <span>

namespace foothold::statistics {

/// The p-quantile, 0 ≤ p ≤ 1, interpolated linearly between the order statistics at
/// (n − 1)p, type 7 of Hyndman and Fan. NaN without values.
[[nodiscard]] double quantile(std::span<const double> values, double p);

/// The 1/2-quantile.
[[nodiscard]] double median(std::span<const double> values);

}  // namespace foothold::statistics
