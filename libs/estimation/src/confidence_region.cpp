#include "foothold/estimation/confidence_region.hpp"

#include <cmath>

#include "foothold/base/rounding.hpp"
#include "foothold/base/simd/fixed_dim.hpp"

namespace foothold::estimation {

ConfidenceRegion::ConfidenceRegion(Eigen::Index dim)
    : root_dim_(std::sqrt(static_cast<double>(dim))),
      mu_hat_(Eigen::VectorXd::Zero(dim)),
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
  digest_ = estimate.digest();
  radius_ = estimate.radius(radius);
  l1_radius_ = root_dim_ * radius_;
  trace_ = estimate.gram().trace();
  residual_norm_ = estimate.residual_norm();
  with_fixed_dim(dim(), [&](auto fixed) { copy<fixed.value>(estimate); });
  is_usable_ =
      estimate.gram().is_usable() &&
      (std::isfinite(inverse_trace_) || rounding::is_finite(estimate.gram().root_inverse())) &&
      rounding::is_finite(mu_hat_) && std::isfinite(l1_radius_);
  if (root == RootForm::Symmetric) {
    compute_symmetric_root(estimate.gram());
    is_usable_ = is_usable_ && rounding::is_finite(root_inverse_);
  }
}

template <int Fixed>
void ConfidenceRegion::copy(const RidgeEstimate& estimate) {
  const RankOneChange& change = estimate.last_change();
  last_change_.growth = change.growth;
  last_change_.from = change.from;
  fixed_view<Fixed>(last_change_.y) = fixed_view<Fixed>(change.y);
  fixed_view<Fixed>(mu_hat_) = fixed_view<Fixed>(estimate.mu_hat());
  const auto columns = fixed_view<Fixed>(estimate.gram().root_inverse());  // of H = Fᵀ
  fixed_view<Fixed>(root_inverse_) = columns;
  fixed_view<Fixed>(factor_inverse_) = fixed_view<Fixed>(estimate.gram().factor_inverse());
  inverse_trace_ = estimate.gram().inverse_trace();
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
