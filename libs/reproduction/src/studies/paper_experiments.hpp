#pragma once

#include <cstdint>
#include <string>

#include "foothold/config/experiment.hpp"

namespace foothold::reproduction {

/// How much of an experiment is run.
struct ExperimentSize {
  std::int64_t horizon = 0;
  std::int64_t runs = 0;
  std::uint64_t seed = 0;
};

/// An experiment and the file that says it, which `foothold run` takes as it is.
struct PaperExperiment {
  config::ExperimentConfig config{};
  std::string toml{};
};

/// The polytope instance of [AAT19, App. F] with the paper's settings: policies "with warm-up"
/// (T' = 1054, as printed) and "without warm-up".
[[nodiscard]] PaperExperiment polytope_experiment(const ExperimentSize& size);
/// The same instance and noise under Foothold's defaults: policy "targeted".
[[nodiscard]] PaperExperiment polytope_default_experiment(const ExperimentSize& size);

/// The polytope instance with −B for B: the constraint binds at the optimum, Δ = 0, and all else is
/// as before. The paper has no such instance; Theorem 3 and Lemma 5 are about them.
[[nodiscard]] PaperExperiment binding_experiment(const ExperimentSize& size);
[[nodiscard]] PaperExperiment binding_default_experiment(const ExperimentSize& size);

/// The K-armed ensemble of [AAT19, App. F]: policies "Safe-LUCB, gap known", "Safe-LUCB, T₀",
/// "GSLUCB" and "targeted".
[[nodiscard]] PaperExperiment k_armed_experiment(const ExperimentSize& size);
/// The same, with draws only in which the constraint excludes the best arm and Δ ≥ 0.1.
[[nodiscard]] PaperExperiment k_armed_binding_experiment(const ExperimentSize& size);

/// Rounds of warm-up that [AAT19, App. F] prints.
inline constexpr std::int64_t kPrintedWarmup = 1054;
/// The round at which [AAT19, Fig. 2] draws the safe set again.
inline constexpr std::int64_t kPrintedRound = 50000;

}  // namespace foothold::reproduction
