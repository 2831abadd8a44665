#include "table.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include "foothold/base/invariant.hpp"

namespace foothold::cli {

std::size_t display_width(std::string_view text) {
  // Every byte but the continuation bytes 10xxxxxx begins a code point.
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

Table::Table(std::vector<std::string> headings) {
  rows_.push_back(std::move(headings));
}

void Table::add_row(std::vector<std::string> cells) {
  FOOTHOLD_ASSERT(cells.size() == rows_.front().size());
  rows_.push_back(std::move(cells));
}

void Table::write(std::ostream& out) const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const std::vector<std::string>& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  for (const std::vector<std::string>& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - display_width(row[i]), ' ');
      out << (i == 0 ? row[i] + padding : "  " + padding + row[i]);
    }
    out << '\n';
  }
}

}  // namespace foothold::cli
