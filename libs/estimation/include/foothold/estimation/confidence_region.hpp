#pragma once

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include "foothold/estimation/ridge_estimate.hpp"

namespace foothold::estimation {

/// Which square root of A shapes the ℓ₁ region. Both give the same guarantee.
enum class RootForm {
  Symmetric,  ///< A^{1/2}, as [AAT19, App. D]; one eigendecomposition a round for d > 2.
  Cholesky    ///< Fᵀ, at no cost beyond the factor.
};

/// The regions of one state of the estimate, in plain arithmetic: what selection searches.
///
///     ellipsoid   C  = { v : ‖v − μ̂‖_A ≤ β }
///     ℓ₁          C₁ = { v : ‖H(v − μ̂)‖₁ ≤ √d β } ⊇ C,   HᵀH = A
///
/// C₁ has the 2d vertices μ̂ ± √d β H⁻¹eᵢ. What is finally released is certified against the
/// estimate itself, so nothing here decides safety. No allocation after construction.
class ConfidenceRegion {
 public:
  explicit ConfidenceRegion(Eigen::Index dim);

  /// Takes over a new state. O(d²); O(d³) for the symmetric root.
  void update(const RidgeEstimate& estimate, RadiusForm radius, RootForm root);

  [[nodiscard]] Eigen::Index dim() const noexcept { return mu_hat_.size(); }
  [[nodiscard]] const Eigen::VectorXd& mu_hat() const noexcept { return mu_hat_; }
  [[nodiscard]] double radius() const noexcept { return radius_; }        ///< β
  [[nodiscard]] double l1_radius() const noexcept { return l1_radius_; }  ///< √d β
  /// F⁻¹, so that ‖z‖_{A⁻¹} = ‖F⁻¹z‖₂.
  [[nodiscard]] const Eigen::MatrixXd& factor_inverse() const noexcept { return factor_inverse_; }
  /// H⁻¹, whose columns point to the vertices of C₁; ‖z‖ in the dual norm is ‖H⁻ᵀz‖_∞.
  [[nodiscard]] const Eigen::MatrixXd& root_inverse() const noexcept { return root_inverse_; }

  /// What rounding can make of a width and of an estimate hangs on these.
  [[nodiscard]] double trace() const noexcept { return trace_; }                  ///< tr(A)
  [[nodiscard]] double inverse_trace() const noexcept { return inverse_trace_; }  ///< tr(A⁻¹)
  [[nodiscard]] double residual_norm() const noexcept { return residual_norm_; }  ///< ‖b − Aμ̂‖

  /// Vertex number k < 2d of C₁: μ̂ + √d β H⁻¹eᵢ for k = 2i, minus for k = 2i + 1.
  void vertex(Eigen::Index k, Eigen::Ref<Eigen::VectorXd> v) const;

  /// The estimate's digest at the state taken over, and its last change: whoever has seen the state
  /// `last_change().from` may go on from there.
  [[nodiscard]] const Digest128& digest() const noexcept { return digest_; }
  [[nodiscard]] const RankOneChange& last_change() const noexcept { return last_change_; }

  /// False if the factor could not be used; then the region must not be searched.
  [[nodiscard]] bool is_usable() const noexcept { return is_usable_; }

 private:
  template <int Fixed>
  void copy(const RidgeEstimate& estimate);
  void compute_symmetric_root(const GramMatrix& gram);
  void compute_small_root(const GramMatrix& gram);

  double root_dim_;  // √d
  Eigen::VectorXd mu_hat_;
  Eigen::MatrixXd factor_inverse_;
  Eigen::MatrixXd root_inverse_;
  // Workspaces of the eigendecomposition for the symmetric root.
  Eigen::Tridiagonalization<Eigen::MatrixXd> tridiagonal_;
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen_;
  Eigen::VectorXd diagonal_;
  Eigen::VectorXd subdiagonal_;
  Eigen::MatrixXd reflections_;
  Eigen::MatrixXd vectors_;
  Eigen::VectorXd row_;
  double radius_ = 0.0;
  double l1_radius_ = 0.0;
  double trace_ = 0.0;
  double inverse_trace_ = 0.0;
  double residual_norm_ = 0.0;
  Digest128 digest_{};
  RankOneChange last_change_;
  bool is_usable_ = false;
};

}  // namespace foothold::estimation
