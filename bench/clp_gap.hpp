#pragma once

#include <Eigen/Core>

#include "foothold/estimation/confidence_region.hpp"

namespace foothold::bench {

// Δ_t of finitely many arms over the ℓ₁ region by its definition [AAT19, App. E], each linear
// program solved by Clp:
//
//     C^i = { v ∈ C₁ : vᵀBy_i ≤ c },   Y^i = { y_j : max over C^i of vᵀBy_j ≤ c },
//     Δ^i = min { c − vᵀBy_i : v ∈ C^i, vᵀy_i ≤ vᵀy for y ∈ Y^i },   Δ_t = max(0, min_i Δ^i).
//
// In the variables p, q ≥ 0 with 1ᵀ(p + q) ≤ 1 and v = μ̂ + √dβ H⁻¹(p − q): 2d columns. Only the
// solves are timed, not the building of models.
struct ClpGap {
  double value = 0.0;
  double member_ns = 0.0;  // the programs that find Y^i; none where y_j is safe for all of C₁
  double final_ns = 0.0;   // the programs of Δ^i
  int member_solves = 0;
  int final_solves = 0;
};

enum class Simplex { Primal, Dual };

[[nodiscard]] ClpGap gap_by_clp(const estimation::ConfidenceRegion& region,
                                const Eigen::MatrixXd& arms, const Eigen::MatrixXd& B, double limit,
                                Simplex simplex);

}  // namespace foothold::bench
