#include "foothold/geometry/ball.hpp"

#include <fmt/core.h>

#include "foothold/base/check.hpp"
#include "foothold/base/error.hpp"

namespace foothold::geometry {

Ball::Ball(Eigen::Index dim, double radius) : dim_(dim), radius_(radius) {
  if (dim < 1) {
    throw Error(ErrorCode::InvalidArgument, "dim", fmt::format("must be at least 1, got {}", dim));
  }
  check::positive(radius, "radius");
}

}  // namespace foothold::geometry
