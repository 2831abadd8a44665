#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace foothold::policy {

/// The policies, in the order of their registry (src/algorithm.cpp). The values are part of
/// snapshots: a new one goes last.
enum class Algorithm : std::uint64_t { SafeLucb, Gslucb, Targeted };

inline constexpr Algorithm kDefaultAlgorithm = Algorithm::Targeted;

/// Every policy that `make` knows.
[[nodiscard]] std::span<const Algorithm> algorithms() noexcept;

/// The word for it in files and reports: "safe-lucb", "gslucb", "targeted".
[[nodiscard]] std::string_view name(Algorithm algorithm);
/// The policy of this name; nothing if there is none.
[[nodiscard]] std::optional<Algorithm> algorithm_of(std::string_view name) noexcept;
/// A few words for tables of results, as "Safe-LUCB".
[[nodiscard]] std::string_view title(Algorithm algorithm);

}  // namespace foothold::policy
