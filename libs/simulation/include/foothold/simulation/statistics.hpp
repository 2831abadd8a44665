#pragma once

#include <cstdint>
#include <span>

namespace foothold::simulation {

/// The arithmetic mean. NaN without values.
[[nodiscard]] double mean(std::span<const double> values);

/// The standard deviation of the sample, with n − 1. NaN for fewer than two values.
[[nodiscard]] double sample_std(std::span<const double> values);

/// The p-quantile, 0 ≤ p ≤ 1, interpolated linearly between the order statistics at
/// (n − 1)p, type 7 of Hyndman and Fan. NaN without values.
[[nodiscard]] double quantile(std::span<const double> values, double p);

/// The 1/2-quantile.
[[nodiscard]] double median(std::span<const double> values);

/// Half the width of the interval mean ± h that holds the expectation of normal values with
/// probability `confidence`: h = t_{n−1, (1 + confidence)/2} · std/√n. NaN for fewer than two
/// values.
[[nodiscard]] double mean_half_width(std::span<const double> values, double confidence);

/// The exact upper confidence limit of a probability after `successes` in `trials` (Clopper and
/// Pearson): the p with P(X ≤ successes) = 1 − confidence for X ~ Bin(trials, p); 1 if every trial
/// was one. Requires 0 ≤ successes ≤ trials, 1 ≤ trials and 0 < confidence < 1.
[[nodiscard]] double binomial_upper_limit(std::int64_t successes, std::int64_t trials,
                                          double confidence);

/// The p-quantile of Student's t distribution, 0 < p < 1, degrees > 0.
[[nodiscard]] double student_quantile(double p, double degrees);

/// I_x(a, b): the regularised incomplete beta function for a, b > 0 and 0 ≤ x ≤ 1, by its
/// continued fraction. Relative error about 10⁻¹³ for a, b ≤ 10⁴.
[[nodiscard]] double regularized_beta(double a, double b, double x);

}  // namespace foothold::simulation
