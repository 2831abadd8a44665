#pragma once

#include <Eigen/Core>

#include "foothold/estimation/confidence_region.hpp"
#include "foothold/gap/gap_bound.hpp"

#include "minimum/cross_polytope_minimum.hpp"

namespace foothold::gap {

// The function v ↦ zᵀv on the region, in whitened coordinates: centre + slopeᵀω. Its extremes are
// those of `safety::SafeSet` for the same z, rounding included. They are computed from the form,
// because rows cut the region and the same form then has other extremes.
struct RegionForm {
  double centre = 0.0;
  Eigen::VectorXd slope{};
  double reach = 0.0;     // the dual norm of the slope: max slopeᵀω over the region
  double rounding = 0.0;  // what zᵀv may differ from the above by, anywhere in the region

  [[nodiscard]] double lowest() const { return centre - reach - rounding; }
  [[nodiscard]] double highest() const { return centre + reach + rounding; }
};

// The smallest value of a linear function over the confidence region cut by half-spaces:
//
//     min { zᵀv : v = μ̂ + Tω, ‖ω‖ ≤ 1, row_i: aᵢᵀv ≤ bᵢ },
//
// with ‖·‖ the Euclidean norm and T = βF⁻ᵀ, or the ℓ₁ norm and T = √dβH⁻¹. In whitened
// coordinates, rows scaled to dual norm 1, Rω ≤ s, every η ≥ 0 proves
//
//     min pᵀω ≥ −‖p + Rᵀη‖_* − sᵀη,
//
// and a ray η with −‖Rᵀη‖_* − sᵀη > 0 proves that no ω is left. What is returned is such a bound
// less its rounding; the solvers only have to find a good η.
class RegionProgram {
 public:
  RegionProgram(Eigen::Index dim, GapRegion kind);

  // Takes over a region and drops all rows.
  void load(const estimation::ConfidenceRegion& region);

  [[nodiscard]] Eigen::Index dim() const noexcept { return transform_.cols(); }
  [[nodiscard]] const Eigen::VectorXd& mu_hat() const noexcept { return mu_hat_; }
  [[nodiscard]] const Eigen::MatrixXd& transform() const noexcept { return transform_; }  // T
  // The largest ‖v − μ̂‖₂ over the region, rounded up generously.
  [[nodiscard]] double euclidean_radius() const;

  [[nodiscard]] RegionForm form(const Eigen::Ref<const Eigen::VectorXd>& z) const;
  // The form of z₁ − z₂.
  [[nodiscard]] RegionForm difference(const RegionForm& first, const RegionForm& second) const;

  void clear_rows();
  // Cuts the region by form ≤ limit, loosened by the form's rounding. Rows that cut nothing are
  // left out.
  void add_row(const RegionForm& form, double limit);
  // A single row missed the region altogether.
  [[nodiscard]] bool is_empty() const noexcept { return is_empty_; }

  // A lower bound on the form over what is left; +∞ if it is proved that nothing is left.
  [[nodiscard]] double minimum(const RegionForm& form);
  // An upper bound; −∞ if nothing is left.
  [[nodiscard]] double maximum(const RegionForm& form);

  [[nodiscard]] Eigen::Index solves() const noexcept { return solves_; }

 private:
  [[nodiscard]] double dual_norm(const Eigen::VectorXd& p) const;
  [[nodiscard]] double slope_minimum(const Eigen::VectorXd& p);
  [[nodiscard]] double one_row_ball_minimum(const Eigen::VectorXd& p) const;
  [[nodiscard]] double one_row_cross_polytope_minimum(const Eigen::VectorXd& p) const;
  [[nodiscard]] double proved_minimum(const Eigen::VectorXd& p, const Eigen::VectorXd& eta) const;
  [[nodiscard]] bool proves_empty(const Eigen::VectorXd& eta) const;

  GapRegion kind_;
  Eigen::VectorXd mu_hat_;
  Eigen::MatrixXd transform_;
  Eigen::MatrixXd rows_;  // R, the first `count_` rows of it
  Eigen::VectorXd offsets_;
  Eigen::Index count_ = 0;
  bool is_empty_ = false;
  CrossPolytopeMinimum cross_polytope_;
  Eigen::Index solves_ = 0;
};

}  // namespace foothold::gap
