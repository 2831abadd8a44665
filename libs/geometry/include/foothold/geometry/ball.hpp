#pragma once

#include <Eigen/Core>

namespace foothold::geometry {

/// { x ∈ ℝ^dim : ‖x‖₂ ≤ radius }.
class Ball {
 public:
  /// Throws `Error{InvalidArgument}` unless dim ≥ 1 and radius is positive and finite.
  Ball(Eigen::Index dim, double radius);

  [[nodiscard]] Eigen::Index dim() const noexcept { return dim_; }
  [[nodiscard]] double radius() const noexcept { return radius_; }

 private:
  Eigen::Index dim_;
  double radius_;
};

}  // namespace foothold::geometry
