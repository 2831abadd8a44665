#include <algorithm>
#include <cmath>
#include <string>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/base/infinity.hpp"
#include "foothold/policy/safe_lucb.hpp"
#include "foothold/simulation/batch/runner.hpp"
#include "foothold/simulation/world/arm_stream.hpp"
#include "foothold/simulation/world/family.hpp"

#include "world/run_streams.hpp"

namespace foothold::simulation {
namespace {

config::FamilyConfig contextual_family() {
  return {.type = "contextual", .dim = 3, .arms = 8, .safe_arms = 2};
}

config::PolicyConfig safe_lucb(std::int64_t warmup) {
  return {.name = "safe-lucb",
          .algorithm = policy::Algorithm::SafeLucb,
          .options = {.warmup = {.schedule = policy::Schedule::Rounds, .rounds = warmup}}};
}

config::ExperimentConfig contextual_experiment(std::int64_t horizon) {
  return {.name = "contextual",
          .horizon = horizon,
          .runs = 2,
          .seed = 11,
          .family = contextual_family(),
          .policies = {safe_lucb(20), {.name = "targeted"}, {.name = "unsafe", .is_unsafe = true}}};
}

TEST(ArmStream, PutsItsFirstArmsIntoTheFootholdAndAllIntoTheBall) {
  for (std::int64_t run = 0; run < 20; ++run) {
    const Instance instance = draw_instance(contextual_family(), 7, run);
    const safety::SafetyConstraint& constraint = instance.problem.constraints.front();
    EXPECT_GE(constraint.limit, 0.1);
    ArmStream stream(contextual_family(), instance.problem, 7, run);
    for (int round = 0; round < 50; ++round) {
      const Eigen::MatrixXd& arms = stream.next();
      ASSERT_EQ(arms.rows(), 8);
      EXPECT_LE(arms.rowwise().norm().maxCoeff(), 1.0);
      const Eigen::MatrixXd known = arms.topRows(2) * constraint.matrix.transpose();
      EXPECT_LE(known.rowwise().norm().maxCoeff(), constraint.limit);
    }
  }
}

TEST(ArmStream, IsUniformOnTheEllipsoidAndOnTheBall) {
  // Uniform on { xᵀMx ≤ 1 }: E xxᵀ = M⁻¹/(d + 2). In the coordinates u = M^{1/2}x the entries of
  // uuᵀ have variances at most E u_i⁴ = 3/((d + 2)(d + 4)); six standard errors of 20,000 draws.
  constexpr int kRounds = 20000;
  const Instance instance = draw_instance(contextual_family(), 7, 0);
  const safety::SafetyConstraint& constraint = instance.problem.constraints.front();
  const Eigen::Matrix3d M = Eigen::Matrix3d::Identity() + constraint.matrix.transpose() *
                                                              constraint.matrix /
                                                              (constraint.limit * constraint.limit);
  const Eigen::Matrix3d root = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(M).operatorSqrt();
  ArmStream stream(contextual_family(), instance.problem, 7, 0);
  Eigen::Matrix3d known = Eigen::Matrix3d::Zero();
  Eigen::Matrix3d other = Eigen::Matrix3d::Zero();
  for (int round = 0; round < kRounds; ++round) {
    const Eigen::MatrixXd& arms = stream.next();
    const Eigen::Vector3d u = root * arms.row(1).transpose();
    const Eigen::Vector3d x = arms.row(2).transpose();
    known += u * u.transpose() / kRounds;
    other += x * x.transpose() / kRounds;
  }
  const Eigen::Matrix3d expected = Eigen::Matrix3d::Identity() / 5.0;
  const double bound = 6.0 * std::sqrt(3.0 / 35.0 / kRounds);
  EXPECT_LE((known - expected).cwiseAbs().maxCoeff(), bound);
  EXPECT_LE((other - expected).cwiseAbs().maxCoeff(), bound);
}

TEST(ArmStream, IsAFunctionOfSeedRunAndRound) {
  const config::FamilyConfig family = contextual_family();
  const safety::Problem problem = draw_instance(family, 7, 3).problem;
  ArmStream first(family, problem, 7, 3);
  ArmStream other_run(family, problem, 7, 4);
  const Eigen::MatrixXd round_1 = first.next();
  const Eigen::MatrixXd round_2 = first.next();
  EXPECT_NE(round_1, round_2);
  EXPECT_NE(round_1, other_run.next());
  ArmStream again(family, problem, 7, 3);
  EXPECT_EQ(again.next(), round_1);
  EXPECT_EQ(again.next(), round_2);
}

TEST(ContextualRuns, CountWhatAPlainLoopCounts) {
  // Oracle: the definition of regret against the best safe arm of each round, in a loop over the
  // same policy, arms, noise and seeds.
  const config::ExperimentConfig config = contextual_experiment(300);
  const ExperimentResult result = run_experiment(config, {.threads = 1});
  for (std::int64_t run = 0; run < 2; ++run) {
    const Instance instance = draw_instance(*config.family, config.seed, run);
    const Eigen::VectorXd& mu = instance.parameter;
    const safety::SafetyConstraint& constraint = instance.problem.constraints.front();
    const Eigen::VectorXd q = constraint.matrix.transpose() * mu;
    policy::PolicyOptions options = config.policies[0].options;
    options.horizon = config.horizon;
    options.seed = policy_seed(config.seed, run);
    policy::SafeLucb policy(safety::resolved(instance.problem), options);
    ArmStream stream(*config.family, instance.problem, config.seed, run);
    RandomStream noise = run_stream(config.seed, run, StreamPurpose::Noise);
    double regret = 0.0;
    double best_sum = 0.0;
    for (std::int64_t round = 0; round < config.horizon; ++round) {
      const Eigen::MatrixXd& arms = stream.next();
      double best = kInfinity;
      for (Eigen::Index arm = 0; arm < arms.rows(); ++arm) {
        if (q.dot(arms.row(arm)) <= constraint.limit) {
          best = std::min(best, mu.dot(arms.row(arm)));
        }
      }
      const policy::Decision& decision = policy.ask(arms);
      regret += mu.dot(decision.action) - best;
      best_sum += best;
      policy.tell(decision.id, mu.dot(decision.action) + 0.1 * noise.normal());
    }
    const RunResult& actual = result.policies[0].runs[static_cast<std::size_t>(run)];
    EXPECT_NEAR(actual.final_regret, regret, 1e-10 * regret);
    EXPECT_NEAR(actual.best_loss, best_sum / 300.0, 1e-12);
    EXPECT_EQ(actual.warmup_rounds, 20);
    EXPECT_FALSE(actual.optimum_certified_round);
  }
}

TEST(ContextualRuns, MeetTheSameArmsWithEveryPolicyOnAnyNumberOfThreads) {
  const config::ExperimentConfig config = contextual_experiment(200);
  const ExperimentResult one = run_experiment(config, {.threads = 1});
  const ExperimentResult two = run_experiment(config, {.threads = 2});
  for (std::size_t run = 0; run < 2; ++run) {
    for (std::size_t policy = 0; policy < 3; ++policy) {
      const RunResult& result = one.policies[policy].runs[run];
      EXPECT_EQ(result.best_loss, one.policies[0].runs[run].best_loss);
      EXPECT_EQ(result.safety_gap, one.policies[0].runs[run].safety_gap);
      EXPECT_GT(result.safety_gap, 0.0);
      EXPECT_EQ(result.final_regret, two.policies[policy].runs[run].final_regret);
      // A round without violation cannot beat the best safe arm.
      if (result.violations == 0) {
        EXPECT_TRUE(std::ranges::is_sorted(result.trace_regret));
      }
    }
    EXPECT_EQ(one.policies[0].runs[run].violations, 0);
    EXPECT_EQ(one.policies[1].runs[run].violations, 0);
  }
}

TEST(ContextualRuns, HaveNoOracleGap) {
  config::ExperimentConfig config = contextual_experiment(10);
  config.policies.resize(1);
  config.policies[0].options.warmup = {.schedule = policy::Schedule::Gap};
  try {
    static_cast<void>(run_experiment(config));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("warmup.safety_gap: must be given for contextual"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace foothold::simulation
