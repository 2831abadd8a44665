#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace foothold::report {

/// How a series is drawn.
enum class Mark : std::uint8_t {
  Line,
  Dashes,
  Points,
  Bars,  ///< Points with a bar from `lower` to `upper`.
  Band   ///< A line within a shaded band from `lower` to `upper`.
};

/// One curve, or one cloud of points, with its entry in the key.
struct Series {
  std::string name{};  ///< In the key; empty: not there.
  Mark mark = Mark::Line;
  std::string colour{};     ///< "#rrggbb"; empty: the colour of the text.
  double width = 2.0;       ///< Of the line, in (0, 20]. Of lines that coincide the first is below.
  bool has_points = false;  ///< A dot at each value of a `Line` or of `Dashes`, where they are few.
  std::vector<double> x{};
  std::vector<double> y{};
  std::vector<double> lower{};  ///< For `Band` and `Bars`.
  std::vector<double> upper{};
};

struct Axis {
  std::string label{};
  bool is_log = false;
  std::optional<double> lower{};  ///< Left out: found from the data.
  std::optional<double> upper{};
  std::vector<double> tics{};  ///< Where numbers stand, as 3k or 1M; left out: found from the data.
};

/// One picture: a pair of axes and what is drawn in them. Narrow, so that it can be read on a
/// phone; a figure of several panels is several of these.
struct Figure {
  std::string name{};  ///< The stem of its files: small letters, digits and dashes.
  std::string title{};
  std::string caption{};  ///< For the report; not in the picture.
  Axis x{};
  Axis y{};
  bool is_plan = false;  ///< One unit of x is as long as one of y.
  std::vector<Series> series{};
};

/// Throws `Error{InvalidArgument}` naming the field if the name has another character, a colour or
/// a width is not one, there is no series, or the sizes of a series disagree.
void validate(const Figure& figure);

/// The gnuplot program that draws NAME.svg, NAME.png and NAME.pdf in the current directory. It
/// holds the data and reads no file. Text is quoted so that it is never taken for a command or
/// for markup: control characters and broken UTF-8 are replaced. Points that are not finite, or not
/// positive on a logarithmic axis, are left out. Requires a valid figure.
[[nodiscard]] std::string gnuplot_program(const Figure& figure);

/// The data as CSV: series,x,y,lower,upper; what does not exist is empty.
[[nodiscard]] std::string csv(const Figure& figure);

/// The colour that stands for the text's in an SVG of `gnuplot_program`: nearly black.
inline constexpr const char* kInk = "#010203";

/// Colours that can be told apart, by most who are colour-blind too, on white and on black.
namespace colours {
inline constexpr const char* kBlue = "#2a7fd4";
inline constexpr const char* kOrange = "#d9730d";
inline constexpr const char* kGreen = "#129a6a";
inline constexpr const char* kPurple = "#b45fc0";
inline constexpr const char* kRed = "#e0443e";
inline constexpr const char* kGrey = "#858585";
}  // namespace colours

/// The n-th of the colours, in turn.
[[nodiscard]] std::string colour(std::size_t number);

}  // namespace foothold::report
