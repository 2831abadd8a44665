#pragma once

#include <cstdint>
#include <vector>

#include "foothold/config/experiment.hpp"
#include "foothold/policy/options.hpp"

namespace foothold::reproduction {

/// The optimistic loss of a decision against a search that knows nothing of vertices or cone
/// programs.
struct OptimismCheck {
  std::int64_t round = 0;
  double decided = 0.0;  ///< min over the 2d vertices, as the policy finds it.
  double searched = 0.0;  ///< min over the border of D_t^s of μ̂ᵀx − √d β ‖A^{−1/2}x‖_∞.
};

/// Plays Safe-LUCB with ℓ₁ optimism and checks [AAT19, (30)], that the 2d vertices of the region
/// suffice, at some rounds after the warm-up. min_{v ∈ C^ℓ₁} vᵀx is a concave function of x in
/// closed form, so its minimum over D_t^s lies on the border, which is traced by certificates. Only
/// for problems in the plane. `rounds` must ascend.
[[nodiscard]] std::vector<OptimismCheck> check_optimism(const config::ExperimentConfig& experiment,
                                                        policy::PolicyOptions options,
                                                        const std::vector<std::int64_t>& rounds);

}  // namespace foothold::reproduction
