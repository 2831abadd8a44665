#pragma once

namespace foothold::statistics {

/// The p-quantile of Student's t distribution, 0 < p < 1, degrees > 0.
[[nodiscard]] double student_quantile(double p, double degrees);

/// I_x(a, b): the regularised incomplete beta function for a, b > 0 and 0 ≤ x ≤ 1, by its
/// continued fraction. Relative error about 10⁻¹³ for a, b ≤ 10⁴.
[[nodiscard]] double regularized_beta(double a, double b, double x);

}  // namespace foothold::statistics
