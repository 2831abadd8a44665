#pragma once

#include <Eigen/Core>

namespace foothold::optimism {

// A cone of directions, the pyramid over a box:
//
//     K = { y : σyᵢ ≥ 0,  l_j σyᵢ ≤ y_j ≤ u_j σyᵢ for j ≠ i },   −1 ≤ l ≤ u ≤ 1,
//
// with i the axis and σ = ±1 its sign. The 2d cells with l = −1, u = 1 cover ℝ^d.
//
// Notation: z_j = y_j/(σyᵢ) are the coordinates in the base of the pyramid.
struct DirectionCell {
  Eigen::Index axis = 0;
  double sign = 1.0;
  Eigen::VectorXd lower{};  // l; entry i is not used, and 0
  Eigen::VectorXd upper{};  // u; likewise
  Eigen::VectorXd point{};  // z where the relaxation of this cell, or of its parent, is smallest

  // The root cell number k < 2d.
  void set_root(Eigen::Index dim, Eigen::Index k);

  // z of a y, moved into the base if it lies outside; `point` as it is where σyᵢ ≤ 0.
  void set_point(const Eigen::Ref<const Eigen::VectorXd>& y);

  // p with ‖y‖₂ ≤ pᵀy for all y in K. z_j² ≤ (l_j + u_j)z_j − l_j u_j (a chord) and
  // √q ≤ (q + r²)/(2r) (a tangent) give one such p, exact where every z_j is l_j or u_j and
  // ‖y‖ = rσyᵢ; r² is taken at `point`. Adding ν ≥ 0 times what is non-negative on K,
  //
  //     y_j − l_jσyᵢ   and   u_jσyᵢ − y_j   for j ≠ i in turn,
  //
  // gives the others. `nu` has size 2(d − 1).
  void majorant(const Eigen::Ref<const Eigen::VectorXd>& nu, Eigen::VectorXd& p) const;

  // What the entries of ν multiply, at y.
  void slacks(const Eigen::Ref<const Eigen::VectorXd>& y, Eigen::VectorXd& out) const;

  // The coordinate whose chord overestimates most at `point`; −1 if the base is a point.
  [[nodiscard]] Eigen::Index widest_chord() const;
};

}  // namespace foothold::optimism
