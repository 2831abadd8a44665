#include "foothold/geometry/arms.hpp"

#include <utility>

#include <fmt/core.h>

#include "foothold/base/check.hpp"
#include "foothold/base/error.hpp"

namespace foothold::geometry {

Arms::Arms(Eigen::MatrixXd features) : features_(std::move(features)) {
  if (features_.rows() < 1 || features_.cols() < 1) {
    throw Error(ErrorCode::InvalidArgument, "features",
                fmt::format("must have at least one arm and one dimension, got {} x {}",
                            features_.rows(), features_.cols()));
  }
  check::all_finite(features_, "features");
}

ContextualArms::ContextualArms(Eigen::Index dim) : dim_(dim) {
  if (dim < 1) {
    throw Error(ErrorCode::InvalidArgument, "dim", fmt::format("must be at least 1, got {}", dim));
  }
}

}  // namespace foothold::geometry
