#pragma once

#include <cstdint>

#include <Eigen/Core>

#include "foothold/estimation/confidence_region.hpp"
#include "foothold/estimation/ridge_estimate.hpp"

namespace foothold::arms {

// How far a kept F⁻ᵀF⁻¹ is from that of the F⁻¹ of its state: by a matrix of this norm. Errors add
// up from one computation to the next, so two of the same computation have the older one in common.
struct InverseError {
  double norm = 0.0;
  std::int64_t computation = 0;
};

// Whether the region's F⁻¹ belongs to A so well that ‖z‖_{A⁻¹} is ‖F⁻¹z‖ but for a share kFidelity
// of it, for every z. A certificate is judged by A itself; what is to foresee its refusal must know
// how far F⁻¹ is off. O(d³), or O(d²) for the state after the one looked at last where that is
// less: docs/algorithms/arm_scan.md.
class FactorFidelity {
 public:
  static constexpr double kFidelity = 1e-6;

  explicit FactorFidelity(Eigen::Index dim)
      : inverse_(dim, dim), product_(dim, dim), image_(dim), inverse_image_(dim) {}

  // Looks at a state.
  void look(const estimation::RidgeEstimate& estimate, const estimation::ConfidenceRegion& region);
  [[nodiscard]] bool holds() const noexcept { return holds_; }
  // G = F⁻ᵀF⁻¹, meant to be A⁻¹ …
  [[nodiscard]] const Eigen::MatrixXd& inverse() const noexcept { return inverse_; }
  // … up to an error.
  [[nodiscard]] InverseError inverse_error() const noexcept {
    return {.norm = inverse_error_, .computation = computations_};
  }

 private:
  [[nodiscard]] bool can_follow(const estimation::RidgeEstimate& estimate,
                                const estimation::ConfidenceRegion& region) const;
  void follow(const estimation::GramMatrix& gram);
  void compute(const estimation::GramMatrix& gram, const estimation::ConfidenceRegion& region);
  void judge(double product_norm_sq);

  Eigen::MatrixXd inverse_;
  Eigen::MatrixXd product_;     // AG − I …
  double product_error_ = 0.0;  // … up to a matrix of this norm
  double inverse_error_ = 0.0;
  std::int64_t computations_ = 0;
  Digest128 digest_{};  // of the state looked at last
  bool has_looked_ = false;
  bool holds_ = false;
  Eigen::VectorXd image_;
  Eigen::VectorXd inverse_image_;
};

}  // namespace foothold::arms
