#pragma once

#include <algorithm>
#include <vector>

#include <Eigen/Core>

#include "foothold/cone/active_set/box_active_set.hpp"
#include "foothold/cone/active_set/face_minimum.hpp"
#include "foothold/cone/active_set/row_basis.hpp"
#include "foothold/cone/cone_program.hpp"
#include "foothold/cone/quadratic_cone.hpp"

namespace foothold::cone {

// One centred cone over { Gu ≤ h }: as BoxActiveSet, with faces spanned by the null space of the
// active rows, and one change a step.
class RowActiveSet {
 public:
  explicit RowActiveSet(Eigen::Index dim);

  // Takes over the rows of the programs to come. Allocates if their number is new.
  void load(const Eigen::MatrixXd& G);

  // min { vᵀu } over the cone and the rows of `program`, whose own cones are not looked at, from
  // the guess in `rows`, which is corrected on the way. Stops as soon as the minimum is proved to
  // be at least `cutoff`.
  ActiveSetStatus solve(const QuadraticCone& cone, const ConeProgram& program,
                        const Eigen::Ref<const Eigen::VectorXd>& v, double cutoff,
                        std::vector<Eigen::Index>& rows, RowBasis& basis);

  // As above without the cone, if the vertex that `rows` (d of them) define is still the minimum
  // over the rows; false if it is not.
  bool solve_vertex(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v,
                    std::vector<Eigen::Index>& rows, RowBasis& basis);
  // After `solve_vertex`, for a cone that cuts its vertex off: drops the row whose multiplier
  // vanishes first as that of the cone grows, so that the guess lets the point off the vertex.
  void release_row(const QuadraticCone& cone, std::vector<Eigen::Index>& rows,
                   const RowBasis& basis);

  // Column i is the normal of row i.
  [[nodiscard]] auto row(Eigen::Index i) const { return normals_.col(i); }

  // The last iterate, as in BoxActiveSet; η of the rows in the guess, negative ones set to 0.
  [[nodiscard]] const Eigen::VectorXd& u() const noexcept { return u_; }
  [[nodiscard]] const Eigen::VectorXd& image() const noexcept { return Q_u_; }
  [[nodiscard]] const Eigen::VectorXd& values() const noexcept { return values_; }  // Gu
  [[nodiscard]] double tau() const noexcept { return face_.tau; }
  [[nodiscard]] double eta(std::size_t position) const {
    return std::max(eta_(static_cast<Eigen::Index>(position)), 0.0);
  }
  [[nodiscard]] double dual_bound() const noexcept { return dual_bound_; }
  [[nodiscard]] int steps() const noexcept { return steps_; }

 private:
  using Rows = std::vector<Eigen::Index>;

  bool solve_face(const QuadraticCone& cone, const ConeProgram& program,
                  const Eigen::Ref<const Eigen::VectorXd>& v, const Rows& rows,
                  const RowBasis& basis);
  void bound_iterate(const QuadraticCone& cone, const ConeProgram& program, const Rows& rows);
  bool drop_or_add(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v,
                   Rows& rows);

  FaceMinimum face_;
  Eigen::MatrixXd normals_;  // Gᵀ: inner loops run along columns
  Eigen::VectorXd lengths_;  // of the normals
  Eigen::VectorXd values_;   // Gu
  Eigen::VectorXd coefficients_;
  Eigen::VectorXd fixed_;
  Eigen::VectorXd Q_fixed_;
  Eigen::MatrixXd Q_null_;
  Eigen::VectorXd u_;
  Eigen::VectorXd Q_u_;
  Eigen::VectorXd gradient_;
  Eigen::VectorXd eta_;  // multipliers of the working rows
  double dual_bound_ = 0.0;
  int steps_ = 0;
};

}  // namespace foothold::cone
