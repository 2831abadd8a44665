#include "foothold/report/comparison.hpp"

#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "foothold/base/error.hpp"
#include "foothold/base/invariant.hpp"
#include "foothold/report/regret_figures.hpp"
#include "foothold/simulation/play/summary.hpp"
#include "foothold/statistics/bootstrap.hpp"
#include "foothold/statistics/moments.hpp"
#include "foothold/statistics/paired.hpp"

namespace foothold::report {
namespace {

using simulation::ExperimentResult;
using simulation::PolicyResult;

// The world of an experiment as canonical text: nothing of its learners, nothing of its size.
config::ExperimentConfig world_of(config::ExperimentConfig config) {
  config.name.clear();
  config.horizon = 1;
  config.runs = 1;
  config.seed = 0;
  config.policies = {{.name = "any"}};
  if (config.problem) {
    config.problem->assumptions.ridge.reset();
  }
  if (config.family) {
    config.family->ridge.reset();
  }
  return config;
}

// The world with one of its tables only.
std::string table_text(const config::ExperimentConfig& config, const std::string& table) {
  config::ExperimentConfig only = world_of(config);
  if (table != "problem") {
    only.problem.reset();
  }
  if (table != "environment") {
    only.environment.reset();
  }
  if (table != "family") {
    only.family.reset();
  }
  return config::to_json(only);
}

void require_equal(const std::string& field, const std::string& file, const std::string& value,
                   const NamedExperiment& first, const std::string& wanted) {
  if (value != wanted) {
    throw Error(ErrorCode::InvalidArgument, field,
                fmt::format("must be {} in {} as in {}, got {}", wanted, file, first.file, value));
  }
}

std::vector<double> final_regrets(const PolicyResult& policy) {
  std::vector<double> values;
  for (const simulation::RunResult& run : policy.runs) {
    values.push_back(run.final_regret);
  }
  return values;
}

// What tells the files apart: their stems, where two are alike their paths, and a number where the
// very same file is given again.
std::vector<std::string> file_labels(const std::vector<NamedExperiment>& experiments) {
  std::map<std::string, int> stems;
  const auto stem_of = [](const NamedExperiment& experiment) {
    return std::filesystem::path(experiment.file).stem().string();
  };
  for (const NamedExperiment& experiment : experiments) {
    ++stems[stem_of(experiment)];
  }
  std::map<std::string, int> uses;
  std::vector<std::string> labels;
  for (const NamedExperiment& experiment : experiments) {
    const std::string stem = stem_of(experiment);
    std::string label = stems[stem] > 1 ? experiment.file : stem;
    const int use = ++uses[label];
    labels.push_back(use > 1 ? fmt::format("{} ({})", label, use) : label);
  }
  return labels;
}

}  // namespace

void require_comparable(const std::vector<NamedExperiment>& experiments) {
  std::size_t policies = 0;
  for (const NamedExperiment& experiment : experiments) {
    policies += experiment.config.policies.size();
  }
  if (policies < 2) {
    throw Error(ErrorCode::InvalidArgument, "policies",
                fmt::format("must be at least two in all to compare, got {}", policies));
  }
  const NamedExperiment& first = experiments.front();
  for (const NamedExperiment& other : experiments) {
    const auto check = [&](const char* field, std::uint64_t value, std::uint64_t wanted) {
      require_equal(field, other.file, std::to_string(value), first, std::to_string(wanted));
    };
    check("horizon", static_cast<std::uint64_t>(other.config.horizon),
          static_cast<std::uint64_t>(first.config.horizon));
    check("runs", static_cast<std::uint64_t>(other.config.runs),
          static_cast<std::uint64_t>(first.config.runs));
    check("seed", other.config.seed, first.config.seed);
    for (const char* table : {"problem", "environment", "family"}) {
      if (table_text(other.config, table) != table_text(first.config, table)) {
        throw Error(ErrorCode::InvalidArgument, table,
                    fmt::format("must be the same in {} as in {}, ridge aside, but differs",
                                other.file, first.file));
      }
    }
  }
}

ExperimentResult joined(const std::vector<NamedExperiment>& experiments,
                        std::vector<ExperimentResult> results) {
  FOOTHOLD_INVARIANT(!results.empty() && results.size() == experiments.size());
  std::map<std::string, int> uses;
  for (const ExperimentResult& result : results) {
    for (const PolicyResult& policy : result.policies) {
      ++uses[policy.name];
    }
  }
  ExperimentResult all = results.front();
  all.policies.clear();
  all.notes.clear();
  all.seconds = 0.0;
  const std::vector<std::string> labels = file_labels(experiments);
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (PolicyResult& policy : results[i].policies) {
      if (uses[policy.name] > 1) {
        policy.name = fmt::format("{}: {}", labels[i], policy.name);
      }
      all.policies.push_back(std::move(policy));
    }
    for (std::string& note : results[i].notes) {
      all.notes.push_back(fmt::format("{}: {}", labels[i], note));
    }
    all.is_complete = all.is_complete && results[i].is_complete;
    all.seconds += results[i].seconds;
  }
  return all;
}

