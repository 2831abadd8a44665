#include "print_results.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "foothold/base/error.hpp"
#include "foothold/simulation/batch/sweep_files.hpp"
#include "foothold/simulation/files/result_files.hpp"
#include "foothold/simulation/play/summary.hpp"

#include "table.hpp"

namespace foothold::cli {
namespace {

using simulation::BatchPoint;
using simulation::BatchResult;
using simulation::ExperimentResult;
using simulation::PolicySummary;

constexpr const char* kRegretLegend =
    "\nmean regret: cumulative at the horizon, ± half the 95 % t-interval\n";

std::string number(double value, int digits = 4) {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, digits) : "-";
}

std::string with_half_width(double value, double half_width) {
  if (!std::isfinite(value)) {
    return number(value) + " ± " + number(half_width);
  }
  // As many decimals as the half width has, so that the two can be compared.
  const double magnitude = std::isfinite(half_width) && half_width > 0.0 ? half_width : value;
  const double leading = magnitude == 0.0 ? 0.0 : std::floor(std::log10(std::abs(magnitude)));
  const int decimals = std::max(0, 1 - static_cast<int>(leading));
  if (decimals > 9) {
    return number(value) + " ± " + number(half_width);
  }
  return std::isfinite(half_width)
             ? fmt::format("{:.{}f} ± {:.{}f}", value, decimals, half_width, decimals)
             : fmt::format("{:.{}f}", value, decimals);
}

void write_table(const ExperimentResult& result, std::ostream& out) {
  out << fmt::format("{}: horizon {}, seed {}, {} {}\n\n", result.name, result.horizon, result.seed,
                     result.runs, result.runs == 1 ? "run" : "runs");
  Table table({"policy", "runs", "mean regret", "std", "per step", "violations", "violating runs",
               "min margin", "warm-up", "coverage failures"});
  for (const simulation::PolicyResult& policy : result.policies) {
    const PolicySummary summary = summarize(policy, result.horizon);
    table.add_row({summary.name, std::to_string(summary.runs),
                   with_half_width(summary.mean_regret, summary.regret_half_width),
                   number(summary.std_regret), number(summary.per_step_regret),
                   std::to_string(summary.violations), std::to_string(summary.violating_runs),
                   number(summary.min_margin), fmt::format("{:.0f}", summary.median_warmup),
                   std::to_string(summary.coverage_failures)});
  }
  table.write(out);
  out << kRegretLegend << "warm-up: median rounds\n";
  for (const std::string& note : result.notes) {
    out << "note: " << note << '\n';
  }
}

// The keys of a sweep by their last step, which is what folders are named after.
std::vector<std::string> sweep_headings(const std::vector<std::string>& axes) {
  std::vector<std::string> headings;
  headings.reserve(axes.size());
  for (const std::string& axis : axes) {
    headings.push_back(axis.substr(axis.rfind('.') + 1));
  }
  return headings;
}

std::string setting_text(const config::SweepSetting& setting) {
  return std::visit([](const auto& value) { return fmt::format("{}", value); }, setting.value);
}

void write_sweep_table(const BatchResult& batch, std::ostream& out) {
  const std::size_t points = batch.points.size();
  out << fmt::format("{}: {} {}\n\n", batch.points.front().result.name, points,
                     points == 1 ? "point" : "points");
  std::vector<std::string> headings = sweep_headings(batch.axes);
  for (const char* heading : {"policy", "runs", "mean regret", "per step", "violations",
                              "min margin", "coverage failures"}) {
    headings.emplace_back(heading);
  }
  Table table(headings);
  for (const BatchPoint& point : batch.points) {
    for (const simulation::PolicyResult& policy : point.result.policies) {
      const PolicySummary summary = summarize(policy, point.result.horizon);
      std::vector<std::string> cells;
      for (const config::SweepSetting& setting : point.settings) {
        cells.push_back(setting_text(setting));
      }
      cells.insert(cells.end(),
                   {summary.name, std::to_string(summary.runs),
                    with_half_width(summary.mean_regret, summary.regret_half_width),
                    number(summary.per_step_regret), std::to_string(summary.violations),
                    number(summary.min_margin), std::to_string(summary.coverage_failures)});
      table.add_row(std::move(cells));
    }
  }
  table.write(out);
  out << kRegretLegend;
  // Notes are mostly the same at all points: each once.
  std::vector<std::string> notes;
  for (const BatchPoint& point : batch.points) {
    for (const std::string& note : point.result.notes) {
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
        notes.push_back(note);
        out << "note: " << note << '\n';
      }
    }
  }
}

void write_experiment(const ExperimentResult& result, OutputFormat format, std::ostream& out) {
  switch (format) {
    case OutputFormat::Table:
      write_table(result, out);
      break;
    case OutputFormat::Json:
      simulation::write_summary(result, out);
      break;
    case OutputFormat::Csv:
      simulation::write_policies(result, out);
      break;
  }
}

void write_sweep(const BatchResult& batch, OutputFormat format, std::ostream& out) {
  switch (format) {
    case OutputFormat::Table:
      write_sweep_table(batch, out);
      break;
    case OutputFormat::Json:
      simulation::write_sweep_json(batch, out);
      break;
    case OutputFormat::Csv:
      simulation::write_sweep_csv(batch, out);
      break;
  }
}

}  // namespace

OutputFormat format_named(const std::string& word) {
  static const std::map<std::string, OutputFormat> formats{
      {"table", OutputFormat::Table}, {"json", OutputFormat::Json}, {"csv", OutputFormat::Csv}};
  return formats.at(word);
}

void print_results(const BatchResult& batch, OutputFormat format, std::ostream& out) {
  if (batch.axes.empty()) {
    write_experiment(batch.points.front().result, format, out);
  } else {
    write_sweep(batch, format, out);
  }
  out.flush();
  if (!out) {
    throw Error(ErrorCode::Unavailable, "", "the results could not be written to standard output");
  }
}

}  // namespace foothold::cli
