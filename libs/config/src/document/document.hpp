#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace foothold::config {

struct Node;
struct Member;
using Array = std::vector<Node>;
using Table = std::vector<Member>;  // in the order of the file where the format tells; keys unique

// What a format can hold but the schema never wants: dates and times of TOML.
struct Foreign {
  std::string kind{};
};

// What TOML and JSON have in common, with the line each value came from. The schema is
// written once, against this.
struct Node {
  using Content =
      std::variant<std::monostate, bool, std::int64_t, double, std::string, Foreign, Array, Table>;

  Node();
  explicit Node(Content content);
  Node(Content content, std::size_t from_line);

  Content value;
  std::size_t line = 0;  // from 1
};

struct Member {
  std::string key{};
  Node node{};
  std::size_t line = 0;  // of the key
};

// Deeper than any file of the schema, and shallow enough to recurse on.
inline constexpr std::size_t kMaxDepth = 32;
// Larger files are a mistake: a tree takes tens of times its text. Data go into CSV files.
inline constexpr std::size_t kMaxTextSize = std::size_t{1} << 24U;

// Both throw `Error{InvalidArgument, ""}` with the line if the text is not of the format, nests
// deeper than kMaxDepth, repeats a key, or holds a number that does not fit.
[[nodiscard]] Node parse_toml(std::string_view text, const std::string& source);
[[nodiscard]] Node parse_json(std::string_view text, const std::string& source);

// The member's value, or nullptr.
[[nodiscard]] const Node* find(const Table& table, std::string_view key);

// Where a field path such as `constraints[0].limit` leads, or the last node on the way.
struct Location {
  const Node& node;
  bool is_there = false;
};
[[nodiscard]] Location locate(const Node& node, std::string_view path);

// The value as a message shows it: scalars in full, long ones and containers abridged.
[[nodiscard]] std::string describe(const Node& node);

// "…" with control characters escaped, at most `limit` bytes of valid UTF-8.
[[nodiscard]] std::string quote(std::string_view text, std::size_t limit = 60);

// At most `limit` bytes of what may be no text at all: everything but printable ASCII escaped.
[[nodiscard]] std::string plain(std::string_view bytes, std::size_t limit = 160);

// Shortest decimal that reads back as the same number, recognisable as a float: 1.0, 1e+30.
[[nodiscard]] std::string float_text(double number);

// A document that cannot be read at all. `requirement` comes first, then the line and place.
[[noreturn]] void fail_text(const std::string& source, std::size_t line,
                            const std::string& requirement);

// What neither format may contain and their parsers let through: too much text, a byte order
// mark, NUL bytes.
void check_text(std::string_view text, const std::string& source);

// The text around `offset`, within its line and quoted, for messages.
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t offset);

}  // namespace foothold::config
