#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "foothold/config/experiment.hpp"

#include "expect_error.hpp"
#include "sample_files.hpp"

namespace foothold::config {
namespace {

using policy::Algorithm;

// Any finite number of moderate size, with all its digits.
double any_number(double low, double high) {
  const auto steps = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 52);
  return low + (high - low) * static_cast<double>(steps) * 0x1p-52;
}

bool any_flag() {
  return *rc::gen::arbitrary<bool>();
}

Eigen::MatrixXd any_matrix(Eigen::Index rows, Eigen::Index cols) {
  return Eigen::MatrixXd::NullaryExpr(rows, cols, [] { return any_number(-2.0, 2.0); });
}

template <typename Enum>
Enum any_of(std::vector<Enum> values) {
  return *rc::gen::elementOf(values);
}

std::optional<double> maybe_positive() {
  return any_flag() ? std::optional(any_number(1e-3, 10.0)) : std::nullopt;
}

std::string any_name() {
  const auto letters = *rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("ab\"\\'\n\t\x01\x7f#=[]{}. ")));
  return "ä" + letters;
}

geometry::DecisionSet any_set(Eigen::Index dim) {
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(dim, dim);
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      return geometry::Box(-Eigen::VectorXd::Constant(dim, any_number(0.1, 3.0)),
                           Eigen::VectorXd::Constant(dim, any_number(0.1, 3.0)));
    case 1:
      return geometry::Ball(dim, any_number(1e-3, 1e3));
    case 2: {
      Eigen::MatrixXd normals(2 * dim, dim);
      normals << identity, -identity;
      return geometry::Polytope(normals, Eigen::VectorXd::Constant(2 * dim, any_number(0.1, 3.0)));
    }
    case 3:
      return geometry::Arms(any_matrix(*rc::gen::inRange<Eigen::Index>(1, 5), dim));
    default:
      return geometry::ContextualArms(dim);
  }
}

safety::Problem any_problem() {
  const auto dim = *rc::gen::inRange<Eigen::Index>(1, 4);
  safety::Problem problem{.decision_set = any_set(dim)};
  const bool is_contextual = std::holds_alternative<geometry::ContextualArms>(problem.decision_set);
  problem.assumptions = {
      .noise_scale = any_number(0.0, 2.0),
      .norm_bound = any_number(0.1, 5.0),
      .action_bound = is_contextual ? std::optional(any_number(0.1, 4.0)) : std::nullopt,
      .ridge = maybe_positive(),
      .failure_prob = any_number(1e-6, 0.5)};
  const auto count = *rc::gen::inRange(1, 4);
  for (int k = 0; k < count; ++k) {
    problem.constraints.push_back({.matrix = any_matrix(dim, dim), .limit = any_number(1e-9, 9.0)});
  }
  if (any_flag()) {
    // Close enough to the origin for every set above but a tiny ball.
    problem.baseline = {.action = Eigen::VectorXd::Constant(dim, any_number(0.0, 1e-4)),
                        .margin = any_number(1e-9, 1.0)};
  }
  return problem;
}

std::optional<FeedbackConfig> maybe_feedback() {
  return any_flag() ? std::optional(FeedbackConfig{.delay_mean = any_number(0.0, 100.0),
                                                   .missing = any_number(0.0, 0.99)})
                    : std::nullopt;
}

EnvironmentConfig any_environment(const safety::Problem& problem) {
  const auto dim = problem.dim();
  const Eigen::VectorXd direction = any_matrix(dim, 1);
  return {
      .parameter = direction * (problem.assumptions.norm_bound / (4.0 * static_cast<double>(dim))),
      .noise = {.type = any_of<NoiseType>(
                    {NoiseType::Gaussian, NoiseType::Uniform, NoiseType::Rademacher}),
                .scale = any_number(0.0, 3.0)},
      .feedback = maybe_feedback()};
}

FamilyConfig any_family() {
  FamilyConfig family{
      .type = any_of<std::string>({"k-armed", "box", "ball", "polytope", "contextual"}),
      .dim = *rc::gen::inRange<Eigen::Index>(1, 10),
      .noise_scale = any_number(0.0, 2.0),
      .norm_bound = any_number(0.1, 5.0),
      .failure_prob = any_number(1e-6, 0.5),
      .ridge = maybe_positive(),
      .feedback = maybe_feedback()};
  const bool is_contextual = family.type == "contextual";
  if (is_contextual || family.type == "k-armed") {
    family.arms = *rc::gen::inRange<Eigen::Index>(1, 30);
    family.safe_arms = *rc::gen::inRange<Eigen::Index>(1, family.arms + 1);
  } else if (any_flag()) {
    family.gap = any_number(0.0, 2.0);
  }
  if (family.type == "polytope" && any_flag()) {
    family.rows = *rc::gen::inRange<Eigen::Index>(2 * family.dim, 5 * family.dim);
  }
  if (!is_contextual && !family.gap) {
    family.constraint_active = any_flag();
    family.min_gap = maybe_positive();
  }
  return family;
}

