#pragma once

#include <cstdint>

#include <Eigen/Core>

#include "foothold/base/byte_stream.hpp"

namespace foothold::estimation {

/// A = λI + Σ x xᵀ and its Cholesky factor F, A = F Fᵀ, under rank-one updates.
///
/// A itself is summed in doubled precision, so that it carries no error worth speaking of
/// after any number of updates; F and F⁻¹ are updated in O(d²) and serve to solve with A. What they
/// have lost shows in residuals against A, and those are what `RidgeEstimate` bounds. F is computed
/// anew from A when a residual says so, F⁻¹ from F every `kRefreshEvery` updates. Not thread-safe.
class GramMatrix {
 public:
  /// λI. Requires dim ≥ 1 and λ positive and finite.
  GramMatrix(Eigen::Index dim, double ridge);

  [[nodiscard]] Eigen::Index dim() const noexcept { return factor_.rows(); }
  [[nodiscard]] double ridge() const noexcept { return ridge_; }

  /// Rounds between two computations of F⁻¹ from F: rare enough to cost nothing beside the updates,
  /// often enough that F⁻¹ errs by no more than a few hundred roundings of cond(F).
  static constexpr std::int64_t kRefreshEvery = 128;

  /// A ← A + x xᵀ. O(d²).
  void update(const Eigen::Ref<const Eigen::VectorXd>& x);
  /// The same for callers who know F⁻¹x, as computed with `factor_inverse`. Neither may lie in
  /// here.
  void update(const Eigen::Ref<const Eigen::VectorXd>& x, const Eigen::VectorXd& whitened);

  /// Computes F from A. O(d³). If A is not positive definite in floating point, keeps the F it
  /// has and returns false: an updated factor loses nothing that residuals do not show.
  bool refactor();

  /// False if A is not positive definite in floating point, or not finite: then nothing may
  /// be concluded from F.
  [[nodiscard]] bool is_usable() const noexcept { return is_usable_; }

  /// F, lower triangular; its strict upper triangle is zero.
  [[nodiscard]] const Eigen::MatrixXd& factor() const noexcept { return factor_; }
  /// F⁻ᵀ, upper triangular; its strict lower triangle is zero.
  [[nodiscard]] const Eigen::MatrixXd& root_inverse() const noexcept { return root_inverse_; }
  /// F⁻¹, the same by rows.
  [[nodiscard]] const Eigen::MatrixXd& factor_inverse() const noexcept { return factor_inverse_; }
  /// A, rounded once.
  [[nodiscard]] const Eigen::MatrixXd& matrix() const noexcept { return high_; }
  /// What the rounding of `matrix` left: A = matrix + matrix_low up to ~n·2⁻¹⁰⁴|A|.
  [[nodiscard]] const Eigen::MatrixXd& matrix_low() const noexcept { return low_; }
  /// A bound on max_ij |A − (matrix + matrix_low)|_ij from the sums and from underflow.
  [[nodiscard]] double representation_error() const;
  /// What z − Ay, computed plainly from `matrix`, errs by in norm for every unit of ‖y‖; see also
  /// `plain_share`.
  [[nodiscard]] double product_error() const noexcept { return product_error_; }
  /// tr(A) ≥ ‖A‖_F, in plain arithmetic.
  [[nodiscard]] double trace() const noexcept { return trace_; }
  /// tr(F⁻ᵀF⁻¹), in plain arithmetic.
  [[nodiscard]] double inverse_trace() const noexcept { return inverse_trace_; }
  /// The largest entry of A, in plain arithmetic.
  [[nodiscard]] double largest() const noexcept { return largest_; }
  /// The number of updates.
  [[nodiscard]] double updates() const noexcept { return updates_; }

  /// Whether F⁻¹ is that before the last update but for its rotations. Then, with x = `added` and
  /// v = `removed`, A has gained xxᵀ and G = F⁻ᵀF⁻¹ has lost vvᵀ, the latter up to a matrix of norm
  /// `rotation_share`·tr(G). For those who keep something derived from G.
  [[nodiscard]] bool has_rotated() const noexcept { return has_rotated_; }
  [[nodiscard]] const Eigen::VectorXd& added() const noexcept { return added_; }
  [[nodiscard]] const Eigen::VectorXd& removed() const noexcept { return rotated_; }
  /// Each rotation turns two entries of a column of [F⁻¹; 0] up to 13u of their norm, its cosine
  /// and sine erring by 10u at most. One of the two is an entry of F⁻¹, all of which sum up to
  /// √d‖f‖ at most for a column f; the other collects sines times entries, and with growth t of det
  /// A the squares of the sines sum up to log t. Hence f errs by 13u(√d + d√(log t))‖f‖, and G by
  /// twice that.
  [[nodiscard]] double rotation_share() const;

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  template <int Fixed>
  void update_sized(const double* x, const double* whitened);
  void summarise();
  template <int Fixed>
  void summarise_sized();
  void invert_factor();

  double ridge_;
  Eigen::MatrixXd high_;
  Eigen::MatrixXd low_;
  Eigen::MatrixXd factor_;
  Eigen::MatrixXd root_inverse_;
  Eigen::MatrixXd factor_inverse_;
  Eigen::MatrixXd fresh_;     // workspace of refactor
  Eigen::VectorXd added_;     // x of the last update
  Eigen::VectorXd rotated_;   // what its rotations made of it: v
  Eigen::VectorXd whitened_;  // workspaces of the update
  Eigen::VectorXd cosines_;
  Eigen::VectorXd sines_;
  double trace_ = 0.0;
  double inverse_trace_ = 0.0;
  double largest_ = 0.0;
  double product_error_ = 0.0;
  double updates_ = 0.0;
  bool is_usable_ = true;
  bool has_rotated_ = false;
  bool has_past_ = false;  // an update since it was made or loaded
  double growth_ = 1.0;    // 1 + ‖F⁻¹x‖² of the last update
};

}  // namespace foothold::estimation
