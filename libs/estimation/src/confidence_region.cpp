#include "foothold/estimation/confidence_region.hpp"

#include <cmath>

namespace foothold::estimation {

ConfidenceRegion::ConfidenceRegion(Eigen::Index dim)
    : mu_hat_(Eigen::VectorXd::Zero(dim)),
      factor_inverse_(Eigen::MatrixXd::Zero(dim, dim)),
      root_inverse_(Eigen::MatrixXd::Zero(dim, dim)),
      scaled_(Eigen::MatrixXd::Zero(dim, dim)),
      eigen_(dim) {}

void ConfidenceRegion::update(const RidgeEstimate& estimate, RadiusForm radius, RootForm root) {
  const Eigen::Index d = dim();
  mu_hat_ = estimate.mu_hat();
  radius_ = estimate.radius(radius);
  l1_radius_ = std::sqrt(static_cast<double>(d)) * radius_;
  factor_inverse_.setIdentity();
  estimate.gram().factor().triangularView<Eigen::Lower>().solveInPlace(factor_inverse_);
  if (root == RootForm::Cholesky) {
    root_inverse_ = factor_inverse_.transpose();  // H = Fᵀ
  } else {
    eigen_.compute(estimate.gram().matrix());
    scaled_ = eigen_.eigenvectors();
    for (Eigen::Index i = 0; i < d; ++i) {
      scaled_.col(i) /= std::sqrt(eigen_.eigenvalues()(i));
    }
    root_inverse_.noalias() = scaled_ * eigen_.eigenvectors().transpose();
  }
  is_usable_ = estimate.gram().is_usable() && factor_inverse_.allFinite() &&
               root_inverse_.allFinite() && mu_hat_.allFinite() && std::isfinite(l1_radius_);
}

void ConfidenceRegion::vertex(Eigen::Index k, Eigen::Ref<Eigen::VectorXd> v) const {
  const double sign = k % 2 == 0 ? 1.0 : -1.0;
  v = mu_hat_ + (sign * l1_radius_) * root_inverse_.col(k / 2);
}

}  // namespace foothold::estimation
