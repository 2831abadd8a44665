#include "document/table_reader.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace foothold::config {
namespace {

bool has(std::span<const std::string_view> keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// A key as a step of a path: as it is if it is short and plain, quoted otherwise.
std::string path_step(const std::string& key) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  constexpr std::size_t kLongest = 60;
  const bool is_plain =
      !key.empty() && key.size() <= kLongest && key.find_first_not_of(kPlain) == std::string::npos;
  return is_plain ? key : quote(key);
}

}  // namespace

TableReader::TableReader(const Value& value) : value_(value), table_(&value.table()) {}

void TableReader::allow(std::span<const std::string_view> known) const {
  // The order in memory need not be the order in the file: report the first line.
  const Member* first = nullptr;
  for (const Member& member : *table_) {
    if (!has(known, member.key) && (first == nullptr || member.line < first->line)) {
      first = &member;
    }
  }
  if (first != nullptr) {
    refuse(*first, known);
  }
}

void TableReader::refuse(const Member& member, std::span<const std::string_view> known) const {
  Node at = member.node;
  at.line = member.line;
  const Value unknown(at, join_path(value_.path(), path_step(member.key)), value_.origin());
  const std::optional<std::string_view> near = nearest(member.key, known);
  if (near) {
    unknown.fail(fmt::format("is not a known key (did you mean \"{}\"?)", *near));
  }
  unknown.fail(fmt::format("is not a known key, must be {}", alternatives(known)));
}

std::optional<Value> TableReader::find(std::string_view key) const {
  const Node* node = config::find(*table_, key);
  if (node == nullptr) {
    return std::nullopt;
  }
  return Value(*node, join_path(value_.path(), key), value_.origin());
}

Value TableReader::get(std::string_view key) const {
  const std::optional<Value> member = find(key);
  if (!member) {
    value_.fail_at(key, "must be given, got nothing");
  }
  return *member;
}

double TableReader::number_or(std::string_view key, double fallback) const {
  return optional_number(key).value_or(fallback);
}

std::optional<double> TableReader::optional_number(std::string_view key) const {
  const std::optional<Value> member = find(key);
  return member ? std::optional(member->number()) : std::nullopt;
}

bool TableReader::boolean_or(std::string_view key, bool fallback) const {
  const std::optional<Value> member = find(key);
  return member ? member->boolean() : fallback;
}

}  // namespace foothold::config
