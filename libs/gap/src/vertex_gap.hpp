#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/gap/gap_bound.hpp"
#include "foothold/safety/problem.hpp"

#include "minimum/normal_fan.hpp"
#include "region_program.hpp"

namespace foothold::gap {

// The smallest gap of all parameters in the region, over a box or a polytope:
//
//     min over bases W with N_W ∩ −C ≠ ∅, and k, of  min { m_k − vᵀB_k(y_W − x₀) : v ∈ C, −v ∈ N_W
//     }.
//
// The cones that −C meets are connected across facets, because C is convex: the walk starts at
// the minimiser for μ̂ and goes on from every cone that is not proved to miss −C.
class VertexGap {
 public:
  VertexGap(const safety::Problem& problem, RegionProgram& program, Eigen::Index max_vertices);

  [[nodiscard]] GapEstimate bound();

 private:
  // +∞ if −C is proved to miss the cone of the fan's current basis.
  [[nodiscard]] double gap_in_cone();
  // Δ_v ≤ 0 at μ̂ or at the ends of the region's axes: then Δ_t = 0 needs no walk.
  [[nodiscard]] bool is_refuted();

  const safety::Problem* problem_;
  RegionProgram* program_;
  Eigen::Index max_vertices_;
  NormalFan fan_;
  Eigen::VectorXd centre_;
};

}  // namespace foothold::gap
