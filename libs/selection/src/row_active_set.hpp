#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/selection/cone_program.hpp"

#include "face_minimum.hpp"
#include "warm_start.hpp"

namespace foothold::selection {

// One centred cone over { Gu ≤ h }: as BoxActiveSet, with faces spanned by the null space of the
// active rows, and one change a step.
class RowActiveSet {
 public:
  explicit RowActiveSet(Eigen::Index dim);

  void load(const ConeProgram& program);
  bool solve(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v,
             WarmStart& warm, ConeSolution& solution);

 private:
  // Orthonormal basis whose first columns span the active rows; drops dependent rows.
  void orthogonalize(const ConeProgram& program, WarmStart& warm);
  bool solve_face(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v,
                  const WarmStart& warm);
  bool drop_or_add(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v,
                   WarmStart& warm);

  Eigen::MatrixXd Q_;
  FaceMinimum face_;
  Eigen::MatrixXd basis_;  // first `rank` columns: range of the active rows; rest: null space
  Eigen::MatrixXd R_;      // G_Wᵀ = basis(:, 1..rank) · R
  Eigen::VectorXd coefficients_;
  Eigen::VectorXd candidate_;
  Eigen::VectorXd fixed_;
  Eigen::VectorXd Q_fixed_;
  Eigen::MatrixXd Q_null_;
  Eigen::VectorXd u_;
  Eigen::VectorXd gradient_;
  Eigen::VectorXd eta_;  // multipliers of the working rows
};

}  // namespace foothold::selection
