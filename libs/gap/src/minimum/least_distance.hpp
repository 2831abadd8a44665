#pragma once

#include <Eigen/Core>

namespace foothold::gap {

// The point of least norm in a polyhedron, and why there is none closer.
struct LeastDistance {
  Eigen::VectorXd point{};        // not finite if the rows contradict each other
  Eigen::VectorXd multipliers{};  // η ≥ 0, up to a positive factor: point ∝ −Rᵀη
};

// min { ‖ω‖₂ : Rω ≤ s } as a nonnegative least-squares problem [LH74, Ch. 23]. If the distance
// is above 1, or there is no point, −‖Rᵀη‖ − sᵀη > 0 proves that the unit ball holds none. Meant
// for rows of norm 1 and |sᵢ| ≤ 1.
[[nodiscard]] LeastDistance least_distance(const Eigen::Ref<const Eigen::MatrixXd>& R,
                                           const Eigen::Ref<const Eigen::VectorXd>& s);

}  // namespace foothold::gap
