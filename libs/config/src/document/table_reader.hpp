#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "document/value.hpp"

namespace foothold::config {

// The members of a table, each with its path. Borrows what the value borrows.
class TableReader {
 public:
  // Throws unless the value is a table.
  explicit TableReader(const Value& value);

  // Throws for the first key, in the order of the file, that is not in `known`: with the nearest
  // known one, or all of them.
  void allow(std::span<const std::string_view> known) const;

  [[nodiscard]] const Value& value() const noexcept { return value_; }
  [[nodiscard]] std::optional<Value> find(std::string_view key) const;
  // Throws if there is none.
  [[nodiscard]] Value get(std::string_view key) const;

  // The optional scalar members.
  [[nodiscard]] double number_or(std::string_view key, double fallback) const;
  [[nodiscard]] std::optional<double> optional_number(std::string_view key) const;
  [[nodiscard]] bool boolean_or(std::string_view key, bool fallback) const;
  template <typename Enum, std::size_t Count>
  [[nodiscard]] Enum one_of_or(std::string_view key, const std::array<EnumName<Enum>, Count>& names,
                               Enum fallback) const {
    const std::optional<Value> member = find(key);
    return member ? member->one_of(std::span<const EnumName<Enum>>(names)) : fallback;
  }

 private:
  [[noreturn]] void refuse(const Member& member, std::span<const std::string_view> known) const;

  Value value_;
  const Table* table_;
};

}  // namespace foothold::config
