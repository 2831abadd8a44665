#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/policy/learner.hpp"

namespace foothold::reproduction {

/// A closed curve in the plane, its first point again at the end.
struct PlaneCurve {
  std::vector<double> x{};
  std::vector<double> y{};

  void add(const Eigen::Vector2d& point);
};

/// The last certified point on the ray from the centre of the policy's problem at an angle, to
/// 10⁻⁶.
[[nodiscard]] Eigen::Vector2d certified_point(const policy::Learner& policy, double angle);

/// The border of the set that a policy certifies now, by bisection along `rays` rays from the
/// centre of its problem: both the data-driven set and the foothold are star-shaped around it.
/// Every point of the curve is certified; the next one outwards by 10⁻⁶ is not. For problems in
/// the plane.
[[nodiscard]] PlaneCurve certified_border(const policy::Learner& policy, int rays);

/// The border of [−1, 1]² ∩ { qᵀx ≤ c }: the part of the square on the safe side of a line.
/// Requires c > 0.
[[nodiscard]] PlaneCurve cut_square(const Eigen::Vector2d& q, double c);

}  // namespace foothold::reproduction
