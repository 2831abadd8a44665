#pragma once

#include <Eigen/Core>

namespace foothold::geometry {

/// { x : lower ≤ x ≤ upper }, with lower < upper in every coordinate.
class Box {
 public:
  /// Throws `Error{InvalidArgument}` naming `lower` or `upper` if the box is empty of
  /// dimension, sizes differ, an entry is not finite, or lower < upper fails somewhere.
  Box(Eigen::VectorXd lower, Eigen::VectorXd upper);

  /// [−half_width, half_width]^dim.
  [[nodiscard]] static Box symmetric(Eigen::Index dim, double half_width);

  [[nodiscard]] Eigen::Index dim() const noexcept { return lower_.size(); }
  [[nodiscard]] const Eigen::VectorXd& lower() const noexcept { return lower_; }
  [[nodiscard]] const Eigen::VectorXd& upper() const noexcept { return upper_; }

 private:
  Eigen::VectorXd lower_;
  Eigen::VectorXd upper_;
};

}  // namespace foothold::geometry
