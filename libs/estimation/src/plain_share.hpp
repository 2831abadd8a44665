#pragma once

#include <Eigen/Core>

#include "foothold/base/rounding.hpp"

namespace foothold::estimation {

// What a sum of d products and one term, computed plainly, loses of the sum of their sizes at
// most, with room for a few more roundings.
[[nodiscard]] constexpr double plain_share(Eigen::Index d) {
  return rounding::gamma(static_cast<double>(d) + 8.0);
}

}  // namespace foothold::estimation
