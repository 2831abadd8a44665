#pragma once

#include <Eigen/Core>

namespace foothold::cone {

// The dual function of one cut gᵀu ≤ c over a box, for the objective p:
//
//     φ(τ) = min { (p + τg)ᵀu : lower ≤ u ≤ upper } − cτ,   τ ≥ 0,
//
// concave and piecewise linear, with a kink wherever a coordinate of p + τg vanishes. Any τ proves
// φ(τ) as a lower bound on the minimum of pᵀu; the best one is found from kink to kink.
class CutDual {
 public:
  explicit CutDual(Eigen::Index dim) : p(dim), g(dim) {}

  Eigen::VectorXd p;  // changed by `maximise`, within rounding
  Eigen::VectorXd g;
  double c = 0.0;

  // max φ, going uphill from `start`. O(d) per kink passed.
  double maximise(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, double start);

  // The active set at the maximum just found: −1 at lower, +1 at upper; the coordinate whose kink
  // the maximum is at is free, 0.
  void read_sides(signed char* side) const;

 private:
  // The distance to the next kink uphill, whose coordinate becomes `kink_`, or to τ = 0.
  double next_kink(double direction);

  double tau_ = 0.0;
  Eigen::Index kink_ = -1;
};

}  // namespace foothold::cone
