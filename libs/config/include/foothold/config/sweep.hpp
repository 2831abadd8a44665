#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "foothold/config/experiment.hpp"

namespace foothold::config {

/// A value as a list of a sweep holds it; arrays and tables as their text.
using SweepValue = std::variant<bool, std::int64_t, double, std::string>;

/// One key of a point of the grid, such as `family.dim` = 4.
struct SweepSetting {
  std::string path{};
  SweepValue value{};
};

/// One experiment of a sweep.
struct SweepPoint {
  std::string folder{};                  ///< Where its results go, such as "dim=4,noise_scale=0.1".
  std::vector<SweepSetting> settings{};  ///< One for each axis, in their order.
  ExperimentConfig experiment{};
};

/// What a file with a `[sweep]` table stands for: the grid of all combinations of its lists.
///
///     [sweep]
///     "family.dim" = [2, 4, 8]
///     "policies.greedy.exploration" = [0.5, 1.0]
///
/// A key is the dotted path of a key of the file, whether the file has it or leaves it to its
/// default. An entry of an array is chosen by its number, from 0, or by its `name`; `*` is all of
/// them. Lists count up like digits, in the order of the file, the last one fastest. All points
/// have the file's seed, hence common random numbers, unless the seed is swept.
///
/// A file without the table is one point without settings and folder.
struct Sweep {
  std::vector<std::string> axes{};  ///< The paths; none without the table.
  std::vector<SweepPoint> points{};
};

/// Each reads every point as strictly as `parse_experiment_toml` reads an experiment and throws as
/// it does; also for a path that leads nowhere, an empty list, a value that is in a list twice,
/// more than 100 lists, more than 10,000 points, and points that together would take more than half
/// a gigabyte. Points and bytes are counted before a point is made. A file of arms is read once,
/// and its points share it.
[[nodiscard]] Sweep parse_sweep_toml(std::string_view text, const std::string& source);
[[nodiscard]] Sweep parse_sweep_json(std::string_view text, const std::string& source);
[[nodiscard]] Sweep load_sweep(const std::string& path);

}  // namespace foothold::config
