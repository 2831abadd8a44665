#pragma once

#include <cstdint>

#include <Eigen/Core>

#include "foothold/base/byte_stream.hpp"
#include "foothold/base/double_double.hpp"
#include "foothold/base/hash.hpp"
#include "foothold/estimation/assumptions.hpp"
#include "foothold/estimation/gram_matrix.hpp"

namespace foothold::estimation {

/// Which radius β a region uses; all have the same guarantee.
enum class RadiusForm { Paper, LogDet, Mixture };

/// In which arithmetic the residuals behind a bound are evaluated. Bounds hold in both: the plain
/// ones leave about d·u·cond(A), the doubled ones d²u²·cond(A), and cost several times as much.
enum class Arithmetic { Plain, Doubled };

/// A direction z, in doubled precision if it has a low part: z = high + low up to a vector of
/// norm ≤ error.
struct Direction {
  Eigen::VectorXd high{};
  Eigen::VectorXd low{};
  double error = 0.0;
  bool has_low = true;  ///< If not, `low` is not looked at.
};

/// What is proved of a direction z, all rounding included.
struct DirectionBounds {
  double estimate = 0.0;   ///< μ̂ᵀz …
  double allowance = 0.0;  ///< … which differs from the exact one by at most this.
  double width = 0.0;      ///< An upper bound on ‖z‖_{A⁻¹}.
};

/// How the last observation changed A, in plain arithmetic: A⁻¹ lost yyᵀ/growth. For those who keep
/// something derived from A⁻¹ up to date in O(d²).
struct RankOneChange {
  Eigen::VectorXd y{};  ///< A⁻¹x with the A before the observation
  double growth = 1.0;  ///< 1 + xᵀA⁻¹x, by which det A grew
  Digest128 from{};     ///< The digest before the observation.
};

/// Bounds on bᵀA⁻¹b, all rounding included.
struct ExplainedBounds {
  double lower = 0.0;
  double upper = 0.0;
};

/// Ridge regression on losses ℓ = μᵀx + η, one observation at a time.
///
/// Notation (docs/algorithms/certificates.md):
///
///     n    number of observations
///     A    λI + Σ x xᵀ, held as its Cholesky factor F, A = F Fᵀ, and in doubled precision
///     b    Σ ℓ x
///     μ̂    A⁻¹ b
///
/// Only observed losses enter, so A, b and n always describe the same rounds,
/// as the radii require when feedback is late. Not thread-safe.
class RidgeEstimate {
 public:
  /// Throws `Error{InvalidArgument}` unless dim ≥ 1, the assumptions are valid and their
  /// `action_bound` is given. Digests start from `origin`: that of the problem and the options, if
  /// the estimate belongs to a policy.
  RidgeEstimate(Eigen::Index dim, const Assumptions& assumptions, const Digest128& origin = {});

  /// Adds one pair. Throws `Error{InvalidArgument}` on a wrong size, an entry
  /// that is not finite, ‖action‖ > L, or a sum that would overflow; then the estimate is
  /// unchanged. O(d²), no allocation.
  void observe(const Eigen::Ref<const Eigen::VectorXd>& action, double loss);

  /// Throws what `observe` would: lets a caller with several estimates add to all or none.
  void require_acceptable(const Eigen::Ref<const Eigen::VectorXd>& action, double loss) const;

  [[nodiscard]] Eigen::Index dim() const noexcept { return mu_hat_.size(); }
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }  ///< n
  [[nodiscard]] const Assumptions& assumptions() const noexcept { return assumptions_; }
  [[nodiscard]] double ridge() const noexcept { return gram_.ridge(); }  ///< λ
  [[nodiscard]] const GramMatrix& gram() const noexcept { return gram_; }
  [[nodiscard]] const Eigen::VectorXd& mu_hat() const noexcept { return mu_hat_; }  ///< μ̂
  /// An upper bound on ‖b − Aμ̂‖: how well μ̂ is known to solve Aμ̂ = b.
  [[nodiscard]] double residual_norm() const noexcept { return mu_solution_.residual_norm; }
  /// Fingerprint of the origin and of the bits of all observations in their order. Computed state
  /// has no part in it, so that a later version with other roundings gets the same one.
  [[nodiscard]] const Digest128& digest() const noexcept { return digest_; }

