#pragma once

#include <Eigen/Core>

#include "foothold/geometry/dense_lp.hpp"

#include "minimum/cut_minimum.hpp"

namespace foothold::gap {

// min { pᵀω : ‖ω‖₁ ≤ 1, Rω ≤ s } for rows of largest entry 1, as a linear program in ω = x⁺ − x⁻
// with x± ≥ 0 and Σ(x⁺ + x⁻) ≤ 1. Phase one minimises the largest violation of a row.
class CrossPolytopeMinimum {
 public:
  [[nodiscard]] CutMinimum solve(const Eigen::VectorXd& p,
                                 const Eigen::Ref<const Eigen::MatrixXd>& R,
                                 const Eigen::Ref<const Eigen::VectorXd>& s);

 private:
  geometry::DenseLp first_phase_;
  geometry::DenseLp second_phase_;
};

}  // namespace foothold::gap
