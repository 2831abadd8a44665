#include "foothold/report/figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "foothold/base/error.hpp"
#include "foothold/report/markup.hpp"
#include "foothold/simulation/files/csv_text.hpp"

namespace foothold::report {
namespace {

// Narrow, so that the text is not shrunk much where a phone shows the whole width.
constexpr int kWidth = 420;
constexpr int kPlotHeight = 310;
constexpr int kKeyLine = 20;
// What surrounds the axes, so that a plan has square axes.
constexpr int kPlanHeight = kWidth - 20;
constexpr double kMaxWidth = 20.0;

[[noreturn]] void figure_error(const std::string& field, const std::string& message) {
  throw Error(ErrorCode::InvalidArgument, field, message);
}

bool is_stem(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

bool is_colour(const std::string& text) {
  return text.size() == 7 && text.front() == '#' &&
         text.find_first_not_of("0123456789abcdef", 1) == std::string::npos;
}

bool has_range(const Series& series) {
  return series.mark == Mark::Band || series.mark == Mark::Bars;
}

void validate(const Series& series, const std::string& field) {
  if (!series.colour.empty() && !is_colour(series.colour)) {
    figure_error(field + ".colour", "must be empty or #rrggbb, got " + printable(series.colour));
  }
  if (!(series.width > 0.0 && series.width <= kMaxWidth)) {
    figure_error(field + ".width",
                 fmt::format("must lie in (0, {}], got {}", kMaxWidth, series.width));
  }
  const std::size_t size = series.x.size();
  const std::size_t ranges = has_range(series) ? size : 0;
  if (series.y.size() != size || series.lower.size() != ranges || series.upper.size() != ranges) {
    figure_error(
        field,
        fmt::format("must have {} values of y and {} of lower and upper, got {}, {} and {}", size,
                    ranges, series.y.size(), series.lower.size(), series.upper.size()));
  }
}

// A gnuplot string. Between single quotes only the quote itself means something.
std::string gnuplot_string(std::string_view text) {
  std::string result = "'";
  for (const char c : printable(text)) {
    result += c == '\'' ? "''" : std::string(1, c);
  }
  return result + "'";
}

std::string number(double value, const Axis& axis) {
  const bool is_drawable = std::isfinite(value) && (!axis.is_log || value > 0.0);
  return is_drawable ? fmt::format("{:.6g}", value) : "NaN";
}

// The lower end of a band that leaves a logarithmic axis ends at the axis, not in a hole.
double clipped(double value, const Axis& axis) {
  return axis.lower && value < *axis.lower ? *axis.lower : value;
}

void add_data(std::string& program, std::size_t index, const Series& series, const Figure& figure) {
  auto out = std::back_inserter(program);
  fmt::format_to(out, "$data{} << EOD\n", index);
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    fmt::format_to(out, "{} {}", number(series.x[i], figure.x), number(series.y[i], figure.y));
    if (has_range(series)) {
      fmt::format_to(out, " {} {}", number(clipped(series.lower[i], figure.y), figure.y),
                     number(series.upper[i], figure.y));
    }
    program += '\n';
  }
  program += "EOD\n";
}

std::string bound(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : "*";
}

// 3000 as 3k and 1000000 as 1M, so that many fit below a narrow axis.
std::string short_label(double value) {
  const auto is_whole = [&](double unit) { return value >= unit && std::fmod(value, unit) == 0.0; };
  if (is_whole(1e6)) {
    return fmt::format("{:.6g}M", value / 1e6);
  }
  return is_whole(1e3) ? fmt::format("{:.6g}k", value / 1e3) : fmt::format("{:.6g}", value);
}

void add_axis(std::string& program, const char* letter, const Axis& axis) {
  auto out = std::back_inserter(program);
  fmt::format_to(out, "set {}label {} noenhanced textcolor rgb '{}'\n", letter,
                 gnuplot_string(axis.label), kInk);
  fmt::format_to(out, "set {}range [{}:{}]\n", letter, bound(axis.lower), bound(axis.upper));
  if (axis.is_log) {
    fmt::format_to(out, "set logscale {}\nset format {} '10^{{%T}}'\n", letter, letter);
  }
  std::string tics;
  for (const double value : axis.tics) {
    tics += fmt::format("{}'{}' {:.6g}", tics.empty() ? "" : ", ", short_label(value), value);
  }
  if (!tics.empty()) {
    fmt::format_to(out, "set {}tics ({})\n", letter, tics);
  }
}

std::string style(const Series& series) {
  const std::string colour = series.colour.empty() ? kInk : series.colour;
  const char* lines = series.has_points ? "linespoints pt 7 ps 0.6" : "lines";
  switch (series.mark) {
    case Mark::Line:
      return fmt::format("with {} lw {:.3g} lc rgb '{}'", lines, series.width, colour);
    case Mark::Band:
      return fmt::format("with lines lw {:.3g} lc rgb '{}'", series.width, colour);
    case Mark::Dashes:
      return fmt::format("with {} lw {:.3g} dt (8,5) lc rgb '{}'", lines, series.width, colour);
    case Mark::Points:
      return fmt::format("with points pt 7 ps 1.5 lc rgb '{}'", colour);
    case Mark::Bars:
      return fmt::format("with yerrorlines pt 7 ps 0.6 lw 1.5 lc rgb '{}'", colour);
  }
  return "";
}

void add_plot(std::string& program, const Figure& figure) {
  std::string parts;
  const auto add = [&parts](const std::string& part) {
    parts += (parts.empty() ? "plot " : ", \\\n  ") + part;
  };
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    if (figure.series[i].mark == Mark::Band) {
      const std::string& colour = figure.series[i].colour;
      add(
          fmt::format("$data{} using 1:3:4 with filledcurves fc rgb '{}' fs transparent solid 0.22 "
                      "noborder notitle",
                      i, colour.empty() ? kInk : colour));
    }
  }
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const Series& series = figure.series[i];
    const char* columns = series.mark == Mark::Bars ? "1:2:3:4" : "1:2";
    const std::string title = series.name.empty()
                                  ? "notitle"
                                  : fmt::format("title {} noenhanced", gnuplot_string(series.name));
    add(fmt::format("$data{} using {} {} {}", i, columns, style(series), title));
  }
  program += parts + "\n";
}

