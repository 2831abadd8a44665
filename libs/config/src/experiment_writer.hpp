#pragma once

#include "foothold/config/experiment.hpp"

#include "document/document.hpp"

namespace foothold::config {

// What reads back as this configuration, every default written out, keys in a fixed order.
[[nodiscard]] Node write_experiment(const ExperimentConfig& config);

}  // namespace foothold::config