std::vector<PairedRow> paired_rows(const ExperimentResult& result) {
  FOOTHOLD_INVARIANT(result.policies.size() >= 2);
  const std::vector<double> first = final_regrets(result.policies.front());
  std::vector<PairedRow> rows;
  for (std::size_t i = 1; i < result.policies.size(); ++i) {
    const std::vector<double> second = final_regrets(result.policies[i]);
    FOOTHOLD_INVARIANT(second.size() == first.size());
    std::vector<double> a;
    std::vector<double> b;
    std::vector<double> difference;
    for (std::size_t run = 0; run < first.size(); ++run) {
      if (std::isfinite(first[run]) && std::isfinite(second[run])) {
        a.push_back(second[run]);
        b.push_back(first[run]);
        difference.push_back(second[run] - first[run]);
      }
    }
    rows.push_back({.policy = result.policies[i].name,
                    .difference = statistics::compare_paired(a, b, simulation::kConfidence),
                    .bootstrap = statistics::bootstrap_interval(
                        difference, statistics::mean, simulation::kConfidence, result.seed)});
  }
  return rows;
}

TextTable paired_table(const ExperimentResult& result) {
  TextTable table{
      .caption = fmt::format("regret minus that of \"{}\", run by run on the same instances and "
                             "noise; below 0 is better",
                             result.policies.front().name),
      .headings = {"policy", "mean difference ± 95 %", "bootstrap 95 %", "median", "runs won"}};
  for (const PairedRow& row : paired_rows(result)) {
    table.rows.push_back({row.policy,
                          fmt::format("{} ± {}", short_number(row.difference.mean),
                                      short_number(row.difference.half_width)),
                          fmt::format("[{}, {}]", short_number(row.bootstrap.lower),
                                      short_number(row.bootstrap.upper)),
                          short_number(row.difference.median),
                          fmt::format("{:.3g} %", 100.0 * row.difference.wins)});
  }
  return table;
}

Report comparison_report(const std::vector<NamedExperiment>& experiments,
                         const ExperimentResult& result) {
  Report report{.title = "Comparison: " + result.name};
  report.lead = {
      "All policies met the same instances and, round by round, the same noise, so that "
      "differences are theirs. Intervals have 95 % confidence."};
  report.lead.insert(report.lead.end(), result.notes.begin(), result.notes.end());
  report.facts = program_facts();
  report.facts.emplace_back("seed", std::to_string(result.seed));
  report.facts.emplace_back("horizon", std::to_string(result.horizon));
  report.facts.emplace_back("runs", std::to_string(result.runs));
  Section section = regret_section(result);
  section.tables.push_back(paired_table(result));
  report.sections.push_back(std::move(section));
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    report.listings.push_back({.file = fmt::format("experiment-{}.toml", i + 1),
                               .text = config::to_toml(experiments[i].config),
                               .config_hash = experiments[i].config.config_hash});
  }
  return report;
}

}  // namespace foothold::report
