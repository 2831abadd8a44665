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

/// An interval with both ends; NaN where it does not exist.
struct Interval {
  double lower = 0.0;
  double upper = 0.0;
};

/// The two-sided interval of Clopper and Pearson for a probability, after `successes` in `trials`:
/// it covers the truth with at least `confidence`, (1 − confidence)/2 at most left out at either
/// end. Exact, hence a little wide. [0, 1] without trials.
[[nodiscard]] Interval binomial_interval(std::int64_t successes, std::int64_t trials,
                                         double confidence);

/// A bootstrap interval for a statistic of the distribution behind independent `values`: bias
/// corrected and accelerated, BC_a [Efr87]. Regrets are skewed to the right, so a plain percentile
/// interval lies too far to the left, by O(1/√n) of its width at either end; BC_a errs by O(1/n)
/// in its coverage. The acceleration is the jackknife's. No interval reaches beyond what the
/// values show: with fewer than about ten of them it is too short, whatever its form.
///
/// Deterministic: resample b draws from the positions b·n … (b + 1)·n − 1 of one stream of `seed`.
/// NaN for fewer than two values or one that is not finite; a single point if all resamples agree.
/// O(resamples · n) plus `resamples` + n calls of `statistic`.
[[nodiscard]] Interval bootstrap_interval(std::span<const double> values,
                                          double (*statistic)(std::span<const double>),
                                          double confidence, std::uint64_t seed,
                                          int resamples = 2000);

/// log y ≈ intercept + slope · log x.
struct SlopeFit {
  double slope = 0.0;
  double half_width = 0.0;  ///< `slope` ± this: t-interval with n − 2 degrees of freedom.
  double intercept = 0.0;   ///< Of the natural logarithms.
};

/// The exponent of y ~ x^slope by least squares on natural logarithms. The interval supposes
/// independent errors of one scale: points of one regret curve are not independent, so fit
/// one final regret per horizon or one slope per run, and take the interval over those.
///
/// Requires as many x as y. NaN throughout if a value is not positive and finite, or there are
/// fewer than two different x; a NaN half-width for fewer than three points.
[[nodiscard]] SlopeFit fit_log_log(std::span<const double> x, std::span<const double> y,
                                   double confidence);

/// How a differs from b, pair by pair.
struct PairedDifference {
  double mean = 0.0;        ///< Of a − b.
  double half_width = 0.0;  ///< `mean` ± this: t-interval of the expected difference.
  double median = 0.0;      ///< Of a − b.
  double wins = 0.0;        ///< The share of pairs with a < b; equal pairs count half.
};

/// Compares two learners that met the same instances and noise, entry i of both being run i:
/// what the runs have in common cancels, and the interval is of the difference, which may be far
/// narrower than either mean's. Requires as many a as b. NaN without pairs; a NaN half-width
/// for one.
[[nodiscard]] PairedDifference compare_paired(std::span<const double> a, std::span<const double> b,
                                              double confidence);

/// The p-quantile of Student's t distribution, 0 < p < 1, degrees > 0.
[[nodiscard]] double student_quantile(double p, double degrees);

/// I_x(a, b): the regularised incomplete beta function for a, b > 0 and 0 ≤ x ≤ 1, by its
/// continued fraction. Relative error about 10⁻¹³ for a, b ≤ 10⁴.
[[nodiscard]] double regularized_beta(double a, double b, double x);

}  // namespace foothold::simulation
