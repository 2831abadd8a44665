#include "foothold/geometry/box.hpp"

#include <utility>

#include <fmt/core.h>

#include "foothold/base/check.hpp"
#include "foothold/base/error.hpp"

namespace foothold::geometry {

Box::Box(Eigen::VectorXd lower, Eigen::VectorXd upper)
    : lower_(std::move(lower)), upper_(std::move(upper)) {
  if (lower_.size() < 1) {
    throw Error(ErrorCode::InvalidArgument, "lower", "must have at least one entry, got 0");
  }
  check::size_is(upper_.size(), lower_.size(), "upper");
  check::all_finite(lower_, "lower");
  check::all_finite(upper_, "upper");
  for (Eigen::Index i = 0; i < lower_.size(); ++i) {
    if (!(lower_(i) < upper_(i))) {
      throw Error(ErrorCode::InvalidArgument, "upper",
                  fmt::format("must exceed lower in every coordinate, got {} and lower {} in "
                              "coordinate {}",
                              upper_(i), lower_(i), i));
    }
  }
}

Box Box::symmetric(Eigen::Index dim, double half_width) {
  if (dim < 1) {
    throw Error(ErrorCode::InvalidArgument, "dim", fmt::format("must be at least 1, got {}", dim));
  }
  check::positive(half_width, "half_width");
  return {Eigen::VectorXd::Constant(dim, -half_width), Eigen::VectorXd::Constant(dim, half_width)};
}

}  // namespace foothold::geometry