  /// What the last `observe` did to A; zero before the first.
  [[nodiscard]] const RankOneChange& last_change() const noexcept { return last_change_; }

  /// Radius β such that, with probability ≥ 1 − δ, ‖μ̂ − μ‖_A ≤ β at all rounds at once,
  /// rounded up:
  ///
  ///     Paper    β  = R √( d log((1 + nL²/λ)/δ) ) + √λ S              [AAT19, Thm. 1]
  ///     LogDet   β  = R √( 2 log(1/δ) + log det A − d log λ ) + √λ S  [AYPS11, Thm. 2]
  ///     Mixture  β² = R² ( 2 log(1/δ) + log det A − d log λ ) + λS²
  ///
  /// Mixture ≤ LogDet always, and LogDet ≤ Paper for d ≥ 2 (docs/algorithms/radii.md).
  /// Deviation from [AAT19, Thm. 1]: for d = 1 LogDet does not imply the stated form,
  /// so both forms are LogDet there.
  [[nodiscard]] double radius(RadiusForm form) const;

  /// log det A − d log λ, rounded up.
  [[nodiscard]] double log_det_ratio() const;

  /// Bounds μ̂ᵀz and ‖z‖_{A⁻¹} rigorously, whatever F has lost: both come from the residuals
  /// of two solves, evaluated against A and b, and A ⪰ λI.
  /// O(d²), no allocation. Requires a direction of this dimension, without a low part if plain.
  [[nodiscard]] DirectionBounds bounds(const Direction& z,
                                       Arithmetic arithmetic = Arithmetic::Doubled) const;

  /// `bounds` in plain arithmetic, for callers that know the dimension: `Fixed` is as
  /// `with_fixed_dim` gives it.
  template <int Fixed>
  [[nodiscard]] DirectionBounds plain_bounds(const Direction& z) const;

  /// bᵀA⁻¹b from both sides: what the estimate explains of Σℓ². O(d²), no allocation.
  [[nodiscard]] ExplainedBounds explained() const;

  /// ‖v − μ̂‖_A ≤ β, in plain arithmetic: for statistics, not for safety.
  [[nodiscard]] bool region_contains(const Eigen::VectorXd& v, double radius) const;

  void save(ByteWriter& out) const;
  /// Replaces the state by a saved one of the same dimension. Throws `Error{InvalidArgument,
  /// "snapshot"}` if the bytes hold none; then the estimate is unchanged.
  void load(ByteReader& in);

 private:
  // Upper bounds on the norms of a direction's parts, the second a coarse one: it matters in second
  // order only.
  struct DirectionNorms {
    double high = 0.0;
    double low = 0.0;
  };
  // A vector y, meant to be A⁻¹z, and what is known of s = z − A y.
  struct Solution {
    double residual_norm = 0.0;   // upper bound on ‖s‖
    double residual_error = 0.0;  // upper bound on the error of the computed s
    double y_norm = 0.0;          // upper bound on ‖y‖, coarse for widths in doubled precision
  };
  // What plain arithmetic proves of a width; F⁻¹z and y are in the workspaces.
  struct PlainWidth {
    double width = 0.0;
    double width_sq = 0.0;
    double z_dot_y = 0.0;
    double slack = 0.0;    // how far above zᵀA⁻¹z the width's square may lie
    double y_norm = 0.0;   // upper bound on ‖y‖
    double s_width = 0.0;  // upper bound on ‖s‖/√λ
    double z_error = 0.0;  // what z leaves open of a product with it, for every unit of the other
  };
  // What is known of r = b − A μ̂ in doubled precision, for those who ask.
  struct SharpResidual {
    std::int64_t count = -1;  // of observations behind it
    Solution solution{};
    Eigen::VectorXd residual{};
  };
  // A radius is asked for several times a round, always in the same form.
  struct RadiusMemo {
    std::int64_t count = -1;  // of observations behind it
    RadiusForm form{};
    double radius = 0.0;
  };
  // The norm of `action_`, rounded up; throws if the pair cannot be observed.
  template <int Fixed>
  double accepted_norm(double loss) const;

