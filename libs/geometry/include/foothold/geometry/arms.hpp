#pragma once

#include <Eigen/Core>

namespace foothold::geometry {

/// Finitely many actions, one per row, the same at every round.
class Arms {
 public:
  /// Throws `Error{InvalidArgument, "features"}` if there is no arm, no dimension, or an entry
  /// is not finite. Duplicates are allowed.
  explicit Arms(Eigen::MatrixXd features);

  [[nodiscard]] Eigen::Index dim() const noexcept { return features_.cols(); }
  [[nodiscard]] Eigen::Index count() const noexcept { return features_.rows(); }
  [[nodiscard]] const Eigen::MatrixXd& features() const noexcept { return features_; }

 private:
  Eigen::MatrixXd features_;
};

/// Finitely many actions that arrive with each ask.
class ContextualArms {
 public:
  /// Throws `Error{InvalidArgument, "dim"}` unless dim ≥ 1.
  explicit ContextualArms(Eigen::Index dim);

  [[nodiscard]] Eigen::Index dim() const noexcept { return dim_; }

 private:
  Eigen::Index dim_;
};

}  // namespace foothold::geometry
