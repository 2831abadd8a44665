#include "arm_shortlist.hpp"

#include <algorithm>
#include <cmath>

namespace foothold::selection {
namespace {

// Widths may grow by this share and be blurred by this share of a typical one: above all that
// double precision loses, below all that single precision sees.
constexpr double kWidthTolerance = 1e-7;

// Latitudes: the smallest that is tried, and the largest.
constexpr double kLeastLatitude = 1.0 / 64.0;
constexpr double kLargestLatitude = 1.0;
// Widths shrink faster than the rest moves, and matter only for arms that are refused.
constexpr double kShrinkage = 4.0;

// A list that served for fewer rounds was not worth its latitude; the pauses after such lists.
constexpr int kWorthwhileRounds = 3;
constexpr int kLongestPause = 64;

// Beyond these, squares of what is tracked could leave the range of single precision.
constexpr double kLargestMagnitude = 1e12;
constexpr double kLeastWidth = 1e-10;

// A part of a change of μ̂ that is left out must be this much smaller than what counts.
constexpr double kLargestShift = 1e-6;

// The squares tracked are computed anew when their error reaches this share of a typical one.
constexpr double kLargestError = 0.01;

}  // namespace

ArmShortlist::ArmShortlist(const safety::Problem& problem, const Eigen::MatrixXd& features)
    : features_(&features),
      tracked_(problem, features),
      latitude_(kLeastLatitude),
      ratio_(problem.dim(), problem.dim()),
      change_(problem.dim(), problem.dim()),
      vectors_(problem.dim(), problem.dim()),
      shift_(problem.dim()),
      rotated_(problem.dim()),
      cholesky_(problem.dim()) {
  table_.reserve(2 * most(), problem.dim());
  rows_.reserve(2 * most());
  const Eigen::Index d = problem.dim();
  const double ridge = estimation::ridge_or_default(problem.assumptions);
  listed_.mu_hat.setZero(d);
  listed_.inverse = Eigen::MatrixXd::Identity(d, d) / ridge;
}

void ArmShortlist::look(const ArmQuestion& question) {
  const estimation::ConfidenceRegion& region = question.region;
  const Eigen::Index d = region.dim();
  state_.mu_hat = region.mu_hat();
  state_.factor = question.estimate.gram().factor();
  state_.forms = region.factor_inverse().transpose();
  state_.radius = region.radius();
  state_.log_det = 2.0 * state_.factor.diagonal().array().log().sum();
  state_.scale = state_.forms.norm() / std::sqrt(static_cast<double>(d));
  state_.can_refuse = question.screen.can_refuse();
}

bool ArmShortlist::is_current(const ArmQuestion& question) {
  look(question);
  const safety::SafetyRule& rule = question.certifier.rule();
  const bool is_current = has_list_ && rule.caution == rule_.caution &&
                          rule.certified == rule_.certified && proved_ == question.proved &&
                          is_close();
  served_ += is_current ? 1 : 0;
  return is_current;
}

// Whether the state is within the outlook of the list. With T = F⁻¹F_s, the F_s that of the list:
// ‖x‖_{A⁻¹} ≤ ‖T‖‖x‖_{A_s⁻¹}, so T Tᵀ ⪯ (1 + ε)I proves that widths did not grow; then none of
// the eigenvalues of TTᵀ is below their product, but for ε, and that is det A_s/det A.
bool ArmShortlist::is_close() {
  const double L = used_latitude_;
  const auto d = static_cast<double>(shift_.size());
  if (!(state_.radius >= listed_.radius && state_.radius <= (1.0 + L) * listed_.radius &&
        state_.log_det - listed_.log_det <= 2.0 * std::log1p(kShrinkage * L) &&
        (state_.can_refuse || !listed_.can_refuse))) {
    return false;
  }
  // |Δᵀx| = |hᵀF_s⁻¹x + (Δ − F_s⁻ᵀh)ᵀx| for every h.
  shift_ = state_.mu_hat - listed_.mu_hat;
  rotated_.noalias() = listed_.factor.triangularView<Eigen::Lower>().transpose() * shift_;
  const double drift = rotated_.norm();
  shift_.noalias() -= listed_.forms.triangularView<Eigen::Upper>() * rotated_;
  const double blur = kWidthTolerance * listed_.scale;
  if (!(drift <= L * listed_.radius && shift_.norm() <= 0.5 * blur)) {
    return false;
  }
  // What F_s⁻¹ is off from the inverse of F_s shows in T F_s⁻¹ − F⁻¹.
  ratio_.noalias() = state_.forms.transpose() * listed_.factor.triangularView<Eigen::Lower>();
  change_.noalias() = ratio_ * listed_.forms.transpose();
  change_ -= state_.forms.transpose();
  if (!(change_.norm() <= 0.5 * blur)) {
    return false;
  }
  change_.noalias() = ratio_ * ratio_.transpose();
  change_ *= -1.0;
  change_.diagonal().array() += 1.0 + kWidthTolerance / d;
  cholesky_.compute(change_);
  return cholesky_.info() == Eigen::Success;
}

ArmOutlook ArmShortlist::outlook(double latitude) const {
  // The list must still serve when every one of these is reached; `is_close` watches them.
  return {.radius = state_.radius,
          .largest_radius = (1.0 + latitude) * (1.0 + 2.0 * kWidthTolerance) * state_.radius,
          .drift = latitude * state_.radius,
          .shrinkage = (1.0 - 2.0 * kWidthTolerance) / (1.0 + kShrinkage * latitude),
          .blur = kWidthTolerance * state_.scale,
          .can_refuse = state_.can_refuse};
}

bool ArmShortlist::is_in_range() const {
  const double r = tracked_.largest_norm();
  return tracked_.is_usable() && state_.mu_hat.norm() * r <= kLargestMagnitude &&
         state_.radius * (1.0 + state_.scale * r) <= kLargestMagnitude &&
         state_.scale * r >= kLeastWidth;
}

// A_s⁻¹ − A⁻¹ = VVᵀ + remainder with few columns, by a Cholesky factorisation with pivots that
// stops early: after one observation there is one column. The change of μ̂ lies in the span of V, in
// exact arithmetic; its weights follow from the rows of the pivots, and what they leave is the
// remainder. False if that takes too many columns.
bool ArmShortlist::factor_change() {
  const Eigen::Index d = shift_.size();
  const double enough = 1e-8 * state_.scale * state_.scale;
  shift_ = state_.mu_hat - listed_.mu_hat;
  change_ = listed_.inverse - state_.inverse;
  for (rank_ = 0;; ++rank_) {
    remainder_ = change_.norm() + 1e-12 * listed_.inverse.norm();
    if (remainder_ <= enough) {
      return shift_.norm() <= kLargestShift * state_.radius * state_.scale;
    }
    Eigen::Index pivot = 0;
    const double largest = change_.diagonal().maxCoeff(&pivot);
    if (4 * rank_ >= 3 * d || !(largest > 0.0)) {
      return false;
    }
    vectors_.col(rank_) = change_.col(pivot) / std::sqrt(largest);
    change_.noalias() -= vectors_.col(rank_) * vectors_.col(rank_).transpose();
    rotated_(rank_) = shift_(pivot) / vectors_(pivot, rank_);
    shift_ -= rotated_(rank_) * vectors_.col(rank_);
  }
}

void ArmShortlist::plan_sweep() {
  state_.inverse.noalias() = state_.forms * state_.forms.transpose();
  const double typical = state_.scale * tracked_.largest_norm();
  if (has_sweep_ && tracked_.square_error() <= kLargestError * typical * typical &&
      factor_change()) {
    tracked_.plan_update({.V = vectors_,
                          .rank = rank_,
                          .remainder = remainder_,
                          .weights = rotated_,
                          .shift_remainder = shift_.norm(),
                          .mu_hat = state_.mu_hat});
  } else {
    tracked_.plan_refresh(state_.forms, state_.mu_hat);
  }
  std::swap(listed_, state_);
  state_ = listed_;
  has_sweep_ = true;
}

std::size_t ArmShortlist::most() const {
  return static_cast<std::size_t>(std::max<Eigen::Index>(256, features_->rows() / 512));
}

void ArmShortlist::list(double latitude) {
  const double allowance = latitude * state_.radius * state_.scale * tracked_.largest_norm();
  const double best = tracked_.sweep(outlook(latitude), rule_, allowance);
  used_latitude_ = latitude;
  limit_ = best + allowance;
  tracked_.collect(limit_, latitude > 0.0 ? most() : features_->size(), rows_);
}

double ArmShortlist::next_latitude() {
  if (used_latitude_ > 0.0) {
    if (served_ < kWorthwhileRounds) {
      pause_ = next_pause_;
      next_pause_ = std::min(2 * next_pause_, kLongestPause);
    } else {
      next_pause_ = 1;
      if (8 * rows_.size() <= most()) {
        latitude_ = std::min(2.0 * latitude_, kLargestLatitude);
      }
    }
  }
  return pause_-- > 0 ? 0.0 : latitude_;
}

bool ArmShortlist::renew(const ArmQuestion& question) {
  has_list_ = false;
  if (!is_in_range()) {
    return false;
  }
  if (proved_ != question.proved) {
    proved_ = question.proved;
    has_sweep_ = tracked_.set_proved(proved_) && has_sweep_;
  }
  rule_ = question.certifier.rule();
  plan_sweep();
  const double latitude = next_latitude();
  list(latitude);
  if (rows_.size() > most() && latitude > 0.0) {
    latitude_ = std::max(0.5 * latitude_, kLeastLatitude);
    list(0.0);
  }
  served_ = 1;
  if (4 * static_cast<Eigen::Index>(rows_.size()) > features_->rows()) {
    return false;
  }
  table_.assign(*features_, rows_);
  has_list_ = true;
  return true;
}

}  // namespace foothold::selection
