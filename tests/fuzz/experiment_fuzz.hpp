#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "foothold/config/experiment.hpp"
#include "foothold/config/sweep.hpp"

#include "fuzz_support.hpp"

namespace foothold::fuzz {

/// The functions that read one format.
struct Format {
  config::ExperimentConfig (*parse_experiment)(std::string_view, const std::string&);
  config::StudyConfig (*parse_study)(std::string_view, const std::string&);
  config::Sweep (*parse_sweep)(std::string_view, const std::string&);
  std::string (*write)(const config::ExperimentConfig&);
};

/// Reads the text as an experiment, a study and a sweep. An experiment that is accepted must be
/// written to text that reads back with the same meaning.
inline void read_everything(std::string_view text, const Format& format) {
  survives([&] { static_cast<void>(format.parse_study(text, "fuzz")); });
  survives([&] { static_cast<void>(format.parse_sweep(text, "fuzz")); });

  std::optional<config::ExperimentConfig> config;
  std::string written;
  if (!survives([&] { config = format.parse_experiment(text, "fuzz"); }) ||
      !survives([&] { written = format.write(*config); })) {
    return;
  }
  std::string written_again;
  try {
    const config::ExperimentConfig again = format.parse_experiment(written, "written");
    written_again = format.write(again);
    if (again.config_hash != config->config_hash) {
      fail("hash of the written text differs:\n" + written);
    }
  } catch (const Error& error) {
    fail("written text is refused: " + std::string(error.what()) + "\n" + written);
  }
  if (written != written_again) {
    fail("written text changes when it is read:\n" + written + "\n" + written_again);
  }
}

}  // namespace foothold::fuzz
