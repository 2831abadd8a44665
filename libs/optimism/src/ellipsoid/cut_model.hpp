#pragma once

#include <vector>

#include <Eigen/Core>

#include "ellipsoid/direction_cell.hpp"

namespace foothold::optimism {

// Kelley's model of the best bound of a cell. For every ν ≥ 0 a bound on the cell's minimum is
//
//     θ(ν) = min { μ̂ᵀx − β p(ν)ᵀy : x certified },    p(ν) a majorant of ‖·‖₂ on the cell,
//
// concave in ν. Known certified points (y_k, m_k = μ̂ᵀx_k) bound θ from above, and the model
//
//     max { t : t ≤ m_k − β p(ν)ᵀy_k for all k,  ν ≥ 0,  Σν ≤ N }
//
// proposes the next ν. Its dual combines the points, α ≥ 0 and Σα = 1, to one in the cell, where
// the relaxation is smallest as far as the model knows:
//
//     min { Σ α_k c_k + Nβs : Σ α_k λ_k + s·1 ≥ −ε,  s ≥ 0 },   c_k = m_k − β p(0)ᵀy_k,
//
// λ_k the cell's slacks at y_k. It is solved by the simplex method with an explicit inverse,
// which goes on from its last basis when a point joins. ε is a perturbation against degeneracy:
// without a baseline the centre y = 0 is the apex of every cell. Only proposals come from here;
// what counts as proved is θ(ν) itself.
class CutModel {
 public:
  explicit CutModel(Eigen::Index dim);

  // Forgets all points; the cell must outlive the solves. Its `point` may change in between.
  void start(const DirectionCell& cell, double radius);
  // Adds a point with its number; ignored if the model is full.
  void add(const Eigen::Ref<const Eigen::VectorXd>& y, double estimate, int id);

  // False if there is nothing to propose: no point, or dimension 1.
  bool solve();

  [[nodiscard]] double value() const noexcept { return value_; }            // no θ is above
  [[nodiscard]] const Eigen::VectorXd& nu() const noexcept { return nu_; }  // the proposal
  [[nodiscard]] const Eigen::VectorXd& combination() const noexcept { return combination_; }

  // Adds the numbers of the points that the last combination is made of.
  void collect_active(std::vector<int>& ids) const;

 private:
  static constexpr Eigen::Index kArtificial = -1;
  // Variables by number: k ≥ 0 for α_k, −1 for s, −2 − i for the surplus of row i.

  void start_basis();
  void price_points();
  [[nodiscard]] double cost(Eigen::Index variable) const;
  [[nodiscard]] Eigen::Index entering(double tolerance) const;
  void set_column(Eigen::Index variable);
  [[nodiscard]] Eigen::Index leaving() const;
  void pivot(Eigen::Index row, Eigen::Index variable);

  const DirectionCell* cell_ = nullptr;
  double radius_ = 0.0;
  Eigen::MatrixXd ys_;         // one point per column
  Eigen::VectorXd estimates_;  // m_k
  Eigen::MatrixXd slacks_;     // λ_k
  Eigen::VectorXd costs_;      // c_k
  std::vector<int> ids_;
  Eigen::Index count_ = 0;
  bool has_basis_ = false;
  std::vector<Eigen::Index> basis_;
  Eigen::MatrixXd inverse_;  // of the basis
  Eigen::VectorXd levels_;   // of the basic variables
  Eigen::VectorXd prices_;   // ν in units of β, then t
  Eigen::VectorXd column_;   // of the entering variable, in the basis
  Eigen::VectorXd slack_;
  Eigen::VectorXd p_;
  Eigen::VectorXd nu_;
  Eigen::VectorXd combination_;
  double value_ = 0.0;
};

}  // namespace foothold::optimism
