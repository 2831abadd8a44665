#pragma once

#include "foothold/config/experiment.hpp"
#include "foothold/simulation/play/result.hpp"

namespace foothold::simulation {

/// The result of an experiment before its first run: name, policies, traced rounds and notes.
/// Throws `Error{InvalidArgument}` if it is no experiment: see `run_experiment`.
[[nodiscard]] ExperimentResult outline_of(const config::ExperimentConfig& config);

}  // namespace foothold::simulation
