#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/selection/cone_program.hpp"

namespace foothold::selection {

// What the last solve of one vertex leaves for the next round: which constraints held with
// equality, and the multipliers. Only a guess; every solution is verified anew.
struct WarmStart {
  bool is_set = false;
  std::vector<signed char> side{};   // box: −1 at lower, +1 at upper, 0 free
  std::vector<Eigen::Index> rows{};  // rows that were active
  Eigen::VectorXd u{};
  ConeMultipliers multipliers{};
};

}  // namespace foothold::selection
