#include "foothold/estimation/confidence_region.hpp"

#include <cmath>

namespace foothold::estimation {

ConfidenceRegion::ConfidenceRegion(Eigen::Index dim)
    : mu_hat_(Eigen::VectorXd::Zero(dim)),
      factor_inverse_(Eigen::MatrixXd::Zero(dim, dim)),
      root_inverse_(Eigen::MatrixXd::Zero(dim, dim)),
      tridiagonal_(dim),
      eigen_(dim),
      diagonal_(dim),
      subdiagonal_(dim - 1),
      reflections_(dim, dim),
      vectors_(dim, dim),
      row_(dim) {}

void ConfidenceRegion::update(const RidgeEstimate& estimate, RadiusForm radius, RootForm root) {
  const Eigen::Index d = dim();
  mu_hat_ = estimate.mu_hat();
  digest_ = estimate.digest();
  last_change_ = estimate.last_change();
  radius_ = estimate.radius(radius);
  l1_radius_ = std::sqrt(static_cast<double>(d)) * radius_;
  factor_inverse_.setIdentity();
  estimate.gram().factor().triangularView<Eigen::Lower>().solveInPlace(factor_inverse_);
  if (root == RootForm::Cholesky) {
    root_inverse_ = factor_inverse_.transpose();  // H = Fᵀ
  } else {
    compute_symmetric_root(estimate.gram().matrix());
  }
  is_usable_ = estimate.gram().is_usable() && factor_inverse_.allFinite() &&
               root_inverse_.allFinite() && mu_hat_.allFinite() && std::isfinite(l1_radius_);
}

// A^{-1/2} = V diag(e^{-1/2}) Vᵀ. The steps of SelfAdjointEigenSolver::compute one by one, because
// that allocates a workspace each time.
void ConfidenceRegion::compute_symmetric_root(const Eigen::MatrixXd& gram) {
  if (dim() == 1) {
    root_inverse_(0, 0) = 1.0 / std::sqrt(gram(0, 0));
    return;
  }
  tridiagonal_.compute(gram);
  diagonal_ = tridiagonal_.diagonal();
  subdiagonal_ = tridiagonal_.subDiagonal();
  tridiagonal_.matrixQ().evalTo(reflections_, row_);
  eigen_.computeFromTridiagonal(diagonal_, subdiagonal_);
  vectors_.noalias() = reflections_ * eigen_.eigenvectors();
  reflections_ = vectors_;
  for (Eigen::Index i = 0; i < dim(); ++i) {
    reflections_.col(i) /= std::sqrt(eigen_.eigenvalues()(i));
  }
  root_inverse_.noalias() = reflections_ * vectors_.transpose();
}

void ConfidenceRegion::vertex(Eigen::Index k, Eigen::Ref<Eigen::VectorXd> v) const {
  const double sign = k % 2 == 0 ? 1.0 : -1.0;
  v = mu_hat_ + (sign * l1_radius_) * root_inverse_.col(k / 2);
}

}  // namespace foothold::estimation
