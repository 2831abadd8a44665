#pragma once

#include "foothold/base/random_stream.hpp"
#include "foothold/geometry/decision_set.hpp"

namespace foothold::testing {

enum class PlanarSet { Box, Ball, Polytope, Arms, Contextual };

// Eight arms in the plane; three of them are short: ‖Bx‖ ≤ 2.31 · 0.2 ≤ c/S puts them into the
// foothold.
inline Eigen::MatrixXd draw_arms(RandomStream& random) {
  Eigen::MatrixXd arms = Eigen::MatrixXd::NullaryExpr(8, 2, [&] { return random.normal(); });
  arms.rowwise().normalize();
  arms.topRows(3) *= 0.2;
  return arms;
}

inline geometry::DecisionSet planar_set(PlanarSet set, RandomStream& random) {
  const Eigen::MatrixXd normals{{1.0, 0.2}, {-1.0, 0.1}, {0.0, 1.0}, {0.3, -1.0}, {1.0, 1.0}};
  switch (set) {
    case PlanarSet::Box:
      return geometry::Box::symmetric(2, 1.0);
    case PlanarSet::Ball:
      return geometry::Ball(2, 1.0);
    case PlanarSet::Polytope:
      return geometry::Polytope(normals, Eigen::VectorXd::Ones(5));
    case PlanarSet::Arms:
      return geometry::Arms(draw_arms(random));
    case PlanarSet::Contextual:
      return geometry::ContextualArms(2);
  }
  return geometry::Box::symmetric(2, 1.0);
}

}  // namespace foothold::testing
