#pragma once

#include <cstdint>
#include <optional>

#include <Eigen/Core>

#include "foothold/config/experiment.hpp"
#include "foothold/safety/problem.hpp"

#include "document/table_reader.hpp"
#include "document/value.hpp"

// The schema, a table at a time. Each throws `Error{InvalidArgument}` with the full path, file and
// line.
namespace foothold::config {

// Rounds and runs beyond these are slips; dimensions and arms beyond could not be held.
inline constexpr std::int64_t kMaxRounds = 1'000'000'000'000;
inline constexpr std::int64_t kMaxDim = 1'000'000;
// Runs of all policies of all points: each has a result of its own, which is kept in memory.
inline constexpr std::int64_t kMaxPlays = 10'000'000;

[[nodiscard]] safety::Problem read_problem(const Value& value);
[[nodiscard]] EnvironmentConfig read_environment(const Value& value,
                                                 const safety::Problem& problem);
[[nodiscard]] FamilyConfig read_family(const Value& value);
// The member `feedback` of an environment or a family.
[[nodiscard]] std::optional<FeedbackConfig> read_optional_feedback(const TableReader& table);

// What a policy is read for.
struct PolicyContext {
  bool is_study = false;                     // no unsafe algorithm, nothing left to the simulator
  const safety::Problem* problem = nullptr;  // none: a family
  std::optional<std::int64_t> horizon{};
};
[[nodiscard]] PolicyConfig read_policy(const Value& value, const PolicyContext& context);

[[nodiscard]] ExperimentConfig read_experiment(const Node& root, const Origin& origin);
[[nodiscard]] StudyConfig read_study(const Node& root, const Origin& origin);

}  // namespace foothold::config
