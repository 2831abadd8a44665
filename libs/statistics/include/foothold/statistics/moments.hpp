#pragma once

#include <span>

namespace foothold::statistics {

/// The arithmetic mean. NaN without values.
[[nodiscard]] double mean(std::span<const double> values);

/// The standard deviation of the sample, with n − 1. NaN for fewer than two values.
[[nodiscard]] double sample_std(std::span<const double> values);

}  // namespace foothold::statistics
