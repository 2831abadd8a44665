#pragma once

#include <algorithm>
#include <vector>

#include <Eigen/Core>

#include "foothold/selection/cone_program.hpp"

#include "box_active_set.hpp"
#include "face_minimum.hpp"
#include "quadratic_cone.hpp"

namespace foothold::selection {

// One centred cone over { Gu ≤ h }: as BoxActiveSet, with faces spanned by the null space of the
// active rows, and one change a step.
class RowActiveSet {
 public:
  explicit RowActiveSet(Eigen::Index dim);

  // min { vᵀu } over the cone and the rows of `program`, whose own cones are not looked at, from
  // the guess in `rows`, which is corrected on the way. Stops as soon as the minimum is proved to
  // be at least `cutoff`.
  ActiveSetStatus solve(const QuadraticCone& cone, const ConeProgram& program,
                        const Eigen::Ref<const Eigen::VectorXd>& v, double cutoff,
                        std::vector<Eigen::Index>& rows);

  // To be called when the rows of the program have changed.
  void forget_basis() noexcept { has_basis_ = false; }

  // The last iterate, as in BoxActiveSet; η of the rows in the guess, negative ones set to 0.
  [[nodiscard]] const Eigen::VectorXd& u() const noexcept { return u_; }
  [[nodiscard]] const Eigen::VectorXd& Q_u() const noexcept { return Q_u_; }
  [[nodiscard]] double tau() const noexcept { return face_.tau; }
  [[nodiscard]] double eta(std::size_t position) const {
    return std::max(eta_(static_cast<Eigen::Index>(position)), 0.0);
  }
  [[nodiscard]] double dual_bound() const noexcept { return dual_bound_; }
  [[nodiscard]] int steps() const noexcept { return steps_; }

 private:
  using Rows = std::vector<Eigen::Index>;

  // Orthonormal basis whose first columns span the active rows; drops dependent rows. Rows stay the
  // same from round to round, so the last basis nearly always serves again.
  void orthogonalize(const ConeProgram& program, Rows& rows);
  bool solve_face(const QuadraticCone& cone, const ConeProgram& program,
                  const Eigen::Ref<const Eigen::VectorXd>& v, const Rows& rows);
  void bound_iterate(const QuadraticCone& cone, const ConeProgram& program, const Rows& rows);
  bool drop_or_add(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v,
                   Rows& rows);

  FaceMinimum face_;
  Eigen::MatrixXd basis_;  // first `rank` columns: range of the active rows; rest: null space
  Eigen::MatrixXd R_;      // G_Wᵀ = basis(:, 1..rank) · R
  Eigen::VectorXd coefficients_;
  Eigen::VectorXd candidate_;
  Eigen::VectorXd fixed_;
  Eigen::VectorXd Q_fixed_;
  Eigen::MatrixXd Q_null_;
  Eigen::VectorXd u_;
  Eigen::VectorXd Q_u_;
  Eigen::VectorXd gradient_;
  Eigen::VectorXd eta_;  // multipliers of the working rows
  Rows basis_rows_;      // those that `basis_` belongs to
  bool has_basis_ = false;
  double dual_bound_ = 0.0;
  int steps_ = 0;
};

}  // namespace foothold::selection
