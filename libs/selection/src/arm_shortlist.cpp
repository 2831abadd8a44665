#include "arm_shortlist.hpp"

#include <algorithm>
#include <cmath>

namespace foothold::selection {
namespace {

// Widths may grow by this share and be blurred by this share of a typical one: above all that
// double precision loses, below all that single precision sees.
constexpr double kWidthTolerance = 1e-7;

// Widths shrink faster than the rest moves, and matter only for arms that are refused.
constexpr double kShrinkage = 4.0;

// Beyond these, squares of what is tracked could leave the range of single precision.
constexpr double kLargestMagnitude = 1e12;
constexpr double kLeastWidth = 1e-10;

// More candidates than this share of the arms are not worth being kept apart.
constexpr Eigen::Index kCandidateShare = 8;

}  // namespace

ArmShortlist::ArmShortlist(const safety::Problem& problem, const Eigen::MatrixXd& features)
    : features_(&features),
      all_(problem, features),
      candidates_(all_, most_candidates()),
      swept_(ArmState::without_data(problem)),
      change_(problem.dim()),
      ratio_(problem.dim(), problem.dim()),
      product_(problem.dim(), problem.dim()),
      shift_(problem.dim()),
      rotated_(problem.dim()),
      cholesky_(problem.dim()) {
  table_.reserve(2 * most(), problem.dim());
  rows_.reserve(2 * most());
  candidate_rows_.reserve(static_cast<std::size_t>(most_candidates()) + ArmProducts::kTile);
}

std::size_t ArmShortlist::most() const {
  return static_cast<std::size_t>(std::max<Eigen::Index>(256, features_->rows() / 512));
}

Eigen::Index ArmShortlist::most_candidates() const {
  return features_->rows() / kCandidateShare;
}

bool ArmShortlist::is_current(const ArmQuestion& question) {
  state_.take(question);
  const safety::SafetyRule& rule = question.certifier.rule();
  if (!(has_candidates_ && rule.caution == rule_.caution && rule.certified == rule_.certified &&
        proved_ == question.proved && is_close())) {
    return false;
  }
  ++served_;
  candidates_.plan(change_.between(candidate_state_, state_));
  list_candidates();
  return true;
}

// Whether the state is within the outlook of the list. With T = F⁻¹F_s, the F_s that of the list:
// ‖x‖_{A⁻¹} ≤ ‖T‖‖x‖_{A_s⁻¹}, so T Tᵀ ⪯ (1 + ε)I proves that widths did not grow; then none of
// the eigenvalues of TTᵀ is below their product, but for ε, and that is det A_s/det A.
bool ArmShortlist::is_close() {
  const double L = used_latitude_;
  const auto d = static_cast<double>(shift_.size());
  if (!(state_.radius >= swept_.radius && state_.radius <= (1.0 + L) * swept_.radius &&
        state_.log_det - swept_.log_det <= 2.0 * std::log1p(kShrinkage * L) &&
        (state_.can_refuse || !swept_.can_refuse))) {
    return false;
  }
  // |Δᵀx| = |hᵀF_s⁻¹x + (Δ − F_s⁻ᵀh)ᵀx| for every h.
  shift_ = state_.mu_hat - swept_.mu_hat;
  rotated_.noalias() = swept_.factor.triangularView<Eigen::Lower>().transpose() * shift_;
  const double drift = rotated_.norm();
  shift_.noalias() -= swept_.forms.triangularView<Eigen::Upper>() * rotated_;
  const double blur = kWidthTolerance * swept_.scale;
  if (!(drift <= L * swept_.radius && shift_.norm() <= 0.5 * blur)) {
    return false;
  }
  // What F_s⁻¹ is off from the inverse of F_s shows in T F_s⁻¹ − F⁻¹.
  ratio_.noalias() = state_.forms.transpose() * swept_.factor.triangularView<Eigen::Lower>();
  product_.noalias() = ratio_ * swept_.forms.transpose();
  product_ -= state_.forms.transpose();
  if (!(product_.norm() <= 0.5 * blur)) {
    return false;
  }
  product_.noalias() = ratio_ * ratio_.transpose();
  product_ *= -1.0;
  product_.diagonal().array() += 1.0 + kWidthTolerance / d;
  cholesky_.compute(product_);
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
  const double r = all_.largest_norm();
  return all_.is_usable() && state_.mu_hat.norm() * r <= kLargestMagnitude &&
         state_.radius * (1.0 + state_.scale * r) <= kLargestMagnitude &&
         state_.scale * r >= kLeastWidth;
}

// The arms that may be the choice while the state stays within the latitude. False if they are too
// many; without latitude there is no such limit.
bool ArmShortlist::name_candidates(double latitude) {
  const double allowance = latitude * state_.radius * state_.scale * all_.largest_norm();
  const double best = all_.sweep(outlook(latitude), rule_, allowance);
  used_latitude_ = latitude;
  candidate_limit_ = best + allowance;
  const auto most =
      static_cast<std::size_t>(latitude > 0.0 ? most_candidates() : features_->rows());
  all_.collect(candidate_limit_, most, candidate_rows_);
  return candidate_rows_.size() <= most;
}

// Of the candidates, those that may be the choice in the present state.
void ArmShortlist::list_candidates() {
  candidate_state_ = state_;
  const double best = candidates_.sweep(outlook(0.0), rule_, 0.0);
  limit_ = std::min(best, candidate_limit_);
  candidates_.collect(best, candidate_rows_.size(), rows_);
  for (Eigen::Index& row : rows_) {
    row = candidate_rows_[static_cast<std::size_t>(row)];
  }
  table_.assign(*features_, rows_);
}

bool ArmShortlist::renew(const ArmQuestion& question) {
  if (!is_in_range()) {
    has_candidates_ = false;
    return false;
  }
  if (has_candidates_) {
    latitude_.has_expired(served_, static_cast<double>(candidate_rows_.size()) /
                                       static_cast<double>(features_->rows()));
  }
  if (proved_ != question.proved) {
    proved_ = question.proved;
    all_.set_proved(proved_);
  }
  rule_ = question.certifier.rule();
  all_.plan(change_.between(swept_, state_));
  swept_ = state_;
  served_ = 1;
  const double latitude = latitude_.next();
  has_candidates_ = latitude > 0.0 && name_candidates(latitude);
  if (has_candidates_) {
    candidates_.assign(all_, candidate_rows_);
    list_candidates();
    return true;
  }
  if (latitude > 0.0) {
    latitude_.was_too_long();
  }
  name_candidates(0.0);
  if (4 * static_cast<Eigen::Index>(candidate_rows_.size()) > features_->rows()) {
    return false;
  }
  limit_ = candidate_limit_;
  table_.assign(*features_, candidate_rows_);
  return true;
}

}  // namespace foothold::selection
