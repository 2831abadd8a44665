#include "experiment_writer.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "foothold/base/error.hpp"

#include "family_types.hpp"
#include "names.hpp"

namespace foothold::config {
namespace {

Node scalar(double number) {
  return Node(number);
}

Node vector_node(const Eigen::VectorXd& vector) {
  Array items;
  for (const double number : vector) {
    items.push_back(scalar(number));
  }
  return Node(std::move(items));
}

Node matrix_node(const Eigen::MatrixXd& matrix) {
  Array rows;
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    rows.push_back(vector_node(matrix.row(row)));
  }
  return Node(std::move(rows));
}

// A table under construction.
class TableWriter {
 public:
  TableWriter& add(std::string_view key, Node node) {
    table_.push_back({.key = std::string(key), .node = std::move(node)});
    return *this;
  }
  TableWriter& add(std::string_view key, double number) { return add(key, scalar(number)); }
  TableWriter& add(std::string_view key, std::string text) {
    return add(key, Node(std::move(text)));
  }
  TableWriter& add_flag(std::string_view key, bool flag) { return add(key, Node(flag)); }
  TableWriter& add_integer(std::string_view key, std::int64_t integer) {
    return add(key, Node(integer));
  }
  TableWriter& add(std::string_view key, const std::optional<double>& number) {
    return number ? add(key, *number) : *this;
  }
  [[nodiscard]] Node node() { return Node(std::move(table_)); }

