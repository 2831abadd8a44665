#pragma once

#include <string>
#include <string_view>

namespace foothold::report {

/// Text that a reader can print: valid UTF-8 without control characters. Each of these becomes a
/// space, each byte that is no part of valid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string printable(std::string_view text);

/// Printable text for HTML, within elements and quoted attributes.
[[nodiscard]] std::string html_text(std::string_view text);

/// The same for text with formulas: after a single letter, or a bracket such as ‖ with its
/// exponent, x_t becomes an index and T^(2/3) an exponent. What follows is a group in braces or
/// parentheses, a number, "min", or one character. Other underscores, as in names, stay.
[[nodiscard]] std::string html_formulas(std::string_view text);

/// Printable text for a cell of a Markdown table.
[[nodiscard]] std::string markdown_cell(std::string_view text);

/// An SVG file of `gnuplot_program` as an element within HTML: what draws in the text's colour
/// takes that of the page, there is no background, and every id begins with `prefix`, since the
/// ids of all pictures share one page.
[[nodiscard]] std::string inline_svg(std::string_view svg, std::string_view prefix);

}  // namespace foothold::report
