#include "foothold/safety/safety_rule.hpp"

#include <cmath>

namespace foothold::safety {

double caution_factor(Caution caution, Eigen::Index dim) {
  return caution == Caution::Ellipsoid ? 1.0 : std::sqrt(static_cast<double>(dim));
}

}  // namespace foothold::safety
