#include "foothold/estimation/confidence_region.hpp"

#include <cmath>

#include "foothold/base/fixed_dim.hpp"
#include "foothold/base/rounding.hpp"

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
      row_(dim),
      last_change_{.y = Eigen::VectorXd::Zero(dim)} {}

void ConfidenceRegion::update(const RidgeEstimate& estimate, RadiusForm radius, RootForm root) {
  const Eigen::Index d = dim();
  mu_hat_ = estimate.mu_hat();
  digest_ = estimate.digest();
  last_change_ = estimate.last_change();
  radius_ = estimate.radius(radius);
  l1_radius_ = std::sqrt(static_cast<double>(d)) * radius_;
  trace_ = estimate.gram().trace();
  residual_norm_ = estimate.residual_norm();
  const Eigen::MatrixXd& root_inverse = estimate.gram().root_inverse();  // of H = Fᵀ
  with_fixed_dim(d, [&](auto fixed) {
    const auto columns = fixed_view<fixed.value>(root_inverse);
    fixed_view<fixed.value>(factor_inverse_) = columns.transpose();
    inverse_trace_ = columns.squaredNorm();
  });
  is_usable_ = estimate.gram().is_usable() &&
               (std::isfinite(inverse_trace_) || rounding::is_finite(root_inverse)) &&
               rounding::is_finite(mu_hat_) && std::isfinite(l1_radius_);
  if (root == RootForm::Cholesky) {
    root_inverse_ = root_inverse;
  } else {
    compute_symmetric_root(estimate.gram());
    is_usable_ = is_usable_ && rounding::is_finite(root_inverse_);
  }
}

// A^{-1/2} of a 2 × 2 matrix in closed form. By Cayley–Hamilton A^{1/2} = (A + sI)/t with s = √det
// A, t = √(tr A + 2s), and A + sI has the determinant s t², so that A^{-1/2} = adj(A + sI)/(s t).
// s = F₁₁F₂₂ has no cancellation.
void ConfidenceRegion::compute_small_root(const GramMatrix& gram) {
  const Eigen::MatrixXd& A = gram.matrix();
  const double s = gram.factor()(0, 0) * gram.factor()(1, 1);
  const double t = std::sqrt(A(0, 0) + A(1, 1) + 2.0 * s);
  const double scale = 1.0 / (s * t);
  root_inverse_(0, 0) = (A(1, 1) + s) * scale;
  root_inverse_(1, 1) = (A(0, 0) + s) * scale;
  root_inverse_(0, 1) = -A(0, 1) * scale;
  root_inverse_(1, 0) = root_inverse_(0, 1);
}

// A^{-1/2} = V diag(e^{-1/2}) Vᵀ. The steps of SelfAdjointEigenSolver::compute one by one, because
// that allocates a workspace each time.
void ConfidenceRegion::compute_symmetric_root(const GramMatrix& gram) {
  if (dim() == 1) {
    root_inverse_(0, 0) = 1.0 / std::sqrt(gram.matrix()(0, 0));
    return;
  }
  if (dim() == 2) {
    compute_small_root(gram);
    return;
  }
  tridiagonal_.compute(gram.matrix());
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
