#include "foothold/policy/gslucb.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/policy/safe_lucb.hpp"

#include "instances.hpp"

namespace foothold::policy {
namespace {

std::string field_of_error(const safety::Problem& problem, const PolicyOptions& options) {
  try {
    const Gslucb policy(problem, options);
  } catch (const Error& error) {
    return error.field();
  }
  return "";
}

// Losses for μ with noise of scale R = 0.01, so that a large gap shows early.
safety::Problem quiet_problem(double limit) {
  safety::Problem problem = problem_on(geometry::Box::symmetric(2, 1.0), limit);
  problem.assumptions.noise_scale = 0.01;
  problem.assumptions.ridge = 1.0;
  return problem;
}

const Eigen::Vector2d kMu(0.8, 0.4);

class Player {
 public:
  void play(Learner& policy, int rounds) {
    for (int round = 0; round < rounds; ++round) {
      const Decision& decision = policy.ask();
      policy.tell(decision.id, kMu.dot(decision.action) + 0.01 * noise_.normal());
    }
  }

 private:
  RandomStream noise_{/*seed=*/3, /*stream=*/5};
};

// x* = (−1, −1) and μᵀBx* = −(0.8·2.4 + 0.4·2.2) = −2.8: Δ = c + 2.8.
constexpr double kLimit = 2.0;
constexpr double kGap = kLimit + 2.8;

TEST(Gslucb, EndsItsWarmUpBeforeTheWorstCaseWhenTheGapIsLarge) {
  Gslucb policy(quiet_problem(kLimit), {.horizon = 1'000'000});
  const std::int64_t worst_case = policy.warmup();  // nothing is known yet
  EXPECT_EQ(worst_case,
            SafeLucb(quiet_problem(kLimit),
                     {.warmup = {.schedule = Schedule::WorstCase}, .horizon = 1'000'000})
                .warmup());
  Player player;
  while (policy.is_warming_up()) {
    ASSERT_LT(policy.estimate().count(), worst_case);
    player.play(policy, 1);
  }
  EXPECT_EQ(policy.warmup(), policy.estimate().count());
  EXPECT_LT(policy.warmup(), worst_case / 2);
  EXPECT_GT(policy.gap_bound(), 0.0);
  EXPECT_EQ(policy.ask().purpose, Purpose::Optimism);
}

TEST(Gslucb, StopsAtTheFirstRoundThatItsBoundAllows) {
  // t ≤ T'_{t−1} goes on, T'_{t−1} < t stops: the length is T_{Δ_t} of the last bound, rounded up,
  // or the number of rounds told when a better bound came late.
  Gslucb policy(quiet_problem(kLimit), {.horizon = 1'000'000});
  Player player;
  while (policy.is_warming_up()) {
    player.play(policy, 1);
  }
  const SafeLucb known(quiet_problem(kLimit),
                       {.warmup = {.schedule = Schedule::Gap, .safety_gap = policy.gap_bound()},
                        .horizon = 1'000'000});
  EXPECT_GE(policy.warmup(), known.warmup());
  const SafeLucb truth(
      quiet_problem(kLimit),
      {.warmup = {.schedule = Schedule::Gap, .safety_gap = kGap}, .horizon = 1'000'000});
  EXPECT_GE(policy.warmup(), truth.warmup());
}

TEST(Gslucb, BoundsTheGapFromBelowAndApproachesIt) {
  Gslucb policy(quiet_problem(kLimit), {.gap_growth = 1.1, .horizon = 100'000'000});
  Player player;
  double early = 0.0;
  for (int part = 0; part < 40 && policy.is_warming_up(); ++part) {
    player.play(policy, 50);
    ASSERT_LE(policy.gap_bound(), kGap);  // the seed is one of the 1 − δ
    early = part == 1 ? policy.gap_bound() : early;
  }
  EXPECT_GT(policy.gap_bound(), early);
  EXPECT_GT(policy.gap_bound(), 0.8 * kGap);
}

TEST(Gslucb, KeepsTheWorstCaseWhenTheConstraintBinds) {
  // μᵀBx ≤ 0.05 cuts off the corner that the loss wants: Δ = 0, and no bound can be positive.
  safety::Problem problem = quiet_problem(0.05);
  problem.constraints[0].matrix *= -1.0;
  Gslucb policy(problem, {.gap_growth = 1.5, .horizon = 2000});
  const std::int64_t worst_case = policy.warmup();
  Player player;
  player.play(policy, 500);
  EXPECT_EQ(policy.gap_bound(), 0.0);
  EXPECT_EQ(policy.warmup(), worst_case);
}

TEST(Gslucb, DrawsTheSameWarmUpAsSafeLucb) {
  Gslucb one(quiet_problem(kLimit), {.horizon = 10'000, .seed = 9});
  SafeLucb other(quiet_problem(kLimit),
                 {.warmup = {.schedule = Schedule::WorstCase}, .horizon = 10'000, .seed = 9});
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(one.ask().action, other.ask().action);
  }
}

TEST(Gslucb, BoundsTheGapOfContextsSeen) {
  safety::Problem problem = problem_on(geometry::ContextualArms(2), kLimit);
  problem.assumptions = {.noise_scale = 0.01, .norm_bound = 1.0, .action_bound = 2.0, .ridge = 1.0};
  Gslucb policy(problem,
                {.warmup = {.min_eigenvalue = 0.05}, .gap_growth = 1.3, .horizon = 1'000'000});
  const Eigen::MatrixXd arms{{0.5, 0.0}, {0.0, 0.5}, {-1.0, -1.0}, {0.3, -0.3}};
  RandomStream noise(/*seed=*/4, /*stream=*/1);
  int rounds = 0;
  while (policy.is_warming_up() && rounds < 30'000) {
    const Decision& decision = policy.ask(arms);
    policy.tell(decision.id, kMu.dot(decision.action) + 0.01 * noise.normal());
    ++rounds;
  }
  EXPECT_FALSE(policy.is_warming_up());
  EXPECT_GT(policy.gap_bound(), 0.0);
  EXPECT_LE(policy.gap_bound(), kGap);
}

TEST(Gslucb, RefusesWhatItCannotUse) {
  const safety::Problem problem = quiet_problem(kLimit);
  EXPECT_EQ(field_of_error(problem, {}), "horizon");
  EXPECT_EQ(field_of_error(problem,
                           {.warmup = {.schedule = Schedule::Rounds, .rounds = 3}, .horizon = 100}),
            "warmup.schedule");
  EXPECT_EQ(field_of_error(problem, {.gap_growth = 0.5, .horizon = 100}), "gap_growth");
  EXPECT_EQ(field_of_error(problem, {.exploration = 2.0, .horizon = 100}), "exploration");
  EXPECT_EQ(field_of_error(problem, {.exploit = Exploit::Thompson, .horizon = 100}), "exploit");
  EXPECT_EQ(field_of_error(problem, {.warmup = {.min_eigenvalue = 0.1}, .horizon = 100}),
            "warmup.min_eigenvalue");
  safety::Problem contextual = problem_on(geometry::ContextualArms(2));
  contextual.assumptions.action_bound = 1.0;
  EXPECT_EQ(field_of_error(contextual, {.horizon = 100}), "warmup.schedule");
}

}  // namespace
}  // namespace foothold::policy
