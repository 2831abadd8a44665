#pragma once

#include <Eigen/Core>

#include "foothold/geometry/dense_lp.hpp"

#include "direction_cell.hpp"

namespace foothold::selection {

// Kelley's model of the best bound of a cell. For every ν ≥ 0 a bound on the cell's minimum is
//
//     θ(ν) = min { μ̂ᵀx − β p(ν)ᵀy : x certified },    p(ν) a majorant of ‖·‖₂ on the cell,
//
// concave in ν. Known certified points (y_k, m_k = μ̂ᵀx_k) bound θ from above, and the model
//
//     max { t : t ≤ m_k − β p(ν)ᵀy_k for all k,  ν ≥ 0,  Σν ≤ N }
//
// proposes the next ν. Its multipliers α ≥ 0, Σα = 1, combine the points to one in the cell,
// where the relaxation is smallest as far as the model knows. Only proposals come from here:
// what counts as proved is θ(ν) itself.
class CutModel {
 public:
  explicit CutModel(Eigen::Index dim);

  void clear() noexcept { count_ = 0; }
  // Adds a point with its number; ignored if the model is full.
  void add(const Eigen::Ref<const Eigen::VectorXd>& y, double estimate, int id);

  // False if the linear program failed; then there is no proposal.
  bool solve(const DirectionCell& cell, double radius);

  [[nodiscard]] double value() const noexcept { return value_; }            // no θ is above
  [[nodiscard]] const Eigen::VectorXd& nu() const noexcept { return nu_; }  // the proposal
  [[nodiscard]] const Eigen::VectorXd& combination() const noexcept { return combination_; }

  [[nodiscard]] Eigen::Index count() const noexcept { return count_; }
  [[nodiscard]] int id(Eigen::Index k) const { return ids_(k); }
  [[nodiscard]] bool is_active(Eigen::Index k) const { return lp_.multipliers()(k) > 0.0; }

 private:
  void fill_rows(const DirectionCell& cell, double radius);

  Eigen::MatrixXd ys_;         // one point per column
  Eigen::VectorXd estimates_;  // m_k
  Eigen::VectorXi ids_;
  Eigen::Index count_ = 0;
  Eigen::MatrixXd G_;
  Eigen::VectorXd h_;
  Eigen::VectorXd objective_;
  Eigen::VectorXd start_;
  Eigen::VectorXd slacks_;
  Eigen::VectorXd p_;
  Eigen::VectorXd nu_;
  Eigen::VectorXd combination_;
  double value_ = 0.0;
  geometry::DenseLp lp_;
};

}  // namespace foothold::selection
