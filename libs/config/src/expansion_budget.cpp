#include "expansion_budget.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "foothold/base/overloaded.hpp"
#include "foothold/config/experiment.hpp"

namespace foothold::config {
namespace {

constexpr std::size_t kLargest = std::numeric_limits<std::size_t>::max();
// A number in a matrix, its share of the tables beside it, and of the tree while it is read.
constexpr std::size_t kScalar = 32;
// The options of one policy, the largest thing that a table becomes.
constexpr std::size_t kTable = 640;
static_assert(sizeof(PolicyConfig) <= kTable);

std::size_t sum(std::size_t a, std::size_t b) {
  return a > kLargest - b ? kLargest : a + b;
}

std::size_t product(std::size_t a, std::size_t b) {
  return b != 0 && a > kLargest / b ? kLargest : a * b;
}

}  // namespace

std::size_t footprint(const Node& node) {
  return std::visit(Overloaded{[](std::monostate /*null*/) { return kScalar; },
                               [](bool /*flag*/) { return kScalar; },
                               [](std::int64_t /*number*/) { return kScalar; },
                               [](double /*number*/) { return kScalar; },
                               [](const Foreign& /*foreign*/) { return kScalar; },
                               [](const std::string& text) { return sum(kScalar, text.size()); },
                               [](const Array& items) {
                                 std::size_t bytes = kScalar;
                                 for (const Node& item : items) {
                                   bytes = sum(bytes, footprint(item));
                                 }
                                 return bytes;
                               },
                               [](const Table& table) {
                                 std::size_t bytes = kTable;
                                 for (const Member& member : table) {
                                   bytes =
                                       sum(bytes, sum(member.key.size(), footprint(member.node)));
                                 }
                                 return bytes;
                               }},
                    node.value);
}

void ExpansionBudget::charge(std::size_t bytes, std::size_t times, const Value& key) {
  const std::size_t total = sum(used_, product(bytes, times));
  if (total > kMaxExpansion) {
    key.fail_at(
        "",
        fmt::format("must leave all points of the sweep together at most {} bytes, got {} or more",
                    kMaxExpansion, total));
  }
  used_ = total;
}

}  // namespace foothold::config