policy::WarmupOptions any_warmup() {
  using policy::Schedule;
  policy::WarmupOptions warmup;
  warmup.schedule = any_of<Schedule>(
      {Schedule::None, Schedule::Rounds, Schedule::Gap, Schedule::WorstCase, Schedule::Nested});
  if (warmup.schedule == Schedule::Rounds) {
    warmup.rounds = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000);
  }
  if (warmup.schedule == Schedule::Gap || warmup.schedule == Schedule::Nested) {
    warmup.safety_gap = maybe_positive();
  }
  warmup.sampler = any_of<safety::Sampler>({safety::Sampler::Uniform, safety::Sampler::Shell});
  return warmup;
}

policy::PolicyOptions any_options(const std::optional<safety::Problem>& problem) {
  using policy::Optimism;
  const bool has_arms = !problem || !geometry::is_continuous(problem->decision_set);
  policy::PolicyOptions options;
  options.optimism =
      any_of<std::optional<Optimism>>({std::nullopt, Optimism::L1, Optimism::L1Cholesky,
                                       has_arms ? Optimism::Ellipsoid : Optimism::L1});
  options.caution = any_of<safety::Caution>(
      {safety::Caution::Ellipsoid, safety::Caution::L1Exact, safety::Caution::L1Paper});
  options.certified =
      any_of<safety::CertifiedSet>({safety::CertifiedSet::Region, safety::CertifiedSet::Union});
  options.radius =
      any_of<estimation::RadiusForm>({estimation::RadiusForm::Paper, estimation::RadiusForm::LogDet,
                                      estimation::RadiusForm::Mixture});
  const bool is_contextual =
      problem && std::holds_alternative<geometry::ContextualArms>(problem->decision_set);
  options.nested = !is_contextual && any_flag();
  options.ridge_family = options.caution == safety::Caution::Ellipsoid &&
                         options.radius == estimation::RadiusForm::Mixture && any_flag();
  options.rarely_switching = is_contextual ? std::nullopt : maybe_positive();
  options.search.nodes = *rc::gen::inRange<std::int64_t>(1, 1000);
  return options;
}

// What only one algorithm has.
void add_own_options(Algorithm algorithm, policy::PolicyOptions& options) {
  if (algorithm == Algorithm::SafeLucb) {
    options.warmup = any_warmup();
  } else if (algorithm == Algorithm::Gslucb) {
    options.gap_growth = 1.0 + 0.01 * *rc::gen::inRange(0, 100);
  } else {
    options.exploration = 0.5 + 0.01 * *rc::gen::inRange(0, 100);
    options.exploit =
        any_of<policy::Exploit>({policy::Exploit::Optimism, policy::Exploit::Thompson});
  }
}

bool has_convex_set(const std::optional<safety::Problem>& problem) {
  return problem && geometry::is_continuous(problem->decision_set);
}

PolicyConfig any_policy(int number, const std::optional<safety::Problem>& problem) {
  PolicyConfig config{.name = any_name() + std::to_string(number)};
  config.options = any_options(problem);
  config.ridge = problem ? std::nullopt : maybe_positive();
  config.is_unsafe = any_flag() && any_flag();
  if (!config.is_unsafe) {
    config.algorithm =
        any_of<Algorithm>({Algorithm::SafeLucb, Algorithm::Gslucb, Algorithm::Targeted});
  }
  if (config.is_unsafe) {
    config.options = {.optimism = config.options.optimism, .radius = config.options.radius};
    if (has_convex_set(problem) && config.options.optimism == policy::Optimism::Ellipsoid) {
      config.options.optimism = policy::Optimism::L1;
    }
  } else {
    add_own_options(config.algorithm, config.options);
  }
  return config;
}

ExperimentConfig any_experiment() {
  ExperimentConfig config;
  config.name = any_flag() ? any_name() : "";
  config.horizon = *rc::gen::inRange<std::int64_t>(1, 1'000'000'000'001);
  config.runs = *rc::gen::inRange<std::int64_t>(1, 1000);
  config.seed = *rc::gen::inRange<std::uint64_t>(0, std::numeric_limits<std::int64_t>::max());
  if (any_flag()) {
    config.family = any_family();
  } else {
    config.problem = any_problem();
    config.environment = any_environment(*config.problem);
  }
  const auto count = *rc::gen::inRange(1, 4);
  for (int k = 0; k < count; ++k) {
    config.policies.push_back(any_policy(k, config.problem));
  }
  return config;
}

