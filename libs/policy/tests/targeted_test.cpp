#include "foothold/policy/targeted.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/policy/safe_lucb.hpp"

#include "instances.hpp"

namespace foothold::policy {
namespace {

struct Outcome {
  double regret = 0.0;
  int explorations = 0;
  int last_exploration = -1;
};

Outcome play(Learner& policy, const Eigen::VectorXd& mu, double best_loss, int rounds) {
  RandomStream noise(/*seed=*/21, /*stream=*/4);
  Outcome outcome;
  for (int round = 0; round < rounds; ++round) {
    const Decision& decision = policy.ask();
    EXPECT_TRUE(decision.certificate.is_safe());
    const double loss = mu.dot(decision.action);
    outcome.regret += loss - best_loss;
    if (decision.purpose == Purpose::Exploration) {
      ++outcome.explorations;
      outcome.last_exploration = round;
    }
    policy.tell(decision.id, loss + 0.1 * noise.normal());
  }
  return outcome;
}

// An instance on which optimism over the certified set is stuck for ever: the safe action that it
// plays says nothing about the constraint at the best one.
safety::Problem trap() {
  return {.decision_set = geometry::Box::symmetric(2, 1.0),
          .constraints = {{.matrix = Eigen::MatrixXd{{-0.47, 0.84}, {0.05, 0.97}}, .limit = 0.1}},
          .assumptions = {.noise_scale = 0.1, .norm_bound = 1.0}};
}

TEST(Targeted, LeavesTheTrapThatOptimismAloneIsStuckIn) {
  const Eigen::Vector2d mu(-0.47, 0.88);
  // The constraint is q = Bᵀμ = (0.2649, 0.4588), and x* = (1, −1): qᵀx* < 0.1.
  const double best_loss = -0.47 - 0.88;
  SafeLucb stuck(trap());
  Targeted targeted(trap());
  const Outcome without = play(stuck, mu, best_loss, 20'000);
  const Outcome with = play(targeted, mu, best_loss, 20'000);
  EXPECT_GT(without.regret, 1000.0);
  EXPECT_LT(with.regret, without.regret / 20.0);
}

// In one dimension with B = b: arm x is known safe iff |bx| ≤ c.
safety::Problem line(double b, double limit, const Eigen::VectorXd& arms) {
  return {.decision_set = geometry::Arms(arms),
          .constraints = {{.matrix = Eigen::MatrixXd::Constant(1, 1, b), .limit = limit}},
          .assumptions = {.noise_scale = 0.1, .norm_bound = 1.0}};
}

TEST(Targeted, LearnsThatABetterArmIsSafeAndThenPlaysIt) {
  // μ = −0.9, b = 1: arm 1 is safe, but S·1 > 0.5, so arm 0.2 has to teach that.
  Targeted policy(line(1.0, 0.5, Eigen::Vector2d(1.0, 0.2)));
  const Outcome outcome = play(policy, Eigen::VectorXd::Constant(1, -0.9), -0.9, 500);
  EXPECT_EQ(policy.ask().arm, 0);
  EXPECT_LT(outcome.regret, 500 * 0.72 * 0.3);
}

TEST(Targeted, GivesUpAnArmThatIsProvedUnsafe) {
  // μ = −0.9, b = −1: arm 1 has μbx = 0.9 > 0.5 and would be the best if it were safe.
  Targeted policy(line(-1.0, 0.5, Eigen::Vector2d(1.0, 0.2)));
  const Outcome outcome = play(policy, Eigen::VectorXd::Constant(1, -0.9), -0.18, 2000);
  EXPECT_LT(outcome.last_exploration, 1000);
  EXPECT_EQ(policy.ask().arm, 1);
}

TEST(Targeted, NeverExploresWhereEverythingIsSafe) {
  safety::Problem problem = trap();
  problem.constraints[0].limit = 100.0;
  Targeted policy(problem);
  EXPECT_EQ(play(policy, Eigen::Vector2d(-0.47, 0.88), -1.35, 300).explorations, 0);
}

TEST(Targeted, ThompsonPlaysTheBestCertifiedActionOfItsDraw) {
  Targeted policy(trap(), {.exploit = Exploit::Thompson});
  int drawn = 0;
  RandomStream noise(/*seed=*/2, /*stream=*/2);
  for (int round = 0; round < 500; ++round) {
    const Decision& decision = policy.ask();
    drawn += decision.purpose == Purpose::Thompson ? 1 : 0;
    ASSERT_NE(decision.purpose, Purpose::Optimism);
    policy.tell(decision.id,
                Eigen::Vector2d(-0.47, 0.88).dot(decision.action) + 0.1 * noise.normal());
  }
  EXPECT_GT(drawn, 100);
}

TEST(Targeted, ExploresAmongContextualArms) {
  safety::Problem problem = line(1.0, 0.5, Eigen::Vector2d(1.0, 0.2));
  const Eigen::MatrixXd arms = std::get<geometry::Arms>(problem.decision_set).features();
  problem.decision_set = geometry::ContextualArms(1);
  problem.assumptions.action_bound = 1.0;
  Targeted policy(problem);
  RandomStream noise(/*seed=*/2, /*stream=*/3);
  for (int round = 0; round < 500; ++round) {
    const Decision& decision = policy.ask(arms);
    policy.tell(decision.id, -0.9 * decision.action(0) + 0.1 * noise.normal());
  }
  EXPECT_EQ(policy.ask(arms).arm, 0);
}

TEST(Targeted, WithoutACertifiedArmAskFailsAndChangesNothing) {
  Targeted policy(line(1.0, 0.5, Eigen::VectorXd::Constant(1, 1.0)));
  const Bytes before = policy.snapshot();
  EXPECT_THROW(static_cast<void>(policy.ask()), Error);
  EXPECT_EQ(policy.snapshot(), before);
}

TEST(Targeted, RefusesWhatItCannotUse) {
  EXPECT_THROW(Targeted(trap(), {.gap_growth = 1.5}), Error);
  EXPECT_THROW(Targeted(trap(), {.warmup = {.schedule = Schedule::Rounds, .rounds = 10}}), Error);
  EXPECT_THROW(Targeted(trap(), {.exploration = 0.0}), Error);
  EXPECT_THROW(Targeted(trap(), {.exploration = std::numeric_limits<double>::quiet_NaN()}), Error);
}

}  // namespace
}  // namespace foothold::policy
