#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "document/table_reader.hpp"
#include "readers.hpp"

namespace foothold::config {
namespace {

std::uint64_t read_seed(const TableReader& table) {
  // TOML has no larger integers; one range for both formats.
  constexpr std::int64_t kMaxSeed = std::numeric_limits<std::int64_t>::max();
  const std::optional<Value> seed = table.find("seed");
  return seed ? static_cast<std::uint64_t>(seed->integer(0, kMaxSeed)) : 0;
}

std::string read_name(const TableReader& table) {
  const std::optional<Value> name = table.find("name");
  return name ? name->text() : std::string();
}

void check_unique_names(const std::vector<Value>& values,
                        const std::vector<PolicyConfig>& policies) {
  std::map<std::string_view, std::size_t> numbers;
  for (std::size_t k = 0; k < policies.size(); ++k) {
    const auto [first, is_new] = numbers.emplace(policies[k].name, k);
    if (!is_new) {
      values[k].fail_at("name", fmt::format("must be unique, but policies[{}] has it too, got {}",
                                            first->second, quote(policies[k].name)));
    }
  }
}

// An empty table stands for the policy of a file that names none.
PolicyConfig default_policy(const Value& root, const PolicyContext& context) {
  const Node empty(Table{}, root.node().line);
  return read_policy(Value(empty, "policies[0]", root.origin()), context);
}

std::vector<PolicyConfig> read_policies(const TableReader& table, const PolicyContext& context) {
  const std::optional<Value> member = table.find("policies");
  if (!member) {
    return {default_policy(table.value(), context)};
  }
  const std::vector<Value> values = member->items();
  if (values.empty()) {
    member->fail("must have at least one policy");
  }
  std::vector<PolicyConfig> policies;
  policies.reserve(values.size());
  for (const Value& value : values) {
    policies.push_back(read_policy(value, context));
  }
  check_unique_names(values, policies);
  return policies;
}

// Both factors are at least 1 and too large for their product.
void check_plays(const TableReader& table, const ExperimentConfig& config) {
  const auto policies = static_cast<std::int64_t>(config.policies.size());
  if (config.runs > kMaxPlays / policies) {
    table.value().fail_at(
        "runs", fmt::format("must be at most {} over the number of policies, which is {}, got {}",
                            kMaxPlays, policies, config.runs));
  }
}

void read_instance(const TableReader& table, ExperimentConfig& config) {
  const std::optional<Value> family = table.find("family");
  if (!family) {
    config.problem = read_problem(table.get("problem"));
    config.environment = read_environment(table.get("environment"), *config.problem);
    return;
  }
  for (const std::string_view key : {"problem", "environment"}) {
    if (const std::optional<Value> other = table.find(key)) {
      other->fail("must not be given together with [family], which replaces it");
    }
  }
  config.family = read_family(*family);
}

PolicyConfig read_study_policy(const TableReader& table, const PolicyContext& context) {
  const std::optional<Value> single = table.find("policy");
  const std::optional<Value> several = table.find("policies");
  if (single && several) {
    single->fail("must not be given together with policies");
  }
  if (single) {
    return read_policy(*single, context);
  }
  if (!several) {
    return default_policy(table.value(), context);
  }
  const std::vector<Value> values = several->items();
  if (values.size() != 1) {
    several->fail("must have exactly one policy in a study");
  }
  return read_policy(values.front(), context);
}

}  // namespace

ExperimentConfig read_experiment(const Node& root, const Origin& origin) {
  static constexpr std::array<std::string_view, 8> kKeys = {
      "name", "horizon", "runs", "seed", "problem", "environment", "family", "policies"};
  const TableReader table(Value(root, "", origin));
  if (const std::optional<Value> sweep = table.find("sweep")) {
    sweep->fail("must not be given here, where one experiment is wanted, not a grid of them");
  }
  table.allow(kKeys);
  ExperimentConfig config;
  config.name = read_name(table);
  config.horizon = table.get("horizon").integer(1, kMaxRounds);
  if (const std::optional<Value> runs = table.find("runs")) {
    config.runs = runs->integer(1, kMaxRounds);
  }
  config.seed = read_seed(table);
  read_instance(table, config);
  config.policies = read_policies(
      table, {.problem = config.problem ? &*config.problem : nullptr, .horizon = config.horizon});
  check_plays(table, config);
  return config;
}

StudyConfig read_study(const Node& root, const Origin& origin) {
  static constexpr std::array<std::string_view, 6> kKeys = {"name",    "horizon", "seed",
                                                            "problem", "policy",  "policies"};
  const TableReader table(Value(root, "", origin));
  for (const std::string_view key : {"environment", "family", "runs", "sweep"}) {
    if (const std::optional<Value> member = table.find(key)) {
      member->fail("must not be given in a study, which plays no simulation");
    }
  }
  table.allow(kKeys);
  StudyConfig config;
  config.name = read_name(table);
  if (const std::optional<Value> horizon = table.find("horizon")) {
    config.horizon = horizon->integer(1, kMaxRounds);
  }
  config.seed = read_seed(table);
  config.problem = read_problem(table.get("problem"));
  config.policy = read_study_policy(
      table, {.is_study = true, .problem = &*config.problem, .horizon = config.horizon});
  return config;
}

}  // namespace foothold::config
