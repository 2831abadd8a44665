#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>
#include <vector>

namespace foothold::simulation {

/// Writes one JSON value with the keys in the order of the calls: objects with one member a line,
/// arrays of scalars on one line. Doubles take the shortest form that reads back to the same
/// bits; NaN and infinities, which JSON does not have, become null. Calls must nest.
class JsonWriter {
 public:
  explicit JsonWriter(std::ostream& out) : out_(out) {}

  /// Every value inside an object is preceded by its key.
  JsonWriter& key(std::string_view name);

  void begin_object();
  void end_object();
  /// `is_block` puts each element, an object say, on lines of its own.
  void begin_array(bool is_block = false);
  void end_array();

  void value(double number);
  void value(std::int64_t number);
  void value(std::uint64_t number);
  void value(bool flag);
  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(const std::optional<std::int64_t>& number);

 private:
  enum class Layout : std::uint8_t { Lines, Inline };

  void begin(char bracket, Layout layout);
  void end(char bracket);
  void begin_value();
  void indent();
  void write_string(std::string_view text);

  std::ostream& out_;
  std::vector<Layout> layouts_;  // of the open brackets, the innermost last
  bool is_empty_ = true;         // nothing written yet in the innermost bracket
  bool is_after_key_ = false;
};

}  // namespace foothold::simulation
