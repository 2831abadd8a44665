#include "foothold/geometry/sampling.hpp"

#include <cmath>

#include "foothold/base/invariant.hpp"

namespace foothold::geometry {

void sample_sphere(RandomStream& random, Eigen::Ref<Eigen::VectorXd> point) {
  FOOTHOLD_ASSERT(point.size() >= 1);
  // The standard normal distribution is invariant under rotations. None of its draws is zero,
  // so neither is the norm.
  for (Eigen::Index i = 0; i < point.size(); ++i) {
    point(i) = random.normal();
  }
  point /= point.norm();
}

void sample_ball(RandomStream& random, Eigen::Ref<Eigen::VectorXd> point) {
  sample_sphere(random, point);
  // A ball of radius r has the share r^d of the volume.
  point *= std::pow(random.uniform(), 1.0 / static_cast<double>(point.size()));
}

}  // namespace foothold::geometry