 private:
  Table table_;
};

struct WriteSet {
  Node operator()(const geometry::Box& box) const {
    return TableWriter()
        .add("type", std::string("box"))
        .add("lower", vector_node(box.lower()))
        .add("upper", vector_node(box.upper()))
        .node();
  }
  Node operator()(const geometry::Ball& ball) const {
    return TableWriter()
        .add("type", std::string("ball"))
        .add_integer("dim", ball.dim())
        .add("radius", ball.radius())
        .node();
  }
  Node operator()(const geometry::Polytope& polytope) const {
    return TableWriter()
        .add("type", std::string("polytope"))
        .add("normals", matrix_node(polytope.normals()))
        .add("offsets", vector_node(polytope.offsets()))
        .node();
  }
  Node operator()(const geometry::Arms& arms) const {
    return TableWriter()
        .add("type", std::string("arms"))
        .add("features", matrix_node(arms.features()))
        .node();
  }
  Node operator()(const geometry::ContextualArms& arms) const {
    return TableWriter()
        .add("type", std::string("contextual"))
        .add_integer("dim", arms.dim())
        .node();
  }
};

Node write_problem(const safety::Problem& problem) {
  TableWriter table;
  table.add("decision_set", std::visit(WriteSet{}, problem.decision_set))
      .add("noise_scale", problem.assumptions.noise_scale)
      .add("norm_bound", problem.assumptions.norm_bound)
      .add("action_bound", problem.assumptions.action_bound)
      .add("ridge", problem.assumptions.ridge)
      .add("failure_prob", problem.assumptions.failure_prob);
  if (problem.baseline) {
    table.add("baseline", TableWriter()
                              .add("action", vector_node(problem.baseline->action))
                              .add("margin", problem.baseline->margin)
                              .node());
  }
  Array constraints;
  for (const safety::SafetyConstraint& constraint : problem.constraints) {
    constraints.push_back(TableWriter()
                              .add("matrix", matrix_node(constraint.matrix))
                              .add("limit", constraint.limit)
                              .node());
  }
  return table.add("constraints", Node(std::move(constraints))).node();
}

void add_feedback(TableWriter& table, const std::optional<FeedbackConfig>& feedback) {
  if (feedback) {
    table.add("feedback", TableWriter()
                              .add("delay_mean", feedback->delay_mean)
                              .add("missing", feedback->missing)
                              .node());
  }
}

Node write_environment(const EnvironmentConfig& environment) {
  TableWriter table;
  table.add("parameter", vector_node(environment.parameter))
      .add("noise", TableWriter()
                        .add("type", name_of(kNoiseTypes, environment.noise.type))
                        .add("scale", environment.noise.scale)
                        .node());
  add_feedback(table, environment.feedback);
  return table.node();
}

Node write_family(const FamilyConfig& family) {
  const auto* const entry =
      std::ranges::find(kFamilyTypes, family.type, &EnumName<FamilyType>::name);
  FOOTHOLD_INVARIANT(entry != kFamilyTypes.end());
  TableWriter table;
  table.add("type", family.type).add_integer("dim", family.dim);
  if (has_arms(entry->value)) {
    table.add_integer("arms", family.arms).add_integer("safe_arms", family.safe_arms);
  }
  if (family.rows) {
    table.add_integer("rows", *family.rows);
  }
  if (is_fixed(entry->value) && !family.gap) {
    table.add_flag("constraint_active", family.constraint_active);
  }
  table.add("min_gap", family.min_gap)
      .add("gap", family.gap)
      .add("noise_scale", family.noise_scale)
      .add("norm_bound", family.norm_bound)
      .add("failure_prob", family.failure_prob)
      .add("ridge", family.ridge);
  add_feedback(table, family.feedback);
  return table.node();
}

Node write_warmup(const policy::WarmupOptions& warmup) {
  TableWriter table;
  if (warmup.schedule == policy::Schedule::Rounds) {
    table.add_integer("rounds", warmup.rounds);
  } else {
    table.add("schedule", name_of(kSchedules, warmup.schedule))
        .add("safety_gap", warmup.safety_gap);
  }
  return table.add("sampler", name_of(kSamplers, warmup.sampler))
      .add("min_eigenvalue", warmup.min_eigenvalue)
      .node();
}

Node write_policy(const PolicyConfig& config) {
  const policy::PolicyOptions& options = config.options;
  TableWriter table;
  table.add("name", config.name).add("algorithm", std::string(algorithm_name(config)));
  if (options.optimism) {
    table.add("optimism", name_of(kOptimisms, *options.optimism));
  }
  table.add("radius", name_of(kRadiusForms, options.radius)).add("ridge", config.ridge);
  if (config.is_unsafe) {
    return table.add_flag("unsafe", true).node();
  }
  table.add("caution", name_of(kCautions, options.caution))
      .add("certified", name_of(kCertifiedSets, options.certified))
      .add_flag("nested", options.nested)
      .add("warmup", write_warmup(options.warmup))
      .add("rarely_switching", options.rarely_switching);
  if (options.ridge_family) {
    table.add_flag("ridge_family", true);
  }
  const optimism::SearchLimits defaults;
  if (options.search.gap != defaults.gap || options.search.nodes != defaults.nodes) {
    table.add("search", TableWriter()
                            .add("gap", options.search.gap)
                            .add_integer("nodes", options.search.nodes)
                            .node());
  }
  if (config.algorithm == policy::Algorithm::Gslucb) {
    table.add("gap_growth", options.gap_growth);
  }
  if (config.algorithm == policy::Algorithm::Targeted) {
    table.add("exploration", options.exploration)
        .add("exploit", name_of(kExploits, options.exploit));
  }
  return table.node();
}

}  // namespace

Node write_experiment(const ExperimentConfig& config) {
  if (!std::in_range<std::int64_t>(config.seed)) {
    throw Error(ErrorCode::InvalidArgument, "seed",
                fmt::format("must be at most {} in a file, got {}",
                            std::numeric_limits<std::int64_t>::max(), config.seed));
  }
  TableWriter table;
  if (!config.name.empty()) {
    table.add("name", config.name);
  }
  table.add_integer("horizon", config.horizon)
      .add_integer("runs", config.runs)
      .add_integer("seed", static_cast<std::int64_t>(config.seed));
  if (config.problem) {
    table.add("problem", write_problem(*config.problem));
  }
  if (config.environment) {
    table.add("environment", write_environment(*config.environment));
  }
  if (config.family) {
    table.add("family", write_family(*config.family));
  }
  Array policies;
  for (const PolicyConfig& policy : config.policies) {
    policies.push_back(write_policy(policy));
  }
  return table.add("policies", Node(std::move(policies))).node();
}

}  // namespace foothold::config
