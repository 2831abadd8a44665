#pragma once

#include "foothold/gap/gap_bound.hpp"
#include "foothold/safety/problem.hpp"

#include "region_program.hpp"

namespace foothold::gap {

// A lower bound on the smallest gap over a ball of radius r. With H = (B + Bᵀ)/2, the minimiser of
// vᵀx is −rv/‖v‖ and
//
//     Δ_v = m + r g(v) + vᵀBx₀,   g(v) = vᵀHv/‖v‖,  g(0) = 0.
//
// ‖∇g‖² = 4‖Hu‖² − 3(uᵀHu)² ≤ 4‖H‖² at u = v/‖v‖, so g falls by at most 2‖H‖ρ within the distance ρ
// of μ̂; and g(v) ≥ min(0, λ_min(H))‖v‖. The better of the two is taken, with ρ the region's
// Euclidean radius; vᵀBx₀ is bounded exactly.
[[nodiscard]] GapEstimate ball_gap(const safety::Problem& problem, RegionProgram& program);

}  // namespace foothold::gap
