#include "arm_state.hpp"

#include <cmath>

#include "foothold/base/rounding.hpp"
#include "foothold/estimation/assumptions.hpp"

namespace foothold::selection {
namespace {

// What a change leaves out must be this much smaller than what counts.
constexpr double kLargestRemainder = 1e-8;
constexpr double kLargestShift = 1e-6;

}  // namespace

ArmState ArmState::without_data(const safety::Problem& problem) {
  const Eigen::Index d = problem.dim();
  ArmState state;
  state.mu_hat.setZero(d);
  state.inverse =
      Eigen::MatrixXd::Identity(d, d) / estimation::ridge_or_default(problem.assumptions);
  return state;
}

void ArmState::take(const ArmQuestion& question) {
  const estimation::ConfidenceRegion& region = question.region;
  mu_hat = region.mu_hat();
  factor = question.estimate.gram().factor();
  forms = question.estimate.gram().root_inverse();
  inverse = question.screen.inverse();
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
  // An entry of A⁻¹ = F⁻ᵀF⁻¹ errs by γ times the norms of two columns of F⁻¹, all by γ‖F⁻¹‖².
  const double rounding = 1.5 * (static_cast<double>(d) + 4.0) * rounding::kUnit *
                          (from.inverse.trace() + to.inverse.trace());
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

}  // namespace foothold::selection