int height(const Figure& figure) {
  const auto entries = std::ranges::count_if(
      figure.series, [](const Series& series) { return !series.name.empty(); });
  return (figure.is_plan ? kPlanHeight : kPlotHeight) + kKeyLine * static_cast<int>(entries);
}

void add_output(std::string& program, const std::string& terminal, const std::string& file) {
  program += fmt::format("set terminal {}\nset output '{}'\nreplot\nset output\n", terminal, file);
}

std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

}  // namespace

void validate(const Figure& figure) {
  if (!is_stem(figure.name)) {
    figure_error("figure.name",
                 "must have small letters, digits and dashes only, got " + printable(figure.name));
  }
  if (figure.series.empty()) {
    figure_error("figure.series", "must have at least one entry, got none");
  }
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    validate(figure.series[i], fmt::format("figure.series[{}]", i));
  }
}

std::string gnuplot_program(const Figure& figure) {
  std::string program = "set encoding utf8\nset minussign\n";
  auto out = std::back_inserter(program);
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    add_data(program, i, figure.series[i], figure);
  }
  fmt::format_to(out, "set title {} noenhanced textcolor rgb '{}'\n", gnuplot_string(figure.title),
                 kInk);
  fmt::format_to(out, "set border 3 lc rgb '{}'\nset tics nomirror textcolor rgb '{}'\n", kInk,
                 kInk);
  fmt::format_to(out, "set grid lt 1 lw 0.5 lc rgb '#909090'\n");
  fmt::format_to(out,
                 "set key below left Left reverse vertical maxcols 1 height 0.7 samplen 2.5 "
                 "textcolor rgb '{}'\n",
                 kInk);
  program += "set tmargin 2.4\nset rmargin 2.5\nset xlabel offset 0,0.4\n";
  add_axis(program, "x", figure.x);
  add_axis(program, "y", figure.y);
  if (figure.is_plan) {
    program += "set size ratio -1\n";
  }
  const int pixels = height(figure);
  // The first drawing goes nowhere: it gives `replot` something to repeat.
  program += "set terminal unknown\n";
  add_plot(program, figure);
  add_output(program,
             fmt::format("svg size {},{} dynamic font 'sans-serif,14' background '#ffffff'", kWidth,
                         pixels),
             figure.name + ".svg");
  add_output(program,
             fmt::format("pngcairo size {},{} font 'DejaVu Sans,20' background '#ffffff' "
                         "linewidth 2 pointscale 1.6",
                         2 * kWidth, 2 * pixels),
             figure.name + ".png");
  add_output(program,
             fmt::format("pdfcairo size {:.2f}in,{:.2f}in font 'DejaVu Sans,10' linewidth 1 "
                         "pointscale 0.6",
                         kWidth / 96.0, pixels / 96.0),
             figure.name + ".pdf");
  return program;
}

std::string csv(const Figure& figure) {
  std::string text = "series,x,y,lower,upper\n";
  for (const Series& series : figure.series) {
    const std::string name = simulation::csv_field(series.name);
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      const bool is_ranged = has_range(series);
      text += fmt::format("{},{},{},{},{}\n", name, csv_number(series.x[i]),
                          csv_number(series.y[i]), is_ranged ? csv_number(series.lower[i]) : "",
                          is_ranged ? csv_number(series.upper[i]) : "");
    }
  }
  return text;
}

std::string colour(std::size_t number) {
  static constexpr std::array kAll{colours::kBlue,   colours::kOrange, colours::kGreen,
                                   colours::kPurple, colours::kRed,    colours::kGrey};
  return kAll.at(number % kAll.size());
}

}  // namespace foothold::report
