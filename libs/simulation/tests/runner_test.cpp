#include "foothold/simulation/batch/runner.hpp"

#include <cmath>
#include <string>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/base/infinity.hpp"
#include "foothold/policy/safe_lucb.hpp"
#include "foothold/simulation/world/environment.hpp"
#include "foothold/simulation/world/family.hpp"

#include "paper_polytope.hpp"
#include "world/run_streams.hpp"

namespace foothold::simulation {
namespace {

std::string message_of(const config::ExperimentConfig& config) {
  try {
    static_cast<void>(run_experiment(config));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Two arms, B = −I, μ = 1: the first violates −μx ≤ 0.2 and has the smaller loss; the second is
// best.
config::ExperimentConfig two_arms(config::PolicyConfig policy, std::int64_t horizon) {
  Eigen::MatrixXd features(2, 1);
  features << -1.0, -0.1;
  return {.name = "two arms",
          .horizon = horizon,
          .runs = 3,
          .seed = 5,
          .problem = safety::Problem{.decision_set = geometry::Arms(features),
                                     .constraints = {{.matrix = -Eigen::MatrixXd::Identity(1, 1),
                                                      .limit = 0.2}},
                                     .assumptions = {.noise_scale = 0.1}},
          .environment = config::EnvironmentConfig{.parameter = Eigen::VectorXd::Ones(1),
                                                   .noise = {.scale = 0.1}},
          .policies = {std::move(policy)}};
}

TEST(RunExperiment, CountsWhatAPlainLoopCounts) {
  // Oracle: the definitions of regret, violation and margin in a loop over the same policy,
  // noise and seeds, with the constraint value in long double.
  const config::ExperimentConfig config = testing::paper_experiment(400, 2);
  const ExperimentResult result = run_experiment(config, {.threads = 1});
  ASSERT_EQ(result.policies.size(), 1U);
  ASSERT_EQ(result.policies[0].runs.size(), 2U);
  const Eigen::VectorXd mu = testing::paper_polytope_parameter();
  for (std::int64_t run = 0; run < 2; ++run) {
    policy::PolicyOptions options = config.policies[0].options;
    options.horizon = config.horizon;
    options.seed = policy_seed(config.seed, run);
    policy::SafeLucb policy(*config.problem, options);
    double regret = 0.0;
    double min_margin = kInfinity;
    for (std::int64_t round = 0; round < config.horizon; ++round) {
      const policy::Decision decision = policy.ask();
      const Eigen::Vector2d x = decision.action;
      regret += mu.dot(x) + 0.944;
      min_margin = std::min(min_margin, 0.9 - 0.6192 * x(0) - 1.6376 * x(1));
      RandomStream noise(config.seed, static_cast<std::uint64_t>(run) * 16U,
                         static_cast<std::uint64_t>(round));
      policy.tell(decision.id, mu.dot(x) + 0.1 * noise.normal());
    }
    const RunResult& actual = result.policies[0].runs[static_cast<std::size_t>(run)];
    EXPECT_NEAR(actual.final_regret, regret, 1e-10 * regret);
    EXPECT_NEAR(actual.min_margin, min_margin, 1e-12);
    EXPECT_EQ(actual.violations, 0);
    EXPECT_EQ(actual.warmup_rounds, 50);
    EXPECT_NEAR(actual.safety_gap, 3.1568, 1e-12);
    EXPECT_FALSE(actual.has_lost_coverage);
  }
}

TEST(RunExperiment, TracesTheRegretUpToTheHorizon) {
  const ExperimentResult result = run_experiment(testing::paper_experiment(1000, 1));
  const RunResult& run = result.policies.at(0).runs.at(0);
  ASSERT_EQ(run.trace_regret.size(), result.trace_rounds.size());
  ASSERT_EQ(run.trace_violations.size(), result.trace_rounds.size());
  EXPECT_EQ(result.trace_rounds.back(), 1000);
  EXPECT_EQ(run.trace_regret.back(), run.final_regret);
  for (std::size_t i = 1; i < run.trace_regret.size(); ++i) {
    EXPECT_GE(run.trace_regret[i], run.trace_regret[i - 1]);  // x* is the unconstrained optimum
  }
}

TEST(RunExperiment, GivesAllPoliciesOfARunTheSameNoiseAndSeed) {
  config::ExperimentConfig config = testing::paper_experiment(300, 2);
  config.policies.push_back(config.policies[0]);
  config.policies[1].name = "twin";
  const ExperimentResult result = run_experiment(config);
  for (std::size_t run = 0; run < 2; ++run) {
    EXPECT_EQ(result.policies[0].runs[run].trace_regret, result.policies[1].runs[run].trace_regret);
  }
  EXPECT_NE(result.policies[0].runs[0].trace_regret, result.policies[0].runs[1].trace_regret);
}

TEST(RunExperiment, CountsTheViolationsOfTheUnsafeLearner) {
  const config::PolicyConfig unsafe{.name = "unsafe", .is_unsafe = true};
  const ExperimentResult result = run_experiment(two_arms(unsafe, 500));
  for (const RunResult& run : result.policies.at(0).runs) {
    // Each violation gains 0.9 over the best safe arm, and nothing else is played.
    EXPECT_GT(run.violations, 400);
    EXPECT_NEAR(run.final_regret, -0.9 * static_cast<double>(run.violations), 1e-9);
    EXPECT_NEAR(run.min_margin, -0.8, 1e-15);
    EXPECT_EQ(run.warmup_rounds, 0);
    EXPECT_FALSE(run.optimum_certified_round.has_value());
  }
}

TEST(RunExperiment, NeverPlaysTheUnsafeArmWithASafeLearner) {
  const ExperimentResult result = run_experiment(two_arms({.name = "safe"}, 500));
  for (const RunResult& run : result.policies.at(0).runs) {
    EXPECT_EQ(run.violations, 0);
    EXPECT_NEAR(run.min_margin, 0.1, 1e-15);
    EXPECT_NEAR(run.final_regret, 0.0, 1e-12);
    EXPECT_EQ(run.optimum_certified_round, 1);  // It lies in the foothold.
  }
}

TEST(RunExperiment, SeesTheRegionLoseAParameterBeyondItsBound) {
  // ‖μ‖ = 2 with S = 1, and noise that hides nothing: the region of the first round is the ball
  // of radius S and a little more, which 2 is not in.
  config::ExperimentConfig config = testing::paper_experiment(10, 1);
  config.environment->parameter = Eigen::Vector2d(2.0, 0.0);
  const ExperimentResult result = run_experiment(config);
  EXPECT_TRUE(result.policies.at(0).runs.at(0).has_lost_coverage);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_NE(result.notes[0].find("norm_bound"), std::string::npos);
}

TEST(RunExperiment, FindsTheFirstRoundThatCertifiesTheOptimum) {
  // Oracle: the certificate asked for at every round.
  config::ExperimentConfig config = testing::paper_experiment(1500, 1);
  config.policies[0].options.warmup.rounds = 600;
  const ExperimentResult result = run_experiment(config);
  policy::PolicyOptions options = config.policies[0].options;
  options.seed = policy_seed(config.seed, 0);
  policy::SafeLucb policy(*config.problem, options);
  const Eigen::Vector2d x_star(-1.0, -1.0);
  RandomStream noise = run_stream(config.seed, 0, StreamPurpose::Noise);
  std::optional<std::int64_t> expected;
  for (std::int64_t round = 1; round <= config.horizon && !expected; ++round) {
    if (round > 600 && policy.certify(x_star).is_safe()) {
      expected = round;
    }
    const policy::Decision decision = policy.ask();
    const double mean = testing::paper_polytope_parameter().dot(decision.action);
    policy.tell(decision.id, mean + 0.1 * noise.normal());
  }
  ASSERT_TRUE(expected.has_value());
  EXPECT_EQ(result.policies.at(0).runs.at(0).optimum_certified_round, expected);
}

TEST(RunExperiment, SuppliesTheTrueGapWhereAScheduleLacksIt) {
  config::ExperimentConfig config = testing::paper_experiment(3000, 1);
  config.policies[0].options.warmup = {.schedule = policy::Schedule::Gap};
  config.policies.push_back(config.policies[0]);
  config.policies[1].options.warmup.safety_gap = 3.1568;
  const ExperimentResult result = run_experiment(config);
  EXPECT_TRUE(result.policies[0].has_oracle_gap);
  EXPECT_FALSE(result.policies[1].has_oracle_gap);
  EXPECT_EQ(result.policies[0].runs[0].warmup_rounds, result.policies[1].runs[0].warmup_rounds);
  EXPECT_GT(result.policies[0].runs[0].warmup_rounds, 2000);  // t_δ = 2220
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_NE(result.notes[0].find("oracle"), std::string::npos);
}

TEST(RunExperiment, RefusesAnOracleGapOfZero) {
  config::ExperimentConfig config = testing::paper_experiment(100, 1);
  config.problem->constraints[0] = {.matrix = -Eigen::Matrix2d::Identity(), .limit = 0.2};
  config.policies[0].options.warmup = {.schedule = policy::Schedule::Nested};
  const std::string message = message_of(config);
  EXPECT_NE(message.find("policies[0]: \"paper\", run 0: warmup.safety_gap"), std::string::npos)
      << message;
}

TEST(RunExperiment, LearnsFromLateLossesAndWithoutTheMissing) {
  config::ExperimentConfig config = testing::paper_experiment(600, 1);
  config.policies.push_back({.name = "unsafe", .is_unsafe = true});
  const ExperimentResult prompt = run_experiment(config);
  config.environment->feedback = config::FeedbackConfig{};
  const ExperimentResult queued = run_experiment(config);
  config.environment->feedback = config::FeedbackConfig{.delay_mean = 20.0, .missing = 0.1};
  const ExperimentResult late = run_experiment(config);
  for (std::size_t policy = 0; policy < 2; ++policy) {
    const RunResult& reference = prompt.policies[policy].runs.at(0);
    // Without delay and loss the queue changes nothing.
    EXPECT_EQ(queued.policies[policy].runs.at(0).trace_regret, reference.trace_regret);
    EXPECT_GT(late.policies[policy].runs.at(0).final_regret, reference.final_regret);
  }
  EXPECT_EQ(late.policies[0].runs.at(0).violations, 0);
}

TEST(RunExperiment, DrawsAFamilysInstancePerRunAndARidgePerPolicy) {
  config::ExperimentConfig config{.name = "family",
                                  .horizon = 50,
                                  .runs = 3,
                                  .seed = 9,
                                  .family = config::FamilyConfig{.type = "k-armed"},
                                  .policies = {{.name = "paper", .ridge = 1.0}, {.name = "ours"}}};
  const ExperimentResult result = run_experiment(config);
  for (std::size_t run = 0; run < 3; ++run) {
    const Instance instance =
        draw_instance(*config.family, config.seed, static_cast<std::int64_t>(run));
    const double gap = best_safe_action(instance.problem, instance.parameter).safety_gap;
    EXPECT_EQ(result.policies[0].runs[run].safety_gap, gap);
    EXPECT_EQ(result.policies[1].runs[run].safety_gap, gap);
  }
  config.policies[1].ridge = 1.0;
  const ExperimentResult same = run_experiment(config);
  EXPECT_EQ(same.policies[0].runs[1].trace_regret, same.policies[1].runs[1].trace_regret);
}

TEST(RunExperiment, RefusesWhatIsNoExperiment) {
  const config::ExperimentConfig good = testing::paper_experiment(10, 1);
  config::ExperimentConfig bad = good;
  bad.horizon = 0;
  EXPECT_EQ(message_of(bad), "horizon: must be at least 1, got 0");
  bad = good;
  bad.runs = 0;
  EXPECT_EQ(message_of(bad), "runs: must be at least 1, got 0");
  bad = good;
  bad.policies.clear();
  EXPECT_EQ(message_of(bad), "policies: must have at least one entry, got none");
  bad = good;
  bad.environment.reset();
  EXPECT_EQ(message_of(bad), "environment: must be given, or a family in its place");
  bad = good;
  bad.problem->decision_set = geometry::ContextualArms(2);
  EXPECT_NE(message_of(bad).find("contextual"), std::string::npos);
  bad = good;
  bad.environment->feedback = config::FeedbackConfig{.missing = kNaN};
  EXPECT_NE(message_of(bad).find("feedback.missing"), std::string::npos);
}

TEST(RunExperiment, EndsARunWithoutASafeActionAndGoesOnWithTheOthers) {
  // The only arm of "lost" is not in the foothold, and no data certify it.
  config::ExperimentConfig config = two_arms({.name = "lost"}, 10);
  Eigen::MatrixXd features(1, 1);
  features << 0.9;
  config.problem->decision_set = geometry::Arms(features);
  config.policies.push_back({.name = "unsafe", .is_unsafe = true});
  const ExperimentResult result = run_experiment(config);
  EXPECT_TRUE(result.is_complete);
  ASSERT_EQ(result.policies.at(0).runs.size(), 3U);
  for (const RunResult& run : result.policies[0].runs) {
    EXPECT_EQ(run.failed_round, 1);
    EXPECT_TRUE(std::isnan(run.final_regret));
    EXPECT_TRUE(run.trace_regret.empty());
    EXPECT_EQ(run.violations, 0);
  }
  for (const RunResult& run : result.policies.at(1).runs) {
    EXPECT_FALSE(run.failed_round.has_value());
    EXPECT_EQ(run.trace_regret.size(), result.trace_rounds.size());
  }
  ASSERT_FALSE(result.notes.empty());
  EXPECT_EQ(result.notes.back(),
            "\"lost\" found no safe action in 3 of 3 runs, the first of them run 0 at round 1; "
            "those runs ended there, and its regret is that of the others");
}

}  // namespace
}  // namespace foothold::simulation
