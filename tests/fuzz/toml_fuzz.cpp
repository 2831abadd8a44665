#include "experiment_fuzz.hpp"

// Input: the text of an experiment file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace foothold;
  fuzz::read_everything(fuzz::text_of(data, size),
                        {.parse_experiment = config::parse_experiment_toml,
                         .parse_study = config::parse_study_toml,
                         .parse_sweep = config::parse_sweep_toml,
                         .write = config::to_toml});
  return 0;
}
