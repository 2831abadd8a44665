#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foothold/base/byte_stream.hpp"
#include "foothold/simulation/batch/batch.hpp"

#include "batch/work_items.hpp"

namespace foothold::simulation {

/// One experiment of a batch before any run of it: what its files say, and what makes its runs.
struct PlanPoint {
  std::string folder{};
  std::vector<config::SweepSetting> settings{};
  std::uint64_t fingerprint = 0;  ///< Of all that its runs depend on, but the seed.
  ExperimentResult outline{};     ///< With all policies, and no runs.
};

/// What a batch is: enough to tell it from another one, and to write its files from its runs.
/// A journal begins with it.
struct BatchPlan {
  std::string version{};
  std::vector<std::string> axes{};
  std::vector<PlanPoint> points{};
  Shard shard{};
};

/// Throws `Error{InvalidArgument}` if an experiment is not one.
[[nodiscard]] BatchPlan plan_of(const config::Sweep& sweep, const Shard& shard);

[[nodiscard]] Bytes encode_plan(const BatchPlan& plan);
/// Throws `Error{InvalidArgument}` if the bytes are not a plan of this format.
[[nodiscard]] BatchPlan decode_plan(const Bytes& bytes);

/// In what `found` differs from `wanted`, in words such as "seed 3, not 4"; empty if in nothing.
/// Shards are left aside.
[[nodiscard]] std::string difference(const BatchPlan& wanted, const BatchPlan& found);

[[nodiscard]] WorkItems work_items(const BatchPlan& plan);

}  // namespace foothold::simulation
