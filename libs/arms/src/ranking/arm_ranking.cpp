#include "ranking/arm_ranking.hpp"

#include <algorithm>
#include <cmath>

#include "foothold/base/infinity.hpp"

namespace foothold::arms {
namespace {

// After so many refusals, or this share of all arms, all are screened at once: that costs about as
// much as so many looks at single arms, and there may be many more to come.
constexpr Eigen::Index kRefusalsBeforeDrop = 16;
constexpr Eigen::Index kShareBeforeDrop = 32;

// So few arms are screened at once wherever one would be: that costs less than a certificate.
constexpr Eigen::Index kFewArms = 64;

// After a refusal, for so many choices every arm is looked at before a certificate is asked for.
constexpr int kExpectation = 64;

}  // namespace

ArmRanking::ArmRanking(Eigen::Index dim, ArmOptimism optimism)
    : optimism_(optimism), arm_(Eigen::VectorXd::Zero(dim)) {}

void ArmRanking::reserve(Eigen::Index count) {
  if (losses_.size() < padded<double>(count)) {
    losses_.resize(padded<double>(count));
    spreads_.resize(losses_.size());
    order_.reserve(count);
  }
}

void ArmRanking::compute_losses(const ArmQuestion& question, const ArmBlock<double>& arms,
                                bool is_padded) {
  const estimation::ConfidenceRegion& region = question.region;
  const bool is_ellipsoid = optimism_ == ArmOptimism::Ellipsoid;
  reserve(arms.count);
  // The rows of F⁻¹, or those of H⁻ᵀ.
  const Eigen::MatrixXd& rows =
      is_ellipsoid ? question.estimate.gram().root_inverse() : region.root_inverse();
  const ArmForms<double> forms{
      .dim = region.dim(),
      .linear = region.mu_hat().data(),
      .forms = rows.data(),
      .is_triangular = is_ellipsoid,
      .gather = is_ellipsoid ? Gather::SumOfSquares : Gather::LargestMagnitude};
  evaluate(arms, is_padded, forms, tail_, losses_.data(), spreads_.data());
  // Whole lanes: what stands behind the last arm does no harm. Not by Eigen's root, which on some
  // CPUs is not rounded correctly.
  const Eigen::Index size = padded<double>(arms.count);
  const double radius = is_ellipsoid ? region.radius() : region.l1_radius();
  double* __restrict losses = losses_.data();
  const double* __restrict spreads = spreads_.data();
  for (Eigen::Index i = 0; i < size; ++i) {
    losses[i] -= radius * (is_ellipsoid ? std::sqrt(spreads[i]) : spreads[i]);
  }
}

// Rules out what the screen refuses.
void ArmRanking::drop_refused(const ArmQuestion& question, const ArmBlock<double>& arms,
                              const std::vector<Eigen::Index>* rows) {
  if (!question.screen.can_refuse()) {
    return;
  }
  const std::vector<bool>& proved = question.proved;
  if (!proved.empty()) {
    spreads_ = losses_;
  }
  question.screen.drop(arms, rows != nullptr, losses_);
  has_dropped_ = true;
  for (Eigen::Index i = 0; !proved.empty() && i < arms.count; ++i) {
    const Eigen::Index row = rows == nullptr ? i : (*rows)[static_cast<std::size_t>(i)];
    if (proved[static_cast<std::size_t>(row)]) {
      losses_(i) = spreads_(i);  // what was proved needs no certificate of today
    }
  }
}

bool ArmRanking::is_certified(const ArmQuestion& question, const ArmBlock<double>& arms,
                              Eigen::Index position, Eigen::Index row,
                              safety::Certificate& certificate) {
  if (!question.proved.empty() && question.proved[static_cast<std::size_t>(row)]) {
    return true;
  }
  for (Eigen::Index j = 0; j < arm_.size(); ++j) {
    arm_(j) = arms.data[j * arms.stride + position];
  }
  if (expects_refusals_ > 0 && !has_dropped_ && question.screen.can_refuse() &&
      question.screen.refuses(arm_)) {
    return false;
  }
  const safety::Evidence evidence = safety::admitted_evidence(question.certifier.rule().certified);
  question.certifier.certify(question.estimate, question.region, arm_, evidence, certificate);
  return certificate.is_safe();
}

Eigen::Index ArmRanking::refusals_before_drop(Eigen::Index count) const {
  if (count <= kFewArms) {
    return expects_refusals_ > 0 ? 0 : 1;
  }
  return expects_many_ ? 1 : std::max(kRefusalsBeforeDrop, count / kShareBeforeDrop);
}

const ArmChoice& ArmRanking::choose(const ArmQuestion& question, const ArmBlock<double>& arms,
                                    const std::vector<Eigen::Index>* rows,
                                    safety::Certificate& certificate) {
  const auto row_of = [rows](Eigen::Index position) {
    return rows == nullptr ? position : (*rows)[static_cast<std::size_t>(position)];
  };
  choice_ = {};
  if (arms.count == 0) {  // as a shortlist may be
    return choice_;
  }
  compute_losses(question, arms, rows != nullptr);
  has_dropped_ = false;
  const Eigen::Index drop_at = refusals_before_drop(arms.count);
  expects_many_ = false;
  if (drop_at > 0) {
    order_.begin(losses_, arms.count);
  }
  for (Eigen::Index refusals = 0;; ++refusals) {
    if (refusals == drop_at) {
      drop_refused(question, arms, rows);
      order_.begin(losses_, arms.count);
      expects_many_ = true;
    }
    const Eigen::Index position = order_.first();
    if (position < 0) {
      return choice_;
    }
    expects_refusals_ = refusals > 0 ? kExpectation : expects_refusals_;
    if (is_certified(question, arms, position, row_of(position), certificate)) {
      expects_refusals_ = std::max(expects_refusals_ - 1, 0);
      choice_ = {row_of(position), losses_(position), losses_(position)};
      return choice_;
    }
    losses_(position) = kInfinity;
    order_.look_again(position);
  }
}

}  // namespace foothold::arms
