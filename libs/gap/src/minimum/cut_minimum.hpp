#pragma once

#include <Eigen/Core>

namespace foothold::gap {

// What a solver found out about  min { pᵀω : ‖ω‖ ≤ 1, Rω ≤ s }. Nothing here is trusted: the
// caller turns multipliers into proved bounds.
struct CutMinimum {
  // η ≥ 0 of the rows; if `is_empty` a ray that should prove it.
  Eigen::VectorXd multipliers{};
  bool is_empty = false;
};

}  // namespace foothold::gap
