#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/gap/gap_bound.hpp"
#include "foothold/safety/problem.hpp"

#include "region_program.hpp"

namespace foothold::gap {

// min_i Δ^i over finitely many arms [AAT19, App. E]:
//
//     C^i = { v ∈ C : vᵀB_k(y_i − x₀) ≤ m_k for every k },
//     Y^i = { y_j : max over C^i of vᵀB_k(y_j − x₀) ≤ m_k for every k },
//     Δ^i = min { m_k − vᵀB_k(y_i − x₀) : k, v ∈ C^i, vᵀy_i ≤ vᵀy for y ∈ Y^i },  +∞ if empty.
//
// Fewer members of Y^i only lower Δ^i, so an arm belongs to it only if that is proved.
class ArmGap {
 public:
  ArmGap(const safety::Problem& problem, RegionProgram& program)
      : problem_(&problem), program_(&program) {}

  [[nodiscard]] GapEstimate bound(const Eigen::Ref<const Eigen::MatrixXd>& arms);

 private:
  struct Arm {
    RegionForm loss{};                 // vᵀy
    std::vector<RegionForm> needs{};   // vᵀB_k(y − x₀)
    std::vector<RegionForm> spared{};  // −vᵀB_k(y − x₀)
    double lowest_gap = 0.0;           // a lower bound on Δ^i from C^i alone; +∞ if C^i is empty
    bool is_safe = false;              // for all of C
  };

  void describe(const Eigen::Ref<const Eigen::MatrixXd>& arms);
  void cut_by_constraints(const Arm& arm);
  [[nodiscard]] bool is_comparable(const Arm& arm, const Arm& other);
  [[nodiscard]] double gap_of(std::size_t i, double incumbent);

  const safety::Problem* problem_;
  RegionProgram* program_;
  std::vector<Arm> arms_;
};

}  // namespace foothold::gap
