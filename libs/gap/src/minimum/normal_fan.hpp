#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

namespace foothold::gap {

// The normal cones of a polytope { x : Gx ≤ h }, cut into simplicial cones
//
//     N_W = { Σ_{i ∈ W} λᵢgᵢ : λ ≥ 0 },   W a basis: d independent rows that meet in a vertex y_W,
//
// which cover ℝ^d with disjoint interiors, and whose neighbours across a facet are found by one
// pivot. The bases are those of the polytope { Gx ≤ h + εe } with e generic and ε → 0, which has
// simple vertices only: ties in h are decided by e. So vertices in which more than d rows
// meet, redundant rows and copies of rows need no special care. e is drawn from a fixed stream.
class NormalFan {
 public:
  using Basis = std::vector<Eigen::Index>;  // ascending

  // `interior` is a point with Gx < h; the polytope must be bounded.
  NormalFan(const Eigen::MatrixXd& normals, const Eigen::VectorXd& offsets,
            Eigen::VectorXd interior);

  // A basis with −v ∈ N_W, up to rounding, and from now on the reference of e. None if rounding
  // defeats the search. Bases found before belong to another subdivision.
  [[nodiscard]] std::optional<Basis> locate(const Eigen::VectorXd& v);

  // Makes a basis the current one; false if its rows are too close to dependent.
  [[nodiscard]] bool visit(const Basis& basis);
  // Of the current basis: y_W, and the matrix M = G_W⁻¹, for which −v ∈ N_W ⇔ Mᵀv ≤ 0.
  [[nodiscard]] const Eigen::VectorXd& vertex() const noexcept { return vertex_; }
  [[nodiscard]] const Eigen::MatrixXd& inverse() const noexcept { return inverse_; }
  // The basis across the facet opposite to the row at a position; none if rounding defeats it.
  [[nodiscard]] std::optional<Basis> neighbour(Eigen::Index position) const;

 private:
  Eigen::MatrixXd normals_;  // rows of norm 1
  Eigen::VectorXd offsets_;
  Eigen::VectorXd interior_;
  double extent_ = 0.0;           // the size of the offsets, from the interior point
  Eigen::VectorXd perturbation_;  // e
  Basis basis_;
  Eigen::VectorXd vertex_;
  Eigen::MatrixXd inverse_;
};

}  // namespace foothold::gap
