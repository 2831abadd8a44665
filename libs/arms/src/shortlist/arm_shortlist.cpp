#include "shortlist/arm_shortlist.hpp"

#include <algorithm>
#include <utility>

namespace foothold::arms {
namespace {

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
      reach_(problem.dim()),
      change_(problem.dim()) {
  reach_.begin(ArmState::without_data(problem), 0.0);
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
  std::swap(previous_, state_);
  state_.take(question);
  const safety::SafetyRule& rule = question.certifier.rule();
  if (!(has_candidates_ && rule.caution == rule_.caution && rule.certified == rule_.certified &&
        proved_ == question.proved)) {
    return false;
  }
  const ArmChange change = change_.between(previous_, state_);
  if (!reach_.is_within(previous_, change, state_)) {
    return false;
  }
  ++served_;
  candidates_.plan(change);
  list_candidates();
  return true;
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
  const double best = all_.sweep(ArmReach::outlook(state_, latitude), rule_, allowance);
  candidate_limit_ = best + allowance;
  const auto most =
      static_cast<std::size_t>(latitude > 0.0 ? most_candidates() : features_->rows());
  all_.collect(candidate_limit_, most, candidate_rows_);
  return candidate_rows_.size() <= most;
}

// Of the candidates, those that may be the choice in the present state.
void ArmShortlist::list_candidates() {
  const double best = candidates_.sweep(ArmReach::outlook(state_, 0.0), rule_, 0.0);
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
  all_.plan(change_.between(reach_.start(), state_));
  const double latitude = latitude_.next();
  reach_.begin(state_, latitude);
  served_ = 1;
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

}  // namespace foothold::arms
