#include "foothold/config/experiment.hpp"

#include <string>

#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "sample_files.hpp"

namespace foothold::config {
namespace {

using testing::error_of;
using testing::mentions;
using testing::with_line;

ExperimentConfig experiment_of(const std::string& text) {
  return parse_experiment_toml(text, "x.toml");
}

TEST(Experiment, TheSchemasExampleIsRead) {
  const ExperimentConfig config = experiment_of(testing::kExperiment);
  EXPECT_EQ(config.name, "polytope");
  EXPECT_EQ(config.horizon, 100000);
  EXPECT_EQ(config.runs, 20);
  EXPECT_EQ(config.seed, 2019U);
  EXPECT_FALSE(config.family);
  ASSERT_TRUE(config.problem);
  const safety::Problem& problem = *config.problem;
  const auto& box = std::get<geometry::Box>(problem.decision_set);
  EXPECT_EQ(box.lower(), Eigen::Vector2d(-1.0, -1.0));
  EXPECT_EQ(box.upper(), Eigen::Vector2d(1.0, 1.0));
  EXPECT_EQ(problem.assumptions.noise_scale, 0.1);
  EXPECT_EQ(problem.assumptions.norm_bound, 1.0);
  EXPECT_EQ(problem.assumptions.ridge, 1.0);
  EXPECT_EQ(problem.assumptions.failure_prob, 0.01);
  EXPECT_EQ(problem.assumptions.action_bound, std::nullopt);
  ASSERT_EQ(problem.constraints.size(), 1U);
  EXPECT_EQ(problem.constraints[0].matrix, (Eigen::MatrixXd{{0.6, 1.8}, {1.8, 0.4}}));
  EXPECT_EQ(problem.constraints[0].limit, 0.9);
  EXPECT_FALSE(problem.baseline);
}

TEST(Experiment, TheSchemasEnvironmentIsRead) {
  const ExperimentConfig config = experiment_of(testing::kExperiment);
  ASSERT_TRUE(config.environment);
  EXPECT_EQ(config.environment->parameter, Eigen::Vector2d(0.9, 0.044));
  EXPECT_EQ(config.environment->noise.type, NoiseType::Gaussian);
  EXPECT_EQ(config.environment->noise.scale, 0.1);
  ASSERT_TRUE(config.environment->feedback);
  EXPECT_EQ(config.environment->feedback->delay_mean, 20.0);
  EXPECT_EQ(config.environment->feedback->missing, 0.05);
}

TEST(Experiment, TheSchemasPoliciesAreRead) {
  const ExperimentConfig config = experiment_of(testing::kExperiment);
  ASSERT_EQ(config.policies.size(), 2U);
  const PolicyConfig& first = config.policies[0];
  EXPECT_EQ(first.name, "with warm-up");
  EXPECT_EQ(first.algorithm, policy::Algorithm::SafeLucb);
  EXPECT_EQ(first.options.optimism, policy::Optimism::L1);
  EXPECT_EQ(first.options.caution, safety::Caution::L1Paper);
  EXPECT_EQ(first.options.certified, safety::CertifiedSet::Region);
  EXPECT_EQ(first.options.radius, estimation::RadiusForm::Paper);
  EXPECT_EQ(first.options.warmup.schedule, policy::Schedule::Rounds);
  EXPECT_EQ(first.options.warmup.rounds, 1054);
  EXPECT_EQ(first.options.warmup.sampler, safety::Sampler::Uniform);
  EXPECT_EQ(config.policies[1].options.warmup.schedule, policy::Schedule::None);
  EXPECT_EQ(config.policies[1].options.warmup.sampler, safety::Sampler::Shell);
}

TEST(Experiment, WhatAPolicyLeavesOutIsTheDefaultOfTheLibrary) {
  const PolicyConfig config = experiment_of(testing::kExperiment).policies[1];
  const policy::PolicyOptions defaults;
  EXPECT_EQ(config.options.optimism, defaults.optimism);
  EXPECT_EQ(config.options.caution, defaults.caution);
  EXPECT_EQ(config.options.certified, defaults.certified);
  EXPECT_EQ(config.options.radius, defaults.radius);
  EXPECT_EQ(config.options.nested, defaults.nested);
  EXPECT_EQ(config.options.horizon, std::nullopt);  // the run supplies it
  EXPECT_EQ(config.ridge, std::nullopt);
}

TEST(Experiment, WithoutPoliciesHasOneOfTheDefaultAlgorithm) {
  const std::string text =
      testing::kExperiment.substr(0, testing::kExperiment.find("[[policies]]"));
  const ExperimentConfig config = experiment_of(text);
  ASSERT_EQ(config.policies.size(), 1U);
  EXPECT_EQ(config.policies[0].name, "targeted");
  EXPECT_EQ(config.policies[0].algorithm, policy::Algorithm::Targeted);
}

TEST(Experiment, AnEmptyListOfPoliciesIsRefused) {
  const std::string text =
      testing::kExperiment.substr(0, testing::kExperiment.find("[[policies]]"));
  const Error error = error_of([&] { return experiment_of("policies = []\n" + text); });
  EXPECT_EQ(error.field(), "policies");
  EXPECT_TRUE(mentions(error, "must have at least one policy, got [] (x.toml:1)"));
}

TEST(Experiment, WhatAnEnvironmentLeavesOutFollowsTheProblem) {
  const ExperimentConfig config =
      experiment_of(with_line(with_line(testing::kExperiment, 18, ""), 19, ""));
  EXPECT_EQ(config.environment->noise.type, NoiseType::Gaussian);
  EXPECT_EQ(config.environment->noise.scale, 0.1);
  EXPECT_FALSE(config.environment->feedback);
}

// Deliberately wrong declarations are legitimate experiments.
TEST(Experiment, TheTrueNoiseMayExceedTheDeclaredOne) {
  const ExperimentConfig config =
      experiment_of(with_line(testing::kExperiment, 18, "noise = { type = 'uniform', scale = 5 }"));
  EXPECT_EQ(config.environment->noise.type, NoiseType::Uniform);
  EXPECT_EQ(config.environment->noise.scale, 5.0);
}

TEST(Experiment, AParameterMayBeAsLongAsItsBound) {
  EXPECT_EQ(experiment_of(with_line(testing::kExperiment, 17, "parameter = [0.6, 0.8]"))
                .environment->parameter.norm(),
            1.0);
  EXPECT_NO_THROW(static_cast<void>(experiment_of(
      with_line(testing::kExperiment, 17, "parameter = [0.7071067811866, 0.7071067811866]"))));
}

TEST(Experiment, EveryKindOfDecisionSetIsRead) {
  const auto set_of = [](const std::string& set) {
    return experiment_of(
               with_line(testing::kExperiment, 7, "action_bound = 3\ndecision_set = " + set))
        .problem->decision_set;
  };
  EXPECT_EQ(std::get<geometry::Ball>(set_of("{ type = 'ball', dim = 2, radius = 1.5 }")).radius(),
            1.5);
  const auto polytope = std::get<geometry::Polytope>(
      set_of("{ type = 'polytope', normals = [[1, 0], [0, 1], [-1, -1.0]], offsets = [1, 1, 1] }"));
  EXPECT_EQ(polytope.normals(), (Eigen::MatrixXd{{1, 0}, {0, 1}, {-1, -1}}));
  EXPECT_EQ(std::get<geometry::Arms>(set_of("{ type = 'arms', features = [[1, 0], [0.5, 1]] }"))
                .features(),
            (Eigen::MatrixXd{{1, 0}, {0.5, 1}}));
  EXPECT_EQ(std::get<geometry::ContextualArms>(set_of("{ type = 'contextual', dim = 2 }")).dim(),
            2);
}

TEST(Experiment, ABaselineAndSeveralConstraintsAreRead) {
  const ExperimentConfig config = experiment_of(with_line(
      with_line(testing::kExperiment, 11, "baseline = { action = [0.1, 0], margin = 0.5 }"), 15,
      "[[problem.constraints]]\nmatrix = [[1, 0], [0, 1]]\nlimit = 2"));
  ASSERT_TRUE(config.problem->baseline);
  EXPECT_EQ(config.problem->baseline->action, Eigen::Vector2d(0.1, 0.0));
  EXPECT_EQ(config.problem->baseline->margin, 0.5);
  ASSERT_EQ(config.problem->constraints.size(), 2U);
  EXPECT_EQ(config.problem->constraints[1].limit, 2.0);
  EXPECT_EQ(config.problem->assumptions.failure_prob, 0.01);
}

TEST(Experiment, EveryWarmupIsRead) {
  const auto warmup_of = [](const std::string& warmup) {
    return experiment_of(with_line(testing::kExperiment, 29, "warmup = " + warmup))
        .policies[0]
        .options.warmup;
  };
  EXPECT_EQ(warmup_of("{ schedule = 'gap', safety_gap = 3.1568 }").safety_gap, 3.1568);
  EXPECT_EQ(warmup_of("{ schedule = 'gap' }").schedule, policy::Schedule::Gap);
  EXPECT_EQ(warmup_of("{ schedule = 'gap' }").safety_gap, std::nullopt);
  EXPECT_EQ(warmup_of("{ schedule = 'nested', sampler = 'shell' }").schedule,
            policy::Schedule::Nested);
  EXPECT_EQ(warmup_of("{ schedule = 'worst-case' }").schedule, policy::Schedule::WorstCase);
  EXPECT_EQ(warmup_of("{ rounds = 0 }").schedule, policy::Schedule::Rounds);
  EXPECT_EQ(warmup_of("{}").schedule, policy::Schedule::None);
}

TEST(Experiment, TheUnsafeAlgorithmNeedsAndTakesConsent) {
  const ExperimentConfig config = experiment_of(with_line(
      testing::kExperiment, 33, "algorithm = 'unsafe-lucb'\nunsafe = true\nradius = 'log-det'"));
  EXPECT_TRUE(config.policies[1].is_unsafe);
  EXPECT_EQ(config.policies[1].options.radius, estimation::RadiusForm::LogDet);
}

TEST(Family, IsReadWithThePapersDefaults) {
  const ExperimentConfig config = experiment_of("horizon = 10\nfamily = { type = 'k-armed' }");
  ASSERT_TRUE(config.family);
  EXPECT_FALSE(config.problem);
  EXPECT_FALSE(config.environment);
  EXPECT_EQ(config.family->type, "k-armed");
  EXPECT_EQ(config.family->dim, 4);
  EXPECT_EQ(config.family->noise_scale, 0.1);
  EXPECT_EQ(config.family->norm_bound, 1.0);
  EXPECT_EQ(config.family->failure_prob, 0.01);
  EXPECT_EQ(config.runs, 1);
}

TEST(Family, HasARidgePerPolicy) {
  const ExperimentConfig config = experiment_of(testing::kFamily);
  EXPECT_EQ(config.family->arms, 15);
  EXPECT_EQ(config.family->safe_arms, 5);
  EXPECT_EQ(config.policies[0].ridge, 1.0);
  EXPECT_EQ(config.policies[1].ridge, std::nullopt);
}

struct WrongFamily {
  std::string line;
  std::string field;
  std::string message;
};

TEST(Family, MistakesAreRefusedWithFieldAndLine) {
  for (const WrongFamily& wrong : std::initializer_list<WrongFamily>{
           {"type = 'arms'", "family.type",
            "must be \"k-armed\", \"box\", \"ball\", \"polytope\" or \"contextual\", got \"arms\""},
           {"type = 'box'\narms = 3", "family.arms",
            "must be left out unless the type is \"k-armed\" or \"contextual\", got 3"},
           {"type = 'ball'\nsafe_arms = 3", "family.safe_arms", "must be left out unless"},
           {"type = 'box'\nrows = 9", "family.rows",
            "must be left out unless the type is \"polytope\", got 9"},
           {"type = 'polytope'\ndim = 3\nrows = 5", "family.rows", "got 5"},
           {"type = 'k-armed'\ngap = 0.1", "family.gap",
            "must be left out unless the type is \"box\", \"ball\" or \"polytope\", got 0.1"},
           {"type = 'box'\ngap = -0.1", "family.gap", "must be 0 or at least 1e-09, got -0.1"},
           {"type = 'box'\ngap = 0\nmin_gap = 0.2", "family.min_gap",
            "must be left out if gap is given, which decides it, got 0.2"},
           {"type = 'ball'\ngap = 0\nconstraint_active = true", "family.constraint_active",
            "must be left out if gap is given"},
           {"type = 'contextual'\nmin_gap = 0.1", "family.min_gap",
            "must be left out unless the type is \"k-armed\", \"box\", \"ball\" or \"polytope\""},
           {"type = 'box'\nmin_gap = 0", "family.min_gap", "must be positive and finite, got 0"},
           {"arms = 3", "family.type", "must be given"},
           {"type = 'k-armed'\nruns = 3", "family.runs", "is not a known key"},
           {"type = 'k-armed'\nfailure_prob = 1", "family.failure_prob",
            "must lie in (0, 1), got 1"},
           {"type = 'k-armed'\nnoise_scale = -1", "family.noise_scale", "must be non-negative"},
           {"type = 'k-armed'\nnorm_bound = 0", "family.norm_bound", "must be positive"},
           {"type = 'k-armed'\nridge = 0", "family.ridge", "must be positive"},
           {"type = 'k-armed'\nfeedback = 3", "family.feedback", "must be a table, got 3"}}) {
    const Error error =
        error_of([&] { return experiment_of("horizon = 1\n[family]\n" + wrong.line + "\n"); });
    EXPECT_EQ(error.field(), wrong.field);
    EXPECT_TRUE(mentions(error, wrong.message));
    EXPECT_TRUE(mentions(error, "(x.toml:"));
  }
}

TEST(Family, SizesAreChecked) {
  for (const WrongFamily& wrong : std::initializer_list<WrongFamily>{
           {"dim = 0", "family.dim", "got 0 (x.toml:5)"},
           {"dim = 4.0", "family.dim", "must be an integer"},
           {"arms = -1", "family.arms", "got -1 (x.toml:5)"},
           {"safe_arms = 16", "family.safe_arms", "must be at most 15, the number of arms, got 16"},
           {"constraint_active = 1", "family.constraint_active", "must be true or false, got 1"}}) {
    const std::string text =
        "horizon = 1\nruns = 1\n[family]\ntype = 'k-armed'\n" + wrong.line + "\n";
    const Error error = error_of([&] { return experiment_of(text); });
    EXPECT_EQ(error.field(), wrong.field);
    EXPECT_TRUE(mentions(error, wrong.message));
  }
}

TEST(Family, APolicysRidgeIsChecked) {
  const Error error =
      error_of([] { return experiment_of(with_line(testing::kFamily, 11, "ridge = -1")); });
  EXPECT_EQ(error.field(), "policies[0].ridge");
  EXPECT_TRUE(mentions(error, "must be positive, got -1 (x.toml:11)"));
}

TEST(ConfigHash, DoesNotSeeLayoutOrderNumberFormsOrSeed) {
  const std::uint64_t hash = experiment_of(testing::kFamily).config_hash;
  const std::string rewritten = R"(
    seed = 99  # another seed
    policies = [{ ridge = 1.0, name = "paper" }, { name = "ours", algorithm = "targeted" }]
    runs = 1
    horizon = 1_000
    name = 'k-armed'
    family = { arms = 15, type = "k-armed", noise_scale = 1e-1 }
  )";
  EXPECT_EQ(experiment_of(rewritten).config_hash, hash);
  const std::string json = R"({"policies": [{"ridge": 1, "name": "paper"}, {"name": "ours"}],
    "horizon": 1000, "name": "k-armed", "family": {"type": "k-armed"}})";
  EXPECT_EQ(parse_experiment_json(json, "x").config_hash, hash);
}

