#pragma once

#include <Eigen/Core>

#include "foothold/estimation/confidence_region.hpp"
#include "foothold/estimation/ridge_estimate.hpp"

namespace foothold::selection {

// Whether the region's F⁻¹ belongs to A so well that ‖z‖_{A⁻¹} is ‖F⁻¹z‖ but for a share kFidelity
// of it, for every z. A certificate is judged by A itself; what is to foresee its refusal must know
// how far F⁻¹ is off. O(d³).
class FactorFidelity {
 public:
  static constexpr double kFidelity = 1e-6;

  explicit FactorFidelity(Eigen::Index dim) : inverse_(dim, dim), product_(dim, dim) {}

  // Looks at a state.
  void look(const estimation::RidgeEstimate& estimate, const estimation::ConfidenceRegion& region);
  [[nodiscard]] bool holds() const noexcept { return holds_; }
  // G = F⁻ᵀF⁻¹, meant to be A⁻¹.
  [[nodiscard]] const Eigen::MatrixXd& inverse() const noexcept { return inverse_; }

 private:
  Eigen::MatrixXd inverse_;
  Eigen::MatrixXd product_;
  bool holds_ = false;
};

}  // namespace foothold::selection
