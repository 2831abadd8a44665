#pragma once

#include <Eigen/Core>

#include "minimum/cut_minimum.hpp"

namespace foothold::gap {

// min { pᵀω : ‖ω‖₂ ≤ 1, Rω ≤ s } for rows of norm 1: phase one is the point of least norm that
// satisfies the rows, then a primal active-set method whose faces, balls of lower dimension, are
// solved in closed form.
[[nodiscard]] CutMinimum ball_minimum(const Eigen::VectorXd& p,
                                      const Eigen::Ref<const Eigen::MatrixXd>& R,
                                      const Eigen::Ref<const Eigen::VectorXd>& s);

}  // namespace foothold::gap
