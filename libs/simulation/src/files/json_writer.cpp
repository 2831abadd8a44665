#include "files/json_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <ostream>

#include <fmt/format.h>

#include "foothold/base/invariant.hpp"

namespace foothold::simulation {

JsonWriter& JsonWriter::key(std::string_view name) {
  begin_value();
  write_string(name);
  out_ << ": ";
  is_after_key_ = true;
  return *this;
}

void JsonWriter::begin_object() {
  begin('{', Layout::Lines);
}

void JsonWriter::end_object() {
  end('}');
}

void JsonWriter::begin_array(bool is_block) {
  begin('[', is_block ? Layout::Lines : Layout::Inline);
}

void JsonWriter::end_array() {
  end(']');
}

void JsonWriter::value(double number) {
  begin_value();
  if (!std::isfinite(number)) {
    out_ << "null";
    return;
  }
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  FOOTHOLD_INVARIANT(error == std::errc{});
  out_ << std::string_view(buffer.data(), end);
}

void JsonWriter::value(std::int64_t number) {
  begin_value();
  out_ << number;
}

void JsonWriter::value(std::uint64_t number) {
  begin_value();
  out_ << number;
}

void JsonWriter::value(bool flag) {
  begin_value();
  out_ << (flag ? "true" : "false");
}

void JsonWriter::value(std::string_view text) {
  begin_value();
  write_string(text);
}

void JsonWriter::value(const std::optional<std::int64_t>& number) {
  if (number) {
    value(*number);
  } else {
    begin_value();
    out_ << "null";
  }
}

void JsonWriter::begin(char bracket, Layout layout) {
  begin_value();
  layouts_.push_back(layout);
  is_empty_ = true;
  out_ << bracket;
}

void JsonWriter::end(char bracket) {
  FOOTHOLD_INVARIANT(!layouts_.empty() && !is_after_key_);
  const Layout layout = layouts_.back();
  layouts_.pop_back();
  if (layout == Layout::Lines && !is_empty_) {
    indent();
  }
  out_ << bracket;
  is_empty_ = false;
}

// What comes between the last value, or the opening bracket, and the next one.
void JsonWriter::begin_value() {
  if (is_after_key_) {
    is_after_key_ = false;
    return;
  }
  if (layouts_.empty()) {
    return;
  }
  const bool is_inline = layouts_.back() == Layout::Inline;
  if (!is_empty_) {
    out_ << (is_inline ? ", " : ",");
  }
  if (!is_inline) {
    indent();
  }
  is_empty_ = false;
}

void JsonWriter::indent() {
  out_ << '\n';
  for (std::size_t i = 0; i < layouts_.size(); ++i) {
    out_ << "  ";
  }
}

void JsonWriter::write_string(std::string_view text) {
  out_ << '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out_ << '\\' << c;
    } else if (static_cast<unsigned char>(c) < 0x20U) {
      out_ << fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out_ << c;
    }
  }
  out_ << '"';
}

}  // namespace foothold::simulation
