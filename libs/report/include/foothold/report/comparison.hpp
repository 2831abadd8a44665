#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foothold/config/experiment.hpp"
#include "foothold/report/report.hpp"
#include "foothold/simulation/play/result.hpp"
#include "foothold/statistics/intervals.hpp"
#include "foothold/statistics/paired.hpp"

namespace foothold::report {

/// An experiment and the file that it came from.
struct NamedExperiment {
  std::string file{};
  config::ExperimentConfig config{};
};

/// Throws `Error{InvalidArgument}` naming file and field unless there are at least two policies in
/// all and every experiment has the horizon, runs, seed, problem, environment and family of the
/// first. λ may differ: it is the learner's choice, not the world's.
void require_comparable(const std::vector<NamedExperiment>& experiments);

/// The results of comparable experiments as those of one, with all their policies in order. A
/// policy whose name another file has, too, gets its file's stem in front, its path where stems are
/// alike, with a number where a file is given again. Requires as many results as experiments.
[[nodiscard]] simulation::ExperimentResult joined(
    const std::vector<NamedExperiment>& experiments,
    std::vector<simulation::ExperimentResult> results);

/// One policy against the first: regret(policy) − regret(first), run by run.
struct PairedRow {
  std::string policy{};
  statistics::PairedDifference difference{};
  statistics::Interval bootstrap{};  ///< 95 % interval of the mean difference, BC_a.
};

/// A row for every policy but the first, over the runs that both of them finished. Requires at
/// least two policies with as many runs.
[[nodiscard]] std::vector<PairedRow> paired_rows(const simulation::ExperimentResult& result);

/// The same as text: mean difference ± 95 %, bootstrap interval, median, share of runs won.
[[nodiscard]] TextTable paired_table(const simulation::ExperimentResult& result);

/// Figures, the policies' numbers, and the paired differences.
[[nodiscard]] Report comparison_report(const std::vector<NamedExperiment>& experiments,
                                       const simulation::ExperimentResult& result);

}  // namespace foothold::report
