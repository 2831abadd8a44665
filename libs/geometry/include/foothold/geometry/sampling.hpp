#pragma once

#include <Eigen/Core>

#include "foothold/base/random_stream.hpp"

namespace foothold::geometry {

/// A point uniform on the unit sphere of ℝ^d, written to `point` (which fixes d). d draws.
void sample_sphere(RandomStream& random, Eigen::Ref<Eigen::VectorXd> point);

/// A point uniform in the unit ball of ℝ^d, written to `point`. d + 1 draws.
void sample_ball(RandomStream& random, Eigen::Ref<Eigen::VectorXd> point);

}  // namespace foothold::geometry
