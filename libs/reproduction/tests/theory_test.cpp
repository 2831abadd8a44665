#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "foothold/policy/safe_lucb.hpp"
#include "foothold/policy/warmup.hpp"
#include "foothold/simulation/batch/runner.hpp"

#include "checks/foothold_draws.hpp"
#include "checks/l1_oracle.hpp"
#include "checks/safe_set_history.hpp"
#include "checks/theory_bounds.hpp"
#include "checks/watched_play.hpp"
#include "studies/paper_experiments.hpp"

namespace foothold::reproduction {
namespace {

constexpr ExperimentSize kTheorySize{.horizon = 400, .runs = 2, .seed = 2019};

// By hand: BᵀB has trace 0.36 + 3.24 + 3.24 + 0.16 = 7 and determinant (0.24 − 3.24)² = 9, so
// ‖B‖² = (7 + √13)/2; λ_- = 0.81/(4‖B‖²); L² = 2.
TEST(TheoryBounds, ThePaperPolytopeByHand) {
  const safety::Problem problem =
      safety::resolved(*polytope_experiment(kTheorySize).config.problem);
  const TheoryBounds bounds = theory_bounds(problem, std::sqrt(2.0));
  const double norm_sq = 0.5 * (7.0 + std::sqrt(13.0));
  EXPECT_NEAR(bounds.matrix_norm, std::sqrt(norm_sq), 1e-12);
  EXPECT_NEAR(bounds.min_eigenvalue, 0.81 / (4.0 * norm_sq), 1e-12);
  const double t_delta = 16.0 / bounds.min_eigenvalue * std::log(200.0);
  EXPECT_NEAR(bounds.eigenvalue_rounds(), t_delta, 1e-8);
  const double beta = 0.1 * std::sqrt(2.0 * std::log((1.0 + 99999.0 * 2.0) / 0.01)) + 1.0;
  EXPECT_NEAR(bounds.radius(1e5), beta, 1e-12);
  // Δ = 0.9 + 0.9·2.4 + 0.044·2.2
  const double gap = 3.1568;
  EXPECT_NEAR(bounds.gap_rounds(1e5, gap),
              (8.0 * 2.0 * norm_sq * 2.0 * beta * beta / (gap * gap) - 2.0) / bounds.min_eigenvalue,
              1e-8);
  EXPECT_NEAR(bounds.gap_rounds(1e5, gap), 1060.6, 0.05);
}

// The library computes the same schedules for its policies.
TEST(TheoryBounds, AgreeWithTheSchedules) {
  const safety::Problem problem =
      safety::resolved(*polytope_experiment(kTheorySize).config.problem);
  const TheoryBounds bounds = theory_bounds(problem, std::sqrt(2.0));
  const policy::ScheduleInputs inputs{.problem = problem,
                                      .min_eigenvalue = bounds.min_eigenvalue,
                                      .caution_factor = std::sqrt(2.0),
                                      .horizon = 100000};
  EXPECT_NEAR(bounds.eigenvalue_rounds(), policy::eigenvalue_rounds(inputs), 1e-6);
  EXPECT_NEAR(bounds.gap_rounds(1e5, 0.5), policy::gap_rounds(inputs, 0.5, false), 1e-6);
  EXPECT_NEAR(std::max(bounds.worst_case_rounds(1e5), bounds.eigenvalue_rounds()),
              policy::worst_case_rounds(inputs), 1e-6);
  // Theirs mends the determinant and does without |μᵀx| ≤ 1: never smaller.
  EXPECT_LE(bounds.general_regret(1e5, 5000.0),
            policy::regret_bound(policy::RegretTheorem::General, inputs, std::sqrt(2.0), 5000));
}

TEST(WatchedPlay, TellsItsRoundsAndStopsWhenTold) {
  const PaperExperiment experiment = polytope_experiment(kTheorySize);
  std::vector<std::int64_t> told;
  WatchedSetup setup{.experiment = experiment.config,
                     .options = experiment.config.policies.front().options,
                     .horizon = 600,
                     .go_on = [&](std::int64_t rounds) {
                       told.push_back(rounds);
                       return true;
                     }};
  const double whole = watched_play(setup).regret;
  EXPECT_EQ(told, (std::vector<std::int64_t>{256, 256, 88}));
  setup.go_on = [](std::int64_t) { return false; };
  EXPECT_LT(watched_play(setup).regret, whole);
}

// The runner counts regret by itself.
TEST(WatchedPlay, IsTheRunOfTheRunner) {
  const PaperExperiment experiment = polytope_experiment(kTheorySize);
  const simulation::ExperimentResult expected = simulation::run_experiment(experiment.config);
  for (std::size_t policy = 0; policy < 2; ++policy) {
    for (std::int64_t run = 0; run < kTheorySize.runs; ++run) {
      const WatchedRun watched =
          watched_play({.experiment = experiment.config,
                        .options = experiment.config.policies[policy].options,
                        .horizon = kTheorySize.horizon,
                        .run = run});
      const auto& played = expected.policies[policy].runs[static_cast<std::size_t>(run)];
      EXPECT_NEAR(watched.regret, played.final_regret, 1e-9 * (1.0 + played.final_regret));
      EXPECT_EQ(watched.warmup, played.warmup_rounds);
      EXPECT_EQ(watched.certified_round, played.optimum_certified_round.value_or(0));
      EXPECT_EQ(watched.is_covered, !played.has_lost_coverage);
    }
  }
}

// r_t = Term I + Term II, summed without a warm-up.
TEST(WatchedPlay, TheTwoTermsAddUpToTheRegret) {
  const PaperExperiment experiment = polytope_experiment(kTheorySize);
  const WatchedRun run = watched_play({.experiment = experiment.config,
                                       .options = experiment.config.policies[1].options,
                                       .horizon = kTheorySize.horizon,
                                       .run = 0});
  EXPECT_NEAR(run.optimism_sum + run.safety_sum, run.regret, 1e-9);
  EXPECT_GT(run.shortfall_sum, 0.0);
}

// Without data only the foothold ‖Bx‖ ≤ 0.9 is certified; it lies within the square.
TEST(SafeSetHistory, BeginsWithTheFoothold) {
  config::ExperimentConfig config = polytope_experiment(kTheorySize).config;
  policy::PolicyOptions options = config.policies[1].options;
  options.certified = safety::CertifiedSet::Union;
  policy::SafeLucb policy(*config.problem, options);
  const std::vector<PlaneCurve> borders = safe_set_history(config, 0, policy, {1, 50});
  const Eigen::MatrixXd& B = config.problem->constraints.front().matrix;
  for (std::size_t i = 0; i < borders[0].x.size(); ++i) {
    const Eigen::Vector2d x(borders[0].x[i], borders[0].y[i]);
    EXPECT_NEAR((B * x).norm(), 0.9, 1e-5);
  }
  EXPECT_EQ(borders[0].x.front(), borders[0].x.back());
  EXPECT_EQ(policy.rounds(), 49U);
}

TEST(CutSquare, KeepsTheSafeSide) {
  const PlaneCurve half = cut_square({1.0, 0.0}, 0.5);
  EXPECT_EQ(half.x, (std::vector<double>{-1.0, 0.5, 0.5, -1.0, -1.0}));
  EXPECT_EQ(half.y, (std::vector<double>{-1.0, -1.0, 1.0, 1.0, -1.0}));
  EXPECT_EQ(cut_square({0.1, 0.1}, 1.0).x.size(), 5U);
}

TEST(CheckOptimism, TheVerticesSuffice) {
  const PaperExperiment experiment = polytope_experiment(kTheorySize);
  const std::vector<OptimismCheck> checks =
      check_optimism(experiment.config, experiment.config.policies[1].options, {2, 60});
  ASSERT_EQ(checks.size(), 2U);
  for (const OptimismCheck& check : checks) {
    EXPECT_NEAR(check.searched, check.decided, 1e-5);
  }
}

TEST(FootholdDraws, AThresholdAboveTheMeanIsMissedAndOneBelowIsMet) {
  const safety::Problem problem =
      safety::resolved(*polytope_experiment(kTheorySize).config.problem);
  const double mean = theory_bounds(problem, 1.0).min_eigenvalue * 1000.0;
  EXPECT_EQ(eigenvalue_trials(problem, 1000, 1.5 * mean, 20, 1).below, 20);
  EXPECT_EQ(eigenvalue_trials(problem, 1000, 0.5 * mean, 20, 1).below, 0);
  EXPECT_EQ(covered_trials(problem, Eigen::Vector2d(0.9, 0.044), 50, 20, 1), 20);
  EXPECT_NEAR(sampled_min_eigenvalue(problem, safety::Sampler::Uniform, 20000, 1) * 1000.0, mean,
              0.05 * mean);
}

}  // namespace
}  // namespace foothold::reproduction