bool equal(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && a == b;
}

// Equality, member by member: shares nothing with the writer.
struct EqualSets {
  bool operator()(const geometry::Box& a, const geometry::Box& b) const {
    return equal(a.lower(), b.lower()) && equal(a.upper(), b.upper());
  }
  bool operator()(const geometry::Ball& a, const geometry::Ball& b) const {
    return a.dim() == b.dim() && a.radius() == b.radius();
  }
  bool operator()(const geometry::Polytope& a, const geometry::Polytope& b) const {
    return equal(a.normals(), b.normals()) && equal(a.offsets(), b.offsets());
  }
  bool operator()(const geometry::Arms& a, const geometry::Arms& b) const {
    return equal(a.features(), b.features());
  }
  bool operator()(const geometry::ContextualArms& a, const geometry::ContextualArms& b) const {
    return a.dim() == b.dim();
  }
  template <typename A, typename B>
  bool operator()(const A& /*a*/, const B& /*b*/) const {
    return false;
  }
};

void assert_equal(const safety::Problem& a, const safety::Problem& b) {
  RC_ASSERT(std::visit(EqualSets{}, a.decision_set, b.decision_set));
  RC_ASSERT(a.assumptions.noise_scale == b.assumptions.noise_scale);
  RC_ASSERT(a.assumptions.norm_bound == b.assumptions.norm_bound);
  RC_ASSERT(a.assumptions.action_bound == b.assumptions.action_bound);
  RC_ASSERT(a.assumptions.ridge == b.assumptions.ridge);
  RC_ASSERT(a.assumptions.failure_prob == b.assumptions.failure_prob);
  RC_ASSERT(a.constraints.size() == b.constraints.size());
  for (std::size_t k = 0; k < a.constraints.size(); ++k) {
    RC_ASSERT(equal(a.constraints[k].matrix, b.constraints[k].matrix));
    RC_ASSERT(a.constraints[k].limit == b.constraints[k].limit);
  }
  RC_ASSERT(a.baseline.has_value() == b.baseline.has_value());
  if (a.baseline) {
    RC_ASSERT(equal(a.baseline->action, b.baseline->action));
    RC_ASSERT(a.baseline->margin == b.baseline->margin);
  }
}

void assert_equal(const std::optional<FeedbackConfig>& a, const std::optional<FeedbackConfig>& b) {
  RC_ASSERT(a.has_value() == b.has_value());
  if (a) {
    RC_ASSERT(a->delay_mean == b->delay_mean);
    RC_ASSERT(a->missing == b->missing);
  }
}

void assert_equal(const EnvironmentConfig& a, const EnvironmentConfig& b) {
  RC_ASSERT(equal(a.parameter, b.parameter));
  RC_ASSERT(a.noise.type == b.noise.type);
  RC_ASSERT(a.noise.scale == b.noise.scale);
  assert_equal(a.feedback, b.feedback);
}

void assert_equal(const FamilyConfig& a, const FamilyConfig& b) {
  RC_ASSERT(a.type == b.type);
  RC_ASSERT(a.dim == b.dim);
  RC_ASSERT(a.arms == b.arms);
  RC_ASSERT(a.safe_arms == b.safe_arms);
  RC_ASSERT(a.constraint_active == b.constraint_active);
  RC_ASSERT(a.rows == b.rows);
  RC_ASSERT(a.min_gap == b.min_gap);
  RC_ASSERT(a.gap == b.gap);
  RC_ASSERT(a.noise_scale == b.noise_scale);
  RC_ASSERT(a.norm_bound == b.norm_bound);
  RC_ASSERT(a.failure_prob == b.failure_prob);
  RC_ASSERT(a.ridge == b.ridge);
  assert_equal(a.feedback, b.feedback);
}

void assert_equal(const PolicyConfig& a, const PolicyConfig& b) {
  RC_ASSERT(a.name == b.name);
  RC_ASSERT(a.algorithm == b.algorithm);
  RC_ASSERT(a.ridge == b.ridge);
  RC_ASSERT(a.options.optimism == b.options.optimism);
  RC_ASSERT(a.options.caution == b.options.caution);
  RC_ASSERT(a.options.certified == b.options.certified);
  RC_ASSERT(a.options.radius == b.options.radius);
  RC_ASSERT(a.options.nested == b.options.nested);
  RC_ASSERT(a.options.ridge_family == b.options.ridge_family);
  RC_ASSERT(a.options.warmup.schedule == b.options.warmup.schedule);
  RC_ASSERT(a.options.warmup.rounds == b.options.warmup.rounds);
  RC_ASSERT(a.options.warmup.safety_gap == b.options.warmup.safety_gap);
  RC_ASSERT(a.options.warmup.sampler == b.options.warmup.sampler);
  RC_ASSERT(a.options.warmup.min_eigenvalue == b.options.warmup.min_eigenvalue);
  RC_ASSERT(a.options.rarely_switching == b.options.rarely_switching);
  RC_ASSERT(a.options.search.gap == b.options.search.gap);
  RC_ASSERT(a.options.search.nodes == b.options.search.nodes);
  RC_ASSERT(a.options.gap_growth == b.options.gap_growth);
  RC_ASSERT(a.options.exploration == b.options.exploration);
  RC_ASSERT(a.options.exploit == b.options.exploit);
}

