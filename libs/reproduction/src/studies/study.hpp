#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foothold/reproduction/reproduction.hpp"
#include "foothold/simulation/play/result.hpp"

#include "studies/paper_experiments.hpp"

namespace foothold::reproduction {

/// What one study adds to the report.
struct StudyOutput {
  std::vector<report::Section> sections{};
  std::vector<Verdict> verdicts{};
  std::vector<report::Listing> listings{};
};

/// Runs an experiment under the options of the reproduction. Nothing if it was stopped.
[[nodiscard]] std::optional<simulation::ExperimentResult> run_stage(
    const PaperExperiment& experiment, const std::string& stage,
    const ReproductionOptions& options);

[[nodiscard]] inline report::Listing listing_of(const PaperExperiment& experiment) {
  return {.file = experiment.config.name + ".toml",
          .text = experiment.toml,
          .config_hash = experiment.config.config_hash};
}

[[nodiscard]] bool has_part(const ReproductionOptions& options, Part part);

/// Figures 1(a) and 3 and what is said of K arms. Nothing if it was stopped; so below.
[[nodiscard]] std::optional<StudyOutput> k_armed_study(const ReproductionOptions& options);
/// Figures 1(b) and 2 and the numbers of the polytope instance.
[[nodiscard]] std::optional<StudyOutput> polytope_study(const ReproductionOptions& options);
/// Lemmas, theorems and remarks.
[[nodiscard]] std::optional<StudyOutput> theory_study(const ReproductionOptions& options);

}  // namespace foothold::reproduction
