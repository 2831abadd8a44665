#pragma once

#include <Eigen/Core>

namespace foothold::geometry {

/// { x : gᵢᵀx ≤ hᵢ for every row i }, bounded and with an interior. Redundant rows are allowed.
class Polytope {
 public:
  /// `normals` has one row gᵢᵀ per inequality, `offsets` the hᵢ. Throws
  /// `Error{InvalidArgument}` naming `normals` or `offsets` if there is no row, sizes differ, an
  /// entry is not finite, a row is zero, the set is unbounded, or it has no interior. Costs
  /// 2d + 1 linear programs, or 2d + 2: some seconds for d = 120 and 1,440 rows.
  Polytope(Eigen::MatrixXd normals, Eigen::VectorXd offsets);

  [[nodiscard]] Eigen::Index dim() const noexcept { return normals_.cols(); }
  [[nodiscard]] const Eigen::MatrixXd& normals() const noexcept { return normals_; }
  [[nodiscard]] const Eigen::VectorXd& offsets() const noexcept { return offsets_; }

  /// A box that contains the polytope: tight to rounding, and proved by the duals of the
  /// linear programs that found it.
  [[nodiscard]] const Eigen::VectorXd& lower() const noexcept { return lower_; }
  [[nodiscard]] const Eigen::VectorXd& upper() const noexcept { return upper_; }

  /// Strictly interior, for certain: the centre of a largest ball inside, or, if the set is too
  /// thin for doubles to tell that centre from the border, the same in units of the bounding box.
  [[nodiscard]] const Eigen::VectorXd& interior_point() const noexcept { return interior_point_; }

 private:
  Eigen::MatrixXd normals_;
  Eigen::VectorXd offsets_;
  Eigen::VectorXd lower_;
  Eigen::VectorXd upper_;
  Eigen::VectorXd interior_point_;
};

}  // namespace foothold::geometry
