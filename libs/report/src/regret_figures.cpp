#include "foothold/report/regret_figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "foothold/simulation/play/summary.hpp"
#include "foothold/statistics/moments.hpp"
#include "foothold/statistics/quantiles.hpp"

namespace foothold::report {
namespace {

using simulation::ExperimentResult;
using simulation::PolicyResult;

struct Middle {
  double value = 0.0;
  double lower = 0.0;
  double upper = 0.0;
};

Middle middle_of(const std::vector<double>& values, Spread spread) {
  if (values.empty()) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    return {.value = none, .lower = none, .upper = none};
  }
  if (spread == Spread::StandardDeviation) {
    const double mean = statistics::mean(values);
    const double std = values.size() > 1 ? statistics::sample_std(values) : 0.0;
    return {.value = mean, .lower = mean - std, .upper = mean + std};
  }
  const double tail = spread == Spread::Quartiles ? 0.25 : 0.1;
  return {.value = statistics::median(values),
          .lower = statistics::quantile(values, tail),
          .upper = statistics::quantile(values, 1.0 - tail)};
}

}  // namespace

Series per_step_curve(const PolicyResult& policy, const std::vector<std::int64_t>& rounds,
                      Spread spread, std::size_t runs) {
  const std::size_t used = runs == 0 ? policy.runs.size() : std::min(runs, policy.runs.size());
  Series series{.name = policy.name, .mark = Mark::Band};
  std::vector<double> values;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const auto round = static_cast<double>(rounds[i]);
    values.clear();
    for (std::size_t run = 0; run < used; ++run) {
      // The trace of a run that ended early is shorter than the others'.
      if (i < policy.runs[run].trace_regret.size()) {
        values.push_back(policy.runs[run].trace_regret[i] / round);
      }
    }
    const Middle middle = middle_of(values, spread);
    series.x.push_back(round);
    series.y.push_back(middle.value);
    series.lower.push_back(middle.lower);
    series.upper.push_back(middle.upper);
  }
  return series;
}

Series per_step_run(const PolicyResult& policy, const std::vector<std::int64_t>& rounds,
                    std::size_t run) {
  Series series{.name = policy.name};
  const std::vector<double>& regret = policy.runs.at(run).trace_regret;
  for (std::size_t i = 0; i < std::min(rounds.size(), regret.size()); ++i) {
    const auto round = static_cast<double>(rounds[i]);
    series.x.push_back(round);
    series.y.push_back(regret[i] / round);
  }
  return series;
}

std::vector<double> final_per_step(const PolicyResult& policy, std::int64_t horizon) {
  std::vector<double> values;
  for (const simulation::RunResult& run : policy.runs) {
    if (std::isfinite(run.final_regret)) {
      values.push_back(run.final_regret / static_cast<double>(horizon));
    }
  }
  return values;
}

Axis round_axis() {
  return {.label = "round t", .is_log = true};
}

Axis per_step_axis(bool is_log) {
  Axis axis{.label = "regret per step, R(t)/t", .is_log = is_log};
  if (!is_log) {
    axis.lower = 0.0;
  }
  return axis;
}

void fit_log_axis(Axis& axis, const std::vector<Series>& curves) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0.0;
  for (const Series& curve : curves) {
    for (const double y : curve.y) {
      least = y > 0.0 ? std::min(least, y) : least;
      most = std::isfinite(y) ? std::max(most, y) : most;
    }
    for (const double y : curve.upper) {
      most = std::isfinite(y) ? std::max(most, y) : most;
    }
  }
  if (!(most > 0.0) || !std::isfinite(least)) {
    axis.lower = 1e-6;
    axis.upper = 1.0;
    return;
  }
  const auto decade_below = [](double value) {
    return std::pow(10.0, std::floor(std::log10(value)));
  };
  axis.lower = decade_below(least);
  const double decade = decade_below(most);
  for (const double step : {1.0, 2.0, 5.0, 10.0}) {
    axis.upper = step * decade;
    // An axis needs a length.
    if (*axis.upper >= most && *axis.upper > *axis.lower) {
      break;
    }
  }
}

Section regret_section(const ExperimentResult& result) {
  Figure deviation{.name = "regret",
                   .title = "Mean and one standard deviation",
                   .caption = fmt::format("{}: mean regret per step of {} runs; the bands are one "
                                          "standard deviation of the sample.",
                                          result.name, result.runs),
                   .x = round_axis(),
                   .y = per_step_axis(false)};
  Figure quantiles{.name = "regret-quantiles",
                   .title = "Median and deciles",
                   .caption = fmt::format("{}: median regret per step of {} runs; the bands reach "
                                          "from the 10 % to the 90 % quantile.",
                                          result.name, result.runs),
                   .x = round_axis(),
                   .y = per_step_axis(true)};
  for (std::size_t i = 0; i < result.policies.size(); ++i) {
    Series mean =
        per_step_curve(result.policies[i], result.trace_rounds, Spread::StandardDeviation);
    Series median = per_step_curve(result.policies[i], result.trace_rounds, Spread::Deciles);
    mean.colour = colour(i);
    median.colour = colour(i);
    deviation.series.push_back(std::move(mean));
    quantiles.series.push_back(std::move(median));
  }
  fit_log_axis(quantiles.y, quantiles.series);
  if (result.horizon > 1) {
    deviation.x.upper = static_cast<double>(result.horizon);
    quantiles.x.upper = static_cast<double>(result.horizon);
  }
  return {.title = "Regret",
          .figures = {std::move(deviation), std::move(quantiles)},
          .tables = {regret_table(result)}};
}

TextTable regret_table(const ExperimentResult& result) {
  TextTable table{.caption = fmt::format("{}: cumulative regret at T = {}, {} runs", result.name,
                                         result.horizon, result.runs),
                  .headings = {"policy", "mean ± 95 %", "std", "median", "10 %", "90 %", "per step",
                               "violating runs", "T′, median"}};
  for (const PolicyResult& policy : result.policies) {
    const simulation::PolicySummary summary = summarize(policy, result.horizon);
    std::vector<double> regrets;
    for (const simulation::RunResult& run : policy.runs) {
      if (std::isfinite(run.final_regret)) {
        regrets.push_back(run.final_regret);
      }
    }
    table.rows.push_back(
        {policy.name,
         fmt::format("{} ± {}", short_number(summary.mean_regret),
                     short_number(summary.regret_half_width)),
         short_number(summary.std_regret), short_number(summary.median_regret),
         short_number(statistics::quantile(regrets, 0.1)),
         short_number(statistics::quantile(regrets, 0.9)), short_number(summary.per_step_regret),
         std::to_string(summary.violating_runs), short_number(summary.median_warmup)});
  }
  return table;
}

std::string short_number(double value) {
  if (!std::isfinite(value)) {
    return "–";
  }
  const double size = std::abs(value);
  if (size >= 1000.0 && size < 1e7) {
    return fmt::format("{:.0f}", value);
  }
  return fmt::format("{:.3g}", value);
}

}  // namespace foothold::report
