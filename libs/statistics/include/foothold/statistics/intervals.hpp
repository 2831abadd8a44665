#pragma once

#include <cstdint>
#include <span>

namespace foothold::statistics {

/// An interval with both ends; NaN where it does not exist.
struct Interval {
  double lower = 0.0;
  double upper = 0.0;
};

/// Half the width of the interval mean ± h that holds the expectation of normal values with
/// probability `confidence`: h = t_{n−1, (1 + confidence)/2} · std/√n. NaN for fewer than two
/// values.
[[nodiscard]] double mean_half_width(std::span<const double> values, double confidence);

/// The exact upper confidence limit of a probability after `successes` in `trials` (Clopper and
/// Pearson): the p with P(X ≤ successes) = 1 − confidence for X ~ Bin(trials, p); 1 if every trial
/// was one. Requires 0 ≤ successes ≤ trials, 1 ≤ trials and 0 < confidence < 1.
[[nodiscard]] double binomial_upper_limit(std::int64_t successes, std::int64_t trials,
                                          double confidence);

/// The two-sided interval of Clopper and Pearson for a probability, after `successes` in `trials`:
/// it covers the truth with at least `confidence`, (1 − confidence)/2 at most left out at either
/// end. Exact, hence a little wide. [0, 1] without trials.
[[nodiscard]] Interval binomial_interval(std::int64_t successes, std::int64_t trials,
                                         double confidence);

}  // namespace foothold::statistics