  // The steps of `observe` and `bounds`, for a dimension that the compiler knows or for any.
  template <int Fixed>
  void observe_sized(const Eigen::Ref<const Eigen::VectorXd>& action, double loss);
  template <int Fixed>
  void take_action(const Eigen::Ref<const Eigen::VectorXd>& action) const;
  template <int Fixed>
  void add_to_loss_sum(double action_norm, double loss);
  template <int Fixed>
  void improve_mu_hat();
  template <int Fixed>
  [[nodiscard]] DirectionBounds bounds_of(const Direction& z) const;
  template <int Fixed>
  [[nodiscard]] PlainWidth bound_width_plainly(const Direction& z, double z_norm) const;
  template <int Fixed>
  double bound_width(const Direction& z, const DirectionNorms& norms, Solution& solution) const;
  template <int Fixed>
  Solution solve(const Direction& z, const DirectionNorms& norms, Eigen::VectorXd& y,
                 Eigen::VectorXd& residual) const;
  template <int Fixed>
  void apply_inverse(const Eigen::VectorXd& z, Eigen::VectorXd& y) const;
  template <int Fixed = Eigen::Dynamic>
  Solution judge(const Direction& z, const DirectionNorms& norms, const Eigen::VectorXd& y,
                 double y_norm, Eigen::VectorXd& residual) const;
  template <int Fixed>
  void judge_mu_hat();
  template <int Fixed>
  const SharpResidual& sharp_mu_residual() const;
  template <int Fixed>
  [[nodiscard]] static DirectionNorms norms_of(const Direction& z);

  Solution solve_with_factor(const Direction& z, const DirectionNorms& norms, Eigen::VectorXd& y,
                             Eigen::VectorXd& residual) const;
  template <int Fixed>
  void solve_for_mu_hat();
  [[nodiscard]] bool is_solved(double residual_norm, double z_dot_y) const;
  [[nodiscard]] double width_without_data(double norm) const;
  [[nodiscard]] double compute_radius(RadiusForm form) const;
  void require_plausible() const;
  void judge();

  Assumptions assumptions_;
  double log_inverse_delta_;   // log(1/δ)
  double root_ridge_;          // √λ
  double inverse_root_ridge_;  // 1/√λ, with two roundings
  double root_dim_;            // √d
  GramMatrix gram_;
  Direction loss_sum_;          // b
  double loss_sum_size_ = 0.0;  // its largest entry
  Eigen::VectorXd mu_hat_;      // μ̂
  Solution mu_solution_;  // what is known of r = b − A μ̂, by plain arithmetic if that is enough
  DoubleDouble log_det_ratio_{};  // Σ log(1 + ‖x‖²_{A⁻¹}), an upper bound up to its rounding
  std::int64_t count_ = 0;        // n
  Digest128 digest_;
  RankOneChange last_change_;

  mutable RadiusMemo radius_memo_{};
  mutable SharpResidual sharp_residual_;
  // Workspaces: `bounds` is const and allocates nothing.
  mutable Direction action_;
  mutable Eigen::VectorXd y_;
  mutable Eigen::VectorXd residual_;
  mutable Eigen::VectorXd correction_;
  mutable Eigen::VectorXd half_;
  mutable Eigen::VectorXd negated_;
  mutable Eigen::VectorXd errors_;
};

}  // namespace foothold::estimation
