#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace foothold::cli {

/// The width of UTF-8 text in a terminal, one column per code point.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// Columns of text under headings: the first left-aligned, the others right-aligned, with two
/// spaces between them.
class Table {
 public:
  explicit Table(std::vector<std::string> headings);

  /// Requires as many cells as headings.
  void add_row(std::vector<std::string> cells);
  void write(std::ostream& out) const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the headings first
};

}  // namespace foothold::cli
