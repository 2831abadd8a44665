#pragma once

#include <filesystem>
#include <string>

#include "foothold/report/figure.hpp"

namespace foothold::report {

/// The program gnuplot, as found in PATH. Throws `Error{Unavailable, "gnuplot"}` if it is not
/// there, saying what to install.
[[nodiscard]] std::filesystem::path find_gnuplot();

/// Draws a figure: writes NAME.csv, NAME.svg, NAME.png and NAME.pdf to a directory, which must
/// exist, and returns the SVG's text. gnuplot is run without a shell and without the user's
/// settings. The same figure gives the same bytes with one version of gnuplot and its fonts: the
/// date in the PDF is a fixed one. Files appear whole; what gnuplot does not finish leaves none.
///
/// Throws `Error{InvalidArgument}` if the figure is not valid, and `Error{Unavailable}` if gnuplot
/// is missing or fails, with its message, or a file cannot be written.
std::string draw(const Figure& figure, const std::filesystem::path& directory);

}  // namespace foothold::report