TEST(ConfigHash, SeesEveryChangeOfMeaning) {
  const std::uint64_t hash = experiment_of(testing::kExperiment).config_hash;
  const std::vector<std::pair<std::size_t, std::string>> changes = {
      {1, "name = 'other'"},
      {2, "horizon = 100001"},
      {3, "runs = 21"},
      {7, "decision_set = { type = 'box', lower = [-1, -1], upper = [1, 1.5] }"},
      {8, "noise_scale = 0.2"},
      {9, "norm_bound = 1.1"},
      {10, "ridge = 1.0000000000000002"},
      {11, "failure_prob = 0.02"},
      {13, "matrix = [[0.6, 1.8], [1.8, 0.5]]"},
      {14, "limit = 0.8"},
      {17, "parameter = [0.9, 0.045]"},
      {18, "noise = { type = 'uniform' }"},
      {19, ""},
      {24, "optimism = 'l1-cholesky'"},
      {25, ""},
      {28, "nested = true"},
      {29, "warmup = { rounds = 1055 }"},
      {32, "name = 'b'"}};
  for (const auto& [line, replacement] : changes) {
    EXPECT_NE(experiment_of(with_line(testing::kExperiment, line, replacement)).config_hash, hash)
        << replacement;
  }
}

}  // namespace
}  // namespace foothold::config
