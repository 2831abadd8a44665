#pragma once

#include <cstdint>
#include <optional>

#include "foothold/safety/certifier.hpp"
#include "foothold/safety/known_safe_set.hpp"
#include "foothold/safety/problem.hpp"

namespace foothold::policy {

/// How the length T' of the warm-up is chosen.
enum class Schedule {
  None,       ///< T' = 0
  Rounds,     ///< T' as given
  Gap,        ///< T_Δ of [AAT19, Lem. 2]; needs `safety_gap` and a horizon
  WorstCase,  ///< T_0 of [AAT19, Thm. 3]; needs a horizon
  Nested      ///< the constant of the remark on nested regions; needs `safety_gap`
};

struct WarmupOptions {
  Schedule schedule = Schedule::None;
  std::int64_t rounds = 0;             ///< For `Schedule::Rounds`.
  std::optional<double> safety_gap{};  ///< Δ, for `Gap` and `Nested`.
  safety::Sampler sampler = safety::Sampler::Uniform;
  /// λ_- of the arms that are known to be safe, for contextual arms, where only the caller can
  /// know it. For other sets it is computed.
  std::optional<double> min_eigenvalue{};
};

/// Throws `Error{InvalidArgument}` naming the field.
void validate(const WarmupOptions& options);

/// What the schedules are computed from.
struct ScheduleInputs {
  const safety::Problem& problem;  ///< resolved
  double min_eigenvalue = 0.0;     ///< λ_- of the warm-up's distribution
  double caution_factor = 1.0;     ///< κ
  std::optional<std::int64_t> horizon{};
};

/// T', rounded up and capped by the horizon. Throws `Error{InvalidArgument}` if a schedule
/// lacks its horizon or gap, or if λ_- = 0 or unknown, saying why.
[[nodiscard]] std::int64_t warmup_rounds(const WarmupOptions& options,
                                         const ScheduleInputs& inputs);

/// t_δ = (8L²/λ_-) log(d/δ): from here on λ_min(A) ≥ λ + λ_-t/2 w.p. ≥ 1 − δ [AAT19, Lem. 1].
[[nodiscard]] double eigenvalue_rounds(const ScheduleInputs& inputs);

/// T_Δ = ( 8L²‖B‖²(κβ_T)²/(λ_-Δ²) − 2λ/λ_- ) ∨ t_δ [AAT19, Lem. 2]; `apply_minimum = false` leaves
/// out t_δ. Several constraints: ‖B‖/Δ is max_k ‖B_k‖/Δ with the common gap Δ.
[[nodiscard]] double gap_rounds(const ScheduleInputs& inputs, double safety_gap,
                                bool apply_minimum = true);

/// T_0 = ( ‖B‖Lκβ_T T/(c√(2λ_-)) )^{2/3} ∨ t_δ [AAT19, Thm. 3]; several constraints: max_k
/// ‖B_k‖/c_k.
[[nodiscard]] double worst_case_rounds(const ScheduleInputs& inputs);

/// The smallest T' ≥ t_δ with 2√2‖B‖Lκβ ≤ Δ√(2λ + λ_-T'), β at n = T' [AAT19, remark after Lem. 4]:
/// independent of the horizon.
[[nodiscard]] double nested_rounds(const ScheduleInputs& inputs, double safety_gap);

/// Which theorem bounds the regret.
enum class RegretTheorem {
  PositiveGap,  ///< [AAT19, Thm. 2]: T' ≥ T_Δ
  General       ///< [AAT19, Thm. 3]: T' ≥ t_δ
};

/// The right-hand side of [AAT19, Thm. 2 or 3] after `warmup` rounds of warm-up, with the
/// optimism's factor κ in Term I and the caution's in the regret of safety; holds w.p. ≥ 1 − 2δ.
/// Deviations from [AAT19]: the sum of widths uses (λ + TL²/d)^d, since the stated determinant
/// bound drops λ; |μᵀx| ≤ 1 is not assumed, so 2T' is 2SL·T' and Term II is scaled by SL.
[[nodiscard]] double regret_bound(RegretTheorem theorem, const ScheduleInputs& inputs,
                                  double optimism_factor, std::int64_t warmup);

}  // namespace foothold::policy
