#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "foothold/policy/options.hpp"
#include "foothold/policy/policy.hpp"

#include "instances.hpp"

namespace foothold::bench {

using PolicyMaker = std::function<std::unique_ptr<policy::Policy>()>;

// The workload that the targets are about: Safe-LUCB with ℓ₁ optimism by the Cholesky root, the
// ellipsoid for caution, no warm-up, exact every round.
[[nodiscard]] policy::PolicyOptions main_options(safety::CertifiedSet certified);

// The q-quantile by linear interpolation; NaN of nothing.
[[nodiscard]] double quantile(std::vector<double> values, double q);
[[nodiscard]] double median(std::vector<double> values);

// Nanoseconds that two readings of the clock are apart with nothing between them: subtracted from
// every time of a single round.
[[nodiscard]] double clock_overhead();

// Times in nanoseconds of `ask` and `tell` (and the scalar product that makes the loss) of each
// round: the run is played `repetitions` times, which does the same bit for bit, and the median is
// taken for each round.
[[nodiscard]] std::vector<double> round_times(const PolicyMaker& make, const Eigen::VectorXd& mu,
                                              std::span<const double> noise, int repetitions);

// Median nanoseconds of one call of `work`, over batches long enough for the clock.
[[nodiscard]] double time_of(const std::function<void()>& work, int repetitions = 9);

// The slope of log time over log size, by least squares.
[[nodiscard]] double growth_exponent(std::span<const double> sizes, std::span<const double> times);

}  // namespace foothold::bench
