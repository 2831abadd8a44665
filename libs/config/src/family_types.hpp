#pragma once

#include <array>
#include <cstdint>

#include "document/value.hpp"

// The types of families, and which keys they have.
namespace foothold::config {

enum class FamilyType : std::uint8_t { KArmed, Box, Ball, Polytope, Contextual };

inline constexpr std::array kFamilyTypes = {
    EnumName<FamilyType>{FamilyType::KArmed, "k-armed"},
    EnumName<FamilyType>{FamilyType::Box, "box"}, EnumName<FamilyType>{FamilyType::Ball, "ball"},
    EnumName<FamilyType>{FamilyType::Polytope, "polytope"},
    EnumName<FamilyType>{FamilyType::Contextual, "contextual"}};

// `arms` and `safe_arms`.
[[nodiscard]] constexpr bool has_arms(FamilyType type) {
  return type == FamilyType::KArmed || type == FamilyType::Contextual;
}

// `rows`.
[[nodiscard]] constexpr bool has_rows(FamilyType type) {
  return type == FamilyType::Polytope;
}

// `gap`: the limit can be chosen after the optimum.
[[nodiscard]] constexpr bool is_convex(FamilyType type) {
  return !has_arms(type);
}

// `constraint_active` and `min_gap`: one best action and one gap for all rounds.
[[nodiscard]] constexpr bool is_fixed(FamilyType type) {
  return type != FamilyType::Contextual;
}

}  // namespace foothold::config
