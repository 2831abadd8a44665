#include "foothold/selection/arm_scan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace foothold::selection {

ArmScan::ArmScan(const safety::Problem& problem, ArmOptimism optimism)
    : problem_(&problem),
      optimism_(optimism),
      image_(Eigen::VectorXd::Zero(problem.dim())),
      arm_(Eigen::VectorXd::Zero(problem.dim())) {}

void ArmScan::rank(const estimation::ConfidenceRegion& region,
                   const Eigen::Ref<const Eigen::MatrixXd>& arms) {
  losses_.resize(arms.rows());
  losses_.noalias() = arms * region.mu_hat();
  for (Eigen::Index i = 0; i < arms.rows(); ++i) {
    arm_ = arms.row(i).transpose();
    if (optimism_ == ArmOptimism::Ellipsoid) {
      image_.noalias() = region.factor_inverse().triangularView<Eigen::Lower>() * arm_;
      losses_(i) -= region.radius() * image_.norm();
    } else {
      image_.noalias() = region.root_inverse().transpose() * arm_;
      losses_(i) -= region.l1_radius() * image_.cwiseAbs().maxCoeff();
    }
  }
}

const ArmChoice& ArmScan::choose(const estimation::RidgeEstimate& estimate,
                                 const estimation::ConfidenceRegion& region,
                                 const Eigen::Ref<const Eigen::MatrixXd>& arms,
                                 const std::vector<bool>& proved, safety::Certifier& certifier,
                                 safety::Certificate& certificate) {
  rank(region, arms);
  order_.resize(static_cast<std::size_t>(arms.rows()));
  for (std::size_t i = 0; i < order_.size(); ++i) {
    order_[i] = static_cast<Eigen::Index>(i);
  }
  // A heap with the smallest loss, then the smallest index, on top: most rounds look at a few.
  const auto is_later = [this](Eigen::Index left, Eigen::Index right) {
    const double difference = losses_(left) - losses_(right);
    return difference > 0.0 || (!(difference < 0.0) && left > right);
  };
  std::make_heap(order_.begin(), order_.end(), is_later);
  const safety::Evidence evidence = certifier.rule().certified == safety::CertifiedSet::Union
                                        ? safety::Evidence::Either
                                        : safety::Evidence::Region;
  choice_ = {};
  while (!order_.empty()) {
    std::pop_heap(order_.begin(), order_.end(), is_later);
    const Eigen::Index arm = order_.back();
    order_.pop_back();
    const bool is_proved = !proved.empty() && proved[static_cast<std::size_t>(arm)];
    if (!is_proved) {
      arm_ = arms.row(arm).transpose();
      certifier.certify(estimate, region, arm_, evidence, certificate);
    }
    if (is_proved || certificate.is_safe()) {
      choice_.arm = arm;
      choice_.optimistic_loss = losses_(arm);
      choice_.dual_bound = losses_(arm);
      break;
    }
  }
  return choice_;
}

}  // namespace foothold::selection
