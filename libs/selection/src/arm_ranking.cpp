#include "arm_ranking.hpp"

#include <algorithm>
#include <cmath>

#include "foothold/base/infinity.hpp"

namespace foothold::selection {
namespace {

// After so many refusals in a row it pays to screen all arms: that costs about as much as a few
// certificates where arms are few, and where they are many there may be many refusals to come.
constexpr int kRefusalsBeforeScreen = 2;

}  // namespace

ArmRanking::ArmRanking(const safety::Problem& problem, ArmOptimism optimism)
    : optimism_(optimism), screen_(problem), arm_(Eigen::VectorXd::Zero(problem.dim())) {
  const Eigen::Index d = problem.dim();
  forms_.linear.setZero(d);
  forms_.forms.setZero(d, d);
  forms_.offsets.setZero(d);
  forms_.count = d;
  forms_.is_triangular = optimism == ArmOptimism::Ellipsoid;
  forms_.gather =
      optimism == ArmOptimism::Ellipsoid ? Gather::SumOfSquares : Gather::LargestMagnitude;
}

void ArmRanking::compute_losses(const estimation::ConfidenceRegion& region,
                                const ArmBlock<double>& arms, bool is_padded) {
  if (losses_.size() < padded<double>(arms.count)) {
    losses_.resize(padded<double>(arms.count));
    spreads_.resize(losses_.size());
  }
  forms_.linear = region.mu_hat();
  if (optimism_ == ArmOptimism::Ellipsoid) {
    forms_.forms = region.factor_inverse().transpose();
  } else {
    forms_.forms = region.root_inverse();
  }
  evaluate(arms, is_padded, forms_, tail_, losses_.data(), spreads_.data());
  if (optimism_ == ArmOptimism::Ellipsoid) {
    for (Eigen::Index i = 0; i < arms.count; ++i) {
      losses_(i) -= region.radius() * std::sqrt(spreads_(i));
    }
  } else {
    losses_.head(arms.count) -= region.l1_radius() * spreads_.head(arms.count);
  }
}

// The heap's order: the smallest loss, then the first arm, on top.
bool ArmRanking::is_later(Eigen::Index left, Eigen::Index right) const {
  const double difference = losses_(left) - losses_(right);
  return difference > 0.0 || (!(difference < 0.0) && left > right);
}

// Screens what is left and brings it into order, except where nothing can be said.
void ArmRanking::drop_refused(const ArmQuestion& question, const ArmBlock<double>& arms,
                              const std::vector<Eigen::Index>* rows) {
  const std::vector<bool>& proved = question.proved;
  if (!proved.empty()) {
    spreads_ = losses_;
  }
  screen_.drop(question.estimate, question.region, question.certifier, arms, rows != nullptr,
               losses_);
  order_.clear();
  for (Eigen::Index i = 0; i < arms.count; ++i) {
    const Eigen::Index row = rows == nullptr ? i : (*rows)[static_cast<std::size_t>(i)];
    if (!proved.empty() && proved[static_cast<std::size_t>(row)]) {
      losses_(i) = spreads_(i);  // what was proved needs no certificate of today
    }
    if (losses_(i) < kInfinity) {
      order_.push_back(i);
    }
  }
  std::make_heap(order_.begin(), order_.end(),
                 [this](Eigen::Index left, Eigen::Index right) { return is_later(left, right); });
  is_ordered_ = true;
}

Eigen::Index ArmRanking::next(Eigen::Index count) {
  if (!is_ordered_) {
    Eigen::Index best = -1;
    double least = kInfinity;
    for (Eigen::Index i = 0; i < count; ++i) {
      if (losses_(i) < least) {
        least = losses_(i);
        best = i;
      }
    }
    return best;
  }
  if (order_.empty()) {
    return -1;
  }
  std::pop_heap(order_.begin(), order_.end(),
                [this](Eigen::Index left, Eigen::Index right) { return is_later(left, right); });
  const Eigen::Index best = order_.back();
  order_.pop_back();
  return best;
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
  const safety::Evidence evidence =
      question.certifier.rule().certified == safety::CertifiedSet::Union
          ? safety::Evidence::Either
          : safety::Evidence::Region;
  question.certifier.certify(question.estimate, question.region, arm_, evidence, certificate);
  return certificate.is_safe();
}

const ArmChoice& ArmRanking::choose(const ArmQuestion& question, const ArmBlock<double>& arms,
                                    const std::vector<Eigen::Index>* rows,
                                    safety::Certificate& certificate) {
  const auto row_of = [rows](Eigen::Index position) {
    return rows == nullptr ? position : (*rows)[static_cast<std::size_t>(position)];
  };
  compute_losses(question.region, arms, rows != nullptr);
  is_ordered_ = false;
  choice_ = {};
  for (int refusals = 0;; ++refusals) {
    if (refusals == kRefusalsBeforeScreen) {
      drop_refused(question, arms, rows);
    }
    const Eigen::Index position = next(arms.count);
    if (position < 0) {
      return choice_;
    }
    if (is_certified(question, arms, position, row_of(position), certificate)) {
      choice_ = {row_of(position), losses_(position), losses_(position)};
      return choice_;
    }
    losses_(position) = kInfinity;
  }
}

}  // namespace foothold::selection
