#pragma once

#include <span>

namespace foothold::statistics {

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

}  // namespace foothold::statistics
