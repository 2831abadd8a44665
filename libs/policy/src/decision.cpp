#include "foothold/policy/decision.hpp"

#include <charconv>

#include <fmt/core.h>

namespace foothold::policy {

std::string to_string(DecisionId id) {
  return fmt::format("{}-{}", epoch_of(id), round_of(id));
}

std::optional<DecisionId> id_from_string(std::string_view text) noexcept {
  const char* const end = text.data() + text.size();
  std::uint64_t epoch = 0;
  std::uint64_t round = 0;
  const auto first = std::from_chars(text.data(), end, epoch);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '-') {
    return std::nullopt;
  }
  const auto second = std::from_chars(first.ptr + 1, end, round);
  if (second.ec != std::errc{} || second.ptr != end || epoch > kMaxEpoch || round > kMaxRound) {
    return std::nullopt;
  }
  const DecisionId id = make_id(epoch, round);
  // One id, one text: no leading zeros.
  return to_string(id) == text ? std::optional(id) : std::nullopt;
}

}  // namespace foothold::policy
