#pragma once

#include <cstddef>

#include "document/value.hpp"

namespace foothold::config {

// What the points of a sweep may take together, as estimated by `footprint`. Ten thousand points of
// an ordinary file take a fifth of it.
inline constexpr std::size_t kMaxExpansion = std::size_t{1} << 29U;

// An estimate, in bytes, of what a node becomes in memory when it is read: numbers go into
// matrices, tables into options that have a default for every key.
[[nodiscard]] std::size_t footprint(const Node& node);

// Adds up what a sweep asks for before it is made, and refuses what exceeds `kMaxExpansion`. Sums
// and products stop at the largest number instead of overflowing.
class ExpansionBudget {
 public:
  // Throws `Error{InvalidArgument}` that names `key`, the limit and the sum if `times` copies of
  // `bytes` exceed what is left.
  void charge(std::size_t bytes, std::size_t times, const Value& key);

 private:
  std::size_t used_ = 0;
};

}  // namespace foothold::config
