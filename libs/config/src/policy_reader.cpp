#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "foothold/policy/algorithm.hpp"
#include "foothold/policy/options.hpp"

#include "document/table_reader.hpp"
#include "names.hpp"
#include "readers.hpp"

namespace foothold::config {
namespace {

using policy::Algorithm;
using policy::Schedule;

bool needs_gap(Schedule schedule) {
  return schedule == Schedule::Gap || schedule == Schedule::Nested;
}

bool needs_horizon(Schedule schedule) {
  return schedule == Schedule::Gap || schedule == Schedule::WorstCase;
}

void read_schedule(const TableReader& table, policy::WarmupOptions& warmup) {
  const std::optional<Value> rounds = table.find("rounds");
  if (!rounds) {
    warmup.schedule = table.one_of_or("schedule", kSchedules, Schedule::None);
    return;
  }
  if (table.find("schedule")) {
    rounds->fail("must not be given together with a schedule");
  }
  warmup.schedule = Schedule::Rounds;
  warmup.rounds = rounds->integer(0, kMaxRounds);
}

policy::WarmupOptions read_warmup(const Value& value) {
  static constexpr std::array<std::string_view, 5> kKeys = {"rounds", "schedule", "safety_gap",
                                                            "sampler", "min_eigenvalue"};
  const TableReader table(value);
  table.allow(kKeys);
  policy::WarmupOptions warmup;
  read_schedule(table, warmup);
  warmup.safety_gap = table.optional_number("safety_gap");
  warmup.sampler = table.one_of_or("sampler", kSamplers, warmup.sampler);
  warmup.min_eigenvalue = table.optional_number("min_eigenvalue");
  if (warmup.safety_gap && !needs_gap(warmup.schedule)) {
    table.get("safety_gap").fail(R"(must be given with schedule "gap" or "nested" only)");
  }
  if (warmup.safety_gap && !(*warmup.safety_gap > 0.0)) {
    table.get("safety_gap").fail("must be positive");
  }
  return warmup;
}

optimism::SearchLimits read_search(const Value& value) {
  static constexpr std::array<std::string_view, 2> kKeys = {"gap", "nodes"};
  const TableReader table(value);
  table.allow(kKeys);
  optimism::SearchLimits limits;
  limits.gap = table.number_or("gap", limits.gap);
  if (const std::optional<Value> nodes = table.find("nodes")) {
    limits.nodes = nodes->integer(1, kMaxRounds);
  }
  if (!(limits.gap >= 0.0)) {
    table.get("gap").fail("must not be negative");
  }
  return limits;
}

void read_unsafe(const TableReader& table, const PolicyContext& context) {
  const std::optional<Value> flag = table.find("unsafe");
  if (context.is_study) {
    table.get("algorithm").fail("must be safe in a study: it decides for real");
  }
  if (!flag || !flag->boolean()) {
    table.get("algorithm")
        .fail(
            "must be confirmed by unsafe = true, since it ignores the constraints and is for "
            "comparison only");
  }
  if (const std::optional<Value> optimism = table.find("optimism");
      optimism && optimism->text() == "ellipsoid" && context.problem != nullptr &&
      geometry::is_continuous(context.problem->decision_set)) {
    optimism->fail(R"(must be "l1" or "l1-cholesky" on a convex set for "unsafe-lucb")");
  }
  static constexpr std::array<std::string_view, 10> kSafetyKeys = {
      "ridge_family", "caution",          "certified",  "warmup",      "nested",
      "search",       "rarely_switching", "gap_growth", "exploration", "exploit"};
  for (const std::string_view key : kSafetyKeys) {
    if (const std::optional<Value> member = table.find(key)) {
      member->fail("must not be given for \"unsafe-lucb\", which has no safety options");
    }
  }
}

void read_safety_options(const TableReader& table, policy::PolicyOptions& options) {
  const std::optional<Value> unsafe = table.find("unsafe");
  if (unsafe && unsafe->boolean()) {
    unsafe->fail("must be left out unless the algorithm is \"unsafe-lucb\"");
  }
  options.caution = table.one_of_or("caution", kCautions, options.caution);
  options.certified = table.one_of_or("certified", kCertifiedSets, options.certified);
  options.nested = table.boolean_or("nested", options.nested);
  options.ridge_family = table.boolean_or("ridge_family", options.ridge_family);
  if (const std::optional<Value> warmup = table.find("warmup")) {
    options.warmup = read_warmup(*warmup);
  }
  if (const std::optional<Value> search = table.find("search")) {
    options.search = read_search(*search);
  }
  options.rarely_switching = table.optional_number("rarely_switching");
  options.gap_growth = table.number_or("gap_growth", options.gap_growth);
  options.exploration = table.number_or("exploration", options.exploration);
  options.exploit = table.one_of_or("exploit", kExploits, options.exploit);
}

// An option of one algorithm in the table of another is a misunderstanding.
void check_algorithm_keys(const TableReader& table, Algorithm algorithm,
                          const policy::WarmupOptions& warmup) {
  const auto only_for = [&](std::string_view key, Algorithm owner) {
    if (const std::optional<Value> member = table.find(key); member && algorithm != owner) {
      member->fail(
          fmt::format("must be left out unless the algorithm is \"{}\"", policy::name(owner)));
    }
  };
  only_for("gap_growth", Algorithm::Gslucb);
  only_for("exploration", Algorithm::Targeted);
  only_for("exploit", Algorithm::Targeted);
  if (algorithm != Algorithm::SafeLucb && warmup.schedule != Schedule::None) {
    table.get("warmup").fail(
        fmt::format("must have no schedule for \"{}\", which decides itself; say algorithm = "
                    "\"safe-lucb\" for one",
                    policy::name(algorithm)));
  }
}

// A live study has nobody to supply what the file leaves out.
void check_study(const Value& value, Algorithm algorithm, const policy::WarmupOptions& warmup,
                 const PolicyContext& context) {
  if (algorithm == Algorithm::Gslucb && !context.horizon) {
    value.fail_at("algorithm", R"(must have a horizon in the study, which has none, got "gslucb")");
  }
  if (needs_gap(warmup.schedule) && !warmup.safety_gap) {
    value.fail_at("warmup.safety_gap",
                  fmt::format("must be given for schedule \"{}\" in a study, got nothing",
                              name_of(kSchedules, warmup.schedule)));
  }
  if (needs_horizon(warmup.schedule) && !context.horizon) {
    value.fail_at("warmup.schedule",
                  fmt::format("must have a horizon in the study, which has none, got \"{}\"",
                              name_of(kSchedules, warmup.schedule)));
  }
}

// The checks of the policy itself, with what the run will supply filled in.
void validate_options(const Value& value, policy::PolicyOptions options,
                      const PolicyContext& context) {
  if (needs_gap(options.warmup.schedule) && !options.warmup.safety_gap) {
    options.warmup.safety_gap = 1.0;  // the simulator's will be another, but positive
  }
  options.horizon = context.horizon;
  on_behalf_of(value, [&] {
    if (context.problem != nullptr) {
      policy::validate(options, *context.problem);
    } else {
      policy::validate(options.warmup);
    }
  });
}

// A word of the policies' registry, or that of the simulator's unsafe learner.
void read_algorithm(const Value& value, PolicyConfig& config) {
  std::vector<EnumName<std::optional<Algorithm>>> words;
  for (const Algorithm algorithm : policy::algorithms()) {
    words.push_back({algorithm, policy::name(algorithm)});
  }
  words.push_back({std::nullopt, kUnsafeLucb});
  const auto found = value.one_of(std::span<const EnumName<std::optional<Algorithm>>>(words));
  config.is_unsafe = !found;
  config.algorithm = found.value_or(policy::kDefaultAlgorithm);
}

std::optional<double> read_ridge(const TableReader& table, const PolicyContext& context) {
  const std::optional<Value> ridge = table.find("ridge");
  if (!ridge) {
    return std::nullopt;
  }
  if (context.problem != nullptr) {
    ridge->fail("must be given in [problem]; a policy has its own only with a [family]");
  }
  const double number = ridge->number();
  if (!(number > 0.0)) {
    ridge->fail("must be positive");
  }
  return number;
}

}  // namespace

PolicyConfig read_policy(const Value& value, const PolicyContext& context) {
  static constexpr std::array<std::string_view, 16> kKeys = {
      "name",       "algorithm",   "unsafe",  "optimism",    "caution", "certified",
      "radius",     "nested",      "warmup",  "ridge",       "search",  "rarely_switching",
      "gap_growth", "exploration", "exploit", "ridge_family"};
  const TableReader table(value);
  table.allow(kKeys);
  PolicyConfig config;
  if (const std::optional<Value> algorithm = table.find("algorithm")) {
    read_algorithm(*algorithm, config);
  }
  const std::optional<Value> name = table.find("name");
  config.name = name ? name->text() : std::string(algorithm_name(config));
  if (const std::optional<Value> optimism = table.find("optimism")) {
    config.options.optimism =
        optimism->one_of(std::span<const EnumName<policy::Optimism>>(kOptimisms));
  }
  config.options.radius = table.one_of_or("radius", kRadiusForms, config.options.radius);
  config.ridge = read_ridge(table, context);
  if (config.is_unsafe) {
    read_unsafe(table, context);
  } else {
    read_safety_options(table, config.options);
    check_algorithm_keys(table, config.algorithm, config.options.warmup);
  }
  if (context.is_study) {
    check_study(value, config.algorithm, config.options.warmup, context);
  }
  validate_options(value, config.options, context);
  return config;
}

}  // namespace foothold::config
