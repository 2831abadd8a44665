#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "foothold/base/error.hpp"

#include "document/document.hpp"

namespace foothold::config {
namespace {

// Measures how many parts the dotted keys of a text have. toml++ limits how deep values nest
// but not how long a key is, and `a.a.a…` with a million parts overflows the stack when its
// tables are destroyed. Comments and strings are skipped; a quoted part of a key adds its dot.
class KeyDepthScan {
 public:
  KeyDepthScan(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  void run() {
    while (position_ < text_.size()) {
      const char letter = text_[position_];
      if (letter == '#') {
        position_ = std::min(text_.find('\n', position_), text_.size());
      } else if (letter == '"' || letter == '\'') {
        skip_string(letter);
      } else {
        count(letter);
        ++position_;
      }
    }
  }

 private:
  void count(char letter) {
    constexpr std::string_view kEndsOfKeys = "\n=,[]{}";
    if (letter == '.') {
      ++parts_;
    } else if (kEndsOfKeys.find(letter) != std::string_view::npos) {
      parts_ = 1;
    }
    line_ += letter == '\n' ? 1 : 0;
    if (parts_ > kMaxDepth) {
      fail_text(source_, line_,
                fmt::format("must have keys of at most {} parts, got more in {}", kMaxDepth,
                            excerpt(text_, position_)));
    }
  }

  void skip_string(char delimiter) {
    const bool is_multiline = text_.substr(position_, 3) == std::string(3, delimiter);
    const std::string end(is_multiline ? 3 : 1, delimiter);
    position_ += end.size();
    while (position_ < text_.size() && text_.substr(position_, end.size()) != end) {
      const char letter = text_[position_];
      if (letter == '\n' && !is_multiline) {
        return;  // an unclosed string: the parser will say so
      }
      line_ += letter == '\n' ? 1 : 0;
      const bool is_escape = letter == '\\' && delimiter == '"';
      position_ += is_escape ? 2 : 1;
    }
    position_ += end.size();
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
  std::size_t parts_ = 1;
};

class Converter {
 public:
  explicit Converter(const std::string& source) : source_(source) {}

  [[nodiscard]] Node convert(const toml::node& from, std::size_t depth) const {
    Node node;
    node.line = from.source().begin.line;
    if (depth > kMaxDepth) {
      fail_text(source_, node.line, fmt::format("must nest at most {} deep, got more", kMaxDepth));
    }
    if (const auto* table = from.as_table()) {
      node.value = members(*table, depth);
    } else if (const auto* array = from.as_array()) {
      Array items;
      items.reserve(array->size());
      for (const toml::node& item : *array) {
        items.push_back(convert(item, depth + 1));
      }
      node.value = std::move(items);
    } else {
      set_scalar(node, from);
    }
    return node;
  }

 private:
  [[nodiscard]] Table members(const toml::table& from, std::size_t depth) const {
    Table table;
    table.reserve(from.size());
    for (const auto& [key, value] : from) {
      table.push_back({.key = std::string(key.str()),
                       .node = convert(value, depth + 1),
                       .line = key.source().begin.line});
    }
    return table;
  }

  static void set_scalar(Node& node, const toml::node& from) {
    if (const auto* flag = from.as_boolean()) {
      node.value = flag->get();
    } else if (const auto* integer = from.as_integer()) {
      node.value = integer->get();
    } else if (const auto* number = from.as_floating_point()) {
      node.value = number->get();
    } else if (const auto* text = from.as_string()) {
      node.value = text->get();
    } else {
      node.value = Foreign{.kind = "a date or time"};
    }
  }

  const std::string& source_;
};

std::size_t line_start(std::string_view text, std::size_t line) {
  std::size_t start = 0;
  for (std::size_t n = 1; n < line && start < text.size(); ++n) {
    start = std::min(text.find('\n', start), text.size() - 1) + 1;
  }
  return start;
}

}  // namespace

Node parse_toml(std::string_view text, const std::string& source) {
  check_text(text, source);
  KeyDepthScan(text, source).run();
  try {
    const toml::table root = toml::parse(text);
    Node node = Converter(source).convert(root, 0);
    node.line = 1;
    return node;
  } catch (const toml::parse_error& error) {
    const std::size_t line = std::max<std::size_t>(error.source().begin.line, 1);
    const std::size_t column = std::max<std::size_t>(error.source().begin.column, 1);
    fail_text(source, line,
              fmt::format("must be TOML: {}, got {}", plain(error.description()),
                          excerpt(text, line_start(text, line) + column - 1)));
  }
}

}  // namespace foothold::config
