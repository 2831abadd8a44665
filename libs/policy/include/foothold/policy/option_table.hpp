#pragma once

#include <cstdint>
#include <string_view>

#include "foothold/policy/options.hpp"

// The one table of options. Files, digests, checks and the documentation all go through it, so that
// an option cannot be read but not written, or change a policy without changing its digest.
namespace foothold::policy {

/// Which policies use an option, one bit for each `Algorithm`.
using Users = std::uint64_t;
inline constexpr Users kEveryPolicy = ~Users{0};
inline constexpr Users kSafeLucbOnly = 1U << 0U;
inline constexpr Users kGslucbOnly = 1U << 1U;
inline constexpr Users kTargetedOnly = 1U << 2U;

/// One row.
struct OptionRow {
  std::string_view name{};     ///< In files, and in the dotted field of an error.
  Users users = kEveryPolicy;  ///< A policy refuses an option that it does not use.
  std::string_view meaning{};  ///< For the documentation.
  bool is_in_files = true;     ///< False where a study or a run supplies it.
};

/// Calls `visit(row, field)` for every option of `PolicyOptions`, `WarmupOptions` or
/// `optimism::SearchLimits`, in the order of the table; a field that is itself such a struct is
/// passed as a whole, for the visitor to go into. `Options` may be const. The structured bindings
/// name every field: one that is added to a struct and not here does not compile.
template <typename Options, typename Visit>
requires std::is_same_v<std::remove_const_t<Options>, PolicyOptions>
void visit_options(Options& options, Visit&& visit) {
  auto& [optimism, caution, certified, radius, nested, ridge_family, warmup, rarely_switching,
         search, gap_growth, exploration, exploit, refuse_duplicates, horizon, seed] = options;
  visit(OptionRow{.name = "optimism", .meaning = "the region that optimism looks into"}, optimism);
  visit(OptionRow{.name = "caution", .meaning = "the data-driven bound that keeps actions safe"},
        caution);
  visit(
      OptionRow{.name = "certified", .meaning = "the data's safe set alone, or with the foothold"},
      certified);
  visit(OptionRow{.name = "radius", .meaning = "the form of the radius of the region"}, radius);
  visit(OptionRow{.name = "nested", .meaning = "once certified, always certified"}, nested);
  visit(OptionRow{.name = "ridge_family", .meaning = "certify by any of the ridges λ, 10λ, 100λ"},
        ridge_family);
  visit(OptionRow{.name = "warmup", .meaning = "draws from the foothold before optimism begins"},
        warmup);
  visit(OptionRow{.name = "rarely_switching", .meaning = "C: choose anew when det A grew by 1 + C"},
        rarely_switching);
  visit(OptionRow{.name = "search", .meaning = "limits of exact ellipsoidal optimism"}, search);
  visit(OptionRow{.name = "gap_growth",
                  .users = kGslucbOnly,
                  .meaning = "bound the gap anew when the told rounds grew by this factor"},
        gap_growth);
  visit(OptionRow{.name = "exploration",
                  .users = kTargetedOnly,
                  .meaning = "weight of uncertainty; larger explores more"},
        exploration);
  visit(OptionRow{.name = "exploit",
                  .users = kTargetedOnly,
                  .meaning = "what is played when nothing is worth exploring"},
        exploit);
  visit(OptionRow{.name = "refuse_duplicates",
                  .meaning = "refuse an observed pair that was seen before, bit for bit"},
        refuse_duplicates);
  visit(OptionRow{.name = "horizon", .meaning = "T, where it is known", .is_in_files = false},
        horizon);
  visit(OptionRow{.name = "seed", .meaning = "of the policy's own draws", .is_in_files = false},
        seed);
}

template <typename Options, typename Visit>
requires std::is_same_v<std::remove_const_t<Options>, WarmupOptions>
void visit_options(Options& options, Visit&& visit) {
  auto& [schedule, rounds, safety_gap, sampler, min_eigenvalue] = options;
  visit(OptionRow{.name = "schedule",
                  .users = kSafeLucbOnly,
                  .meaning = "how the length of the warm-up is chosen"},
        schedule);
  visit(OptionRow{.name = "rounds", .users = kSafeLucbOnly, .meaning = "the length itself"},
        rounds);
  visit(OptionRow{.name = "safety_gap", .users = kSafeLucbOnly, .meaning = "Δ, for its schedules"},
        safety_gap);
  visit(OptionRow{.name = "sampler", .meaning = "draws from the interior or the border"}, sampler);
  visit(OptionRow{.name = "min_eigenvalue",
                  .users = kSafeLucbOnly | kGslucbOnly,
                  .meaning = "λ_- of contextual arms, where only the caller knows it"},
        min_eigenvalue);
}

template <typename Options, typename Visit>
requires std::is_same_v<std::remove_const_t<Options>, optimism::SearchLimits>
void visit_options(Options& options, Visit&& visit) {
  auto& [gap, nodes] = options;
  visit(OptionRow{.name = "gap", .meaning = "proved relative gap that suffices"}, gap);
  visit(OptionRow{.name = "nodes", .meaning = "cells that may be bounded in a round"}, nodes);
}

}  // namespace foothold::policy
