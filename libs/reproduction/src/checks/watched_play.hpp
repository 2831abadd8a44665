#pragma once

#include <cstdint>
#include <functional>

#include <Eigen/Core>

#include "foothold/config/experiment.hpp"
#include "foothold/policy/safe_lucb.hpp"

#include "checks/theory_bounds.hpp"

namespace foothold::reproduction {

/// One run of Safe-LUCB on a fixed instance, with the quantities that the proofs of [AAT19] are
/// about. Sums run over the rounds after the warm-up, t = T'+1, …, T.
///
/// Notation: A_t, μ̂_t, β_t of the state before round t; κ of the caution; x* the best safe
/// action; μ̃_tᵀx_t the optimistic loss of round t.
struct WatchedRun {
  double regret = 0.0;               ///< R_T
  std::int64_t warmup = 0;           ///< T'
  bool is_covered = true;            ///< ‖μ − μ̂_t‖_{A_t} ≤ β_t in every round.
  bool keeps_optimum = true;         ///< x* ∈ D_t^s in every round after the warm-up.
  bool loses_optimum = false;        ///< x* was in D_t^s once and later was not.
  double min_eigenvalue = 0.0;       ///< λ_min(A_{T'+1})
  double width_sum = 0.0;            ///< Σ min(‖x_t‖²_{A_t⁻¹}, 1)
  double optimism_sum = 0.0;         ///< Σ (μᵀx_t − μ̃_tᵀx_t), Term I
  double safety_sum = 0.0;           ///< Σ (μ̃_tᵀx_t − μᵀx*), Term II
  double largest_safety = 0.0;       ///< max_t of the same
  double shortfall_sum = 0.0;        ///< Σ (1 − α_t), α_t of [AAT19, (20)]
  std::int64_t violations = 0;       ///< Rounds with μᵀBx_t > c, warm-up included.
  std::int64_t certified_round = 0;  ///< First t > T' with x* ∈ D_t^s; 0 if none.
};

/// What is played, and where.
struct WatchedSetup {
  const config::ExperimentConfig& experiment;  ///< A box or polytope with one constraint.
  policy::PolicyOptions options{};             ///< Horizon and seed are filled in from the run.
  std::int64_t horizon = 0;
  std::int64_t run = 0;
  /// Told every some hundred rounds how many were played since; false: stop, what is returned is no
  /// whole run. Left out: never.
  std::function<bool(std::int64_t rounds)> go_on{};
};

/// Plays a run with the noise and the seed that the runner gives it, so that the regret is the
/// runner's. The loop and all arithmetic but the policy's are written anew here.
[[nodiscard]] WatchedRun watched_play(const WatchedSetup& setup);

}  // namespace foothold::reproduction
