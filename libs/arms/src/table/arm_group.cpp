#include "table/arm_group.hpp"

#include <algorithm>
#include <cmath>

namespace foothold::arms {
namespace {

// What underflow can add to a square: far below every other error for arms that can be tracked.
constexpr double kUnderflow = 1e-30;

}  // namespace

ArmPrecision ArmPrecision::of_rounded(double largest) {
  return {.largest = largest, .sums = 2.0 * kSingleUnit * largest + kUnderflow};
}

ArmPrecision ArmPrecision::of_forms(double largest, double form_squares, double linear,
                                    Eigen::Index dim) {
  const double terms = static_cast<double>(dim) + 4.0;
  // ‖F⁻¹x‖ differs from the norm of the computed forms by the norm of their errors.
  const double width =
      std::sqrt(largest) * (1.0 + terms * kSingleUnit) + form_share(dim) * std::sqrt(form_squares);
  ArmPrecision precision{.largest = width * width + kUnderflow, .form_squares = form_squares};
  precision.sums = 1.01 * terms * kSingleUnit * precision.largest + kUnderflow;
  precision.linear = form_share(dim) * linear;
  return precision;
}

// The squares are Σ(aᵀx)² over the forms they were computed from less that over all forms since,
// each of which errs by e = γs. Σ|2aᵀx e| + e² ≤ 2(Σ(aᵀx)²)^{1/2}(Σe²)^{1/2} + Σe², and the forms
// since took away no more than there was.
double ArmPrecision::square_error(Eigen::Index dim) const {
  const double e = form_share(dim) * std::sqrt(form_squares);
  return 2.0 * std::sqrt(2.0 * (largest + sums)) * e + e * e + sums;
}

void ArmPrecision::follow(const GroupChange& change, Eigen::Index dim) {
  const double terms = change.terms + 4.0;
  form_squares += change.form_squares;
  const double most = largest + square_error(dim);
  const double lost = std::min(1.01 * change.form_squares, most);
  sums += 1.01 * kSingleUnit * (most + terms * lost) + change.square_remainder + kUnderflow;
  // |Σ c_j e_j| ≤ ‖c‖‖e‖ for errors e_j of the forms.
  linear += (form_share(dim) + 2.0 * terms * kSingleUnit) * change.weights_norm *
                std::sqrt(change.form_squares) +
            1.01 * kSingleUnit * change.largest_linear + change.linear_remainder;
}

void ArmPrecision::raise_to(const ArmPrecision& other) {
  largest = std::max(largest, other.largest);
  form_squares = std::max(form_squares, other.form_squares);
  sums = std::max(sums, other.sums);
  linear = std::max(linear, other.linear);
}

}  // namespace foothold::arms