void assert_equal(const ExperimentConfig& a, const ExperimentConfig& b) {
  RC_ASSERT(a.name == b.name);
  RC_ASSERT(a.horizon == b.horizon);
  RC_ASSERT(a.runs == b.runs);
  RC_ASSERT(a.seed == b.seed);
  RC_ASSERT(a.problem.has_value() == b.problem.has_value());
  RC_ASSERT(a.family.has_value() == b.family.has_value());
  if (a.problem) {
    assert_equal(*a.problem, *b.problem);
    assert_equal(*a.environment, *b.environment);
  } else {
    assert_equal(*a.family, *b.family);
  }
  RC_ASSERT(a.policies.size() == b.policies.size());
  for (std::size_t k = 0; k < a.policies.size(); ++k) {
    assert_equal(a.policies[k], b.policies[k]);
  }
}

TEST(RoundTrip, TomlAndJsonReadBackAsTheSameConfiguration) {
  const bool has_passed = rc::check([] {
    const ExperimentConfig config = any_experiment();
    const ExperimentConfig from_toml = parse_experiment_toml(to_toml(config), "x.toml");
    const ExperimentConfig from_json = parse_experiment_json(to_json(config), "x.json");
    assert_equal(config, from_toml);
    assert_equal(config, from_json);
    RC_ASSERT(from_toml.config_hash == from_json.config_hash);
    RC_ASSERT(to_toml(from_toml) == to_toml(config));
  });
  EXPECT_TRUE(has_passed);
}

TEST(RoundTrip, ASeedThatTomlCannotHoldIsRefused) {
  ExperimentConfig config = parse_experiment_toml(testing::kFamily, "x");
  config.seed = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(testing::error_of([&] { return to_toml(config); }).field(), "seed");
  EXPECT_EQ(testing::error_of([&] { return to_json(config); }).field(), "seed");
}

// The written formats are what users see and keep.
TEST(RoundTrip, TheWrittenTomlIsTheDocumentedSchema) {
  const ExperimentConfig config = parse_experiment_toml(R"(horizon = 10
problem.decision_set = { type = "ball", dim = 1, radius = 2 }
problem.noise_scale = 0.1
problem.norm_bound = 1
problem.constraints = [{ matrix = [[1]], limit = 0.5 }]
environment.parameter = [0.25]
)",
                                                        "x");
  EXPECT_EQ(to_toml(config), R"(horizon = 10
runs = 1
seed = 0

[problem]
decision_set = { type = "ball", dim = 1, radius = 2.0 }
noise_scale = 0.1
norm_bound = 1.0
failure_prob = 0.01

[[problem.constraints]]
matrix = [[1.0]]
limit = 0.5

[environment]
parameter = [0.25]
noise = { type = "gaussian", scale = 0.1 }

[[policies]]
name = "targeted"
algorithm = "targeted"
radius = "mixture"
caution = "ellipsoid"
certified = "union"
nested = false
warmup = { schedule = "none", sampler = "uniform" }
exploration = 1.0
exploit = "optimism"
)");
}

TEST(RoundTrip, TheWrittenJsonIsTheDocumentedSchema) {
  const ExperimentConfig config =
      parse_experiment_toml("horizon = 10\nfamily = { type = 'k-armed', ridge = 1 }", "x");
  EXPECT_EQ(to_json(config), R"({
  "horizon": 10,
  "runs": 1,
  "seed": 0,
  "family": {
    "type": "k-armed",
    "dim": 4,
    "arms": 15,
    "safe_arms": 5,
    "constraint_active": false,
    "noise_scale": 0.1,
    "norm_bound": 1.0,
    "failure_prob": 0.01,
    "ridge": 1.0
  },
  "policies": [
    {
      "name": "targeted",
      "algorithm": "targeted",
      "radius": "mixture",
      "caution": "ellipsoid",
      "certified": "union",
      "nested": false,
      "warmup": {
        "schedule": "none",
        "sampler": "uniform"
      },
      "exploration": 1.0,
      "exploit": "optimism"
    }
  ]
}
)");
}

}  // namespace
}  // namespace foothold::config
