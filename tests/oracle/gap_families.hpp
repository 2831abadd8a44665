#pragma once

#include <span>

#include <Eigen/Core>

#include "foothold/base/random_stream.hpp"
#include "foothold/estimation/confidence_region.hpp"
#include "foothold/estimation/ridge_estimate.hpp"
#include "foothold/gap/gap_bound.hpp"
#include "foothold/safety/problem.hpp"

namespace foothold::oracle {

// The decision set of a gap case.
enum class GapShape {
  Arms,  // 2 to `max_arms`, half of them short; some are copies of others
  Box,
  Polytope,  // a box, d random rows, and d rows that are copies, multiples, or touch a vertex
  Ball
};

// One row of the table of results. What is not said is drawn: the dimension, the state, and the
// limits, so that gaps of 0 and gaps near the room are both rare.
struct GapFamily {
  const char* name = "";
  GapShape shape = GapShape::Arms;
  gap::GapRegion region = gap::GapRegion::Ellipsoid;
  estimation::RootForm root = estimation::RootForm::Symmetric;
  int max_constraints = 1;
  int max_arms = 8;
  bool has_baseline = false;
};

[[nodiscard]] std::span<const GapFamily> gap_families();

struct GapCase {
  safety::Problem problem;  // resolved
  estimation::RidgeEstimate estimate;
};

[[nodiscard]] GapCase draw_gap_case(RandomStream& random, const GapFamily& family);

}  // namespace foothold::oracle
