#include "shortlist/arm_state.hpp"

#include <cmath>

#include "foothold/base/rounding.hpp"
#include "foothold/estimation/assumptions.hpp"

namespace foothold::arms {
namespace {

// What a change leaves out must be this much smaller than what counts.
constexpr double kLargestRemainder = 1e-8;
constexpr double kLargestShift = 1e-6;

// Of the difference of two inverses.
double error_between(const InverseError& from, const InverseError& to) {
  return from.computation == to.computation ? std::abs(to.norm - from.norm) : from.norm + to.norm;
}

}  // namespace

ArmState ArmState::without_data(const safety::Problem& problem) {
  const Eigen::Index d = problem.dim();
  ArmState state;
  state.mu_hat.setZero(d);
  state.inverse =
      Eigen::MatrixXd::Identity(d, d) / estimation::ridge_or_default(problem.assumptions);
  state.inverse_error.norm = rounding::kUnit * state.inverse.trace();
  return state;
}

void ArmState::take(const ArmQuestion& question) {
  const estimation::ConfidenceRegion& region = question.region;
  mu_hat = region.mu_hat();
  factor = question.estimate.gram().factor();
  forms = question.estimate.gram().root_inverse();
  inverse = question.screen.inverse();
  inverse_error = question.screen.inverse_error();
  gram = question.estimate.gram().matrix();
  radius = region.radius();
  scale = forms.norm() / std::sqrt(static_cast<double>(region.dim()));
  can_refuse = question.screen.can_refuse();
}

// A_s⁻¹ − A⁻¹ = VVᵀ + remainder with few columns, by a Cholesky factorisation with pivots that
// stops early: after one observation there is one column. The change of μ̂ lies in the span of V, in
// exact arithmetic; its weights follow from the rows of the pivots, and what they leave is the
// remainder. False if that takes too many columns.
bool ArmStateChange::factor(const ArmState& from, const ArmState& to) {
  const Eigen::Index d = shift_.size();
  const double rounding = error_between(from.inverse_error, to.inverse_error) +
                          4.0 * rounding::kUnit * (from.inverse.trace() + to.inverse.trace());
  shift_ = to.mu_hat - from.mu_hat;
  rest_ = from.inverse - to.inverse;
  for (rank_ = 0;; ++rank_) {
    remainder_ = rest_.norm() + rounding;
    if (remainder_ <= kLargestRemainder * to.scale * to.scale) {
      return shift_.norm() <= kLargestShift * to.radius * to.scale;
    }
    Eigen::Index pivot = 0;
    const double largest = rest_.diagonal().maxCoeff(&pivot);
    if (4 * rank_ >= 3 * d || !(largest > 0.0)) {
      return false;
    }
    auto v = vectors_.col(rank_);
    v = rest_.col(pivot) / std::sqrt(largest);
    rest_.noalias() -= v * v.transpose();
    weights_(rank_) = shift_(pivot) / v(pivot);
    shift_ -= weights_(rank_) * v;
  }
}

ArmChange ArmStateChange::between(const ArmState& from, const ArmState& to) {
  if (!factor(from, to)) {
    return {.mu_hat = to.mu_hat, .forms = to.forms};
  }
  return {.mu_hat = to.mu_hat,
          .forms = to.forms,
          .V = &vectors_,
          .weights = &weights_,
          .rank = rank_,
          .remainder = remainder_,
          .shift_remainder = shift_.norm()};
}

}  // namespace foothold::arms
