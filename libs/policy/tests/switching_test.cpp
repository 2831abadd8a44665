#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/policy/gslucb.hpp"
#include "foothold/policy/safe_lucb.hpp"
#include "foothold/policy/targeted.hpp"

#include "instances.hpp"

namespace foothold::policy {
namespace {

struct Count {
  int switches = 0;
  int rounds = 0;
};

// Rounds of optimism, and how many of them changed the action.
Count play(Learner& policy, const Instance& instance, int rounds) {
  RandomStream noise(/*seed=*/8, /*stream=*/2);
  Eigen::VectorXd last = Eigen::VectorXd::Zero(policy.problem().dim());
  Count count;
  for (int round = 0; round < rounds; ++round) {
    const Decision& decision = policy.ask();
    EXPECT_TRUE(decision.certificate.is_safe());
    if (decision.purpose == Purpose::Optimism) {
      ++count.rounds;
      count.switches += decision.action == last ? 0 : 1;
      last = decision.action;
    }
    policy.tell(decision.id, true_loss(instance, decision) + 0.1 * noise.normal());
  }
  return count;
}

TEST(RarelySwitching, ChangesTheActionOnlyWhenTheDeterminantHasGrown) {
  // det A grows from λ^d to at most (λ + nL²/d)^d, so with C = 1 there are at most
  // 1 + d log₂(1 + nL²/(dλ)) choices: 1 + 2·log₂(1 + 2000/0.01) < 37 for L² = 2, d = 2.
  for (const Instance& instance : all_instances()) {
    if (instance.name != "Box") {
      continue;
    }
    SafeLucb policy(instance.problem, {.rarely_switching = 1.0});
    const Count count = play(policy, instance, 2000);
    EXPECT_EQ(count.rounds, 2000);
    EXPECT_GE(count.switches, 2);
    EXPECT_LE(count.switches, 37);
  }
}

TEST(RarelySwitching, IsAnOptionOfEveryPolicy) {
  const Instance instance = all_instances().front();
  Targeted targeted(instance.problem, {.rarely_switching = 1.0});
  const Count rare = play(targeted, instance, 1000);
  EXPECT_LE(rare.switches, 37);
  Gslucb gslucb(instance.problem, {.rarely_switching = 1.0, .gap_growth = 2.0, .horizon = 2});
  EXPECT_LE(play(gslucb, instance, 1000).switches, 37);
}

TEST(RarelySwitching, DrawsAnewInEveryRoundOfTheWarmUp) {
  const Instance instance = all_instances().front();
  SafeLucb policy(instance.problem, {.warmup = {.schedule = Schedule::Rounds, .rounds = 20},
                                     .rarely_switching = 1.0});
  Eigen::VectorXd last = Eigen::VectorXd::Zero(2);
  for (int round = 0; round < 20; ++round) {
    const Decision& decision = policy.ask();
    EXPECT_EQ(decision.purpose, Purpose::WarmUp);
    EXPECT_NE(decision.action, last);
    last = decision.action;
    policy.tell(decision.id, 0.0);
  }
}

TEST(RarelySwitching, IsRefusedForContextualArmsAndForNonsense) {
  safety::Problem contextual = problem_on(geometry::ContextualArms(2));
  contextual.assumptions.action_bound = 1.0;
  EXPECT_THROW(SafeLucb(contextual, {.rarely_switching = 0.5}), Error);
  const safety::Problem box = problem_on(geometry::Box::symmetric(2, 1.0));
  EXPECT_THROW(SafeLucb(box, {.rarely_switching = 0.0}), Error);
  EXPECT_THROW(SafeLucb(box, {.rarely_switching = -1.0}), Error);
}

TEST(ExactOptimism, ReportsItsGapInTheDecision) {
  const Instance instance = all_instances().front();
  SafeLucb policy(instance.problem, {.optimism = Optimism::Ellipsoid, .search = {.gap = 1e-5}});
  RandomStream noise(/*seed=*/8, /*stream=*/3);
  for (int round = 0; round < 200; ++round) {
    const Decision& decision = policy.ask();
    ASSERT_LE(decision.dual_bound, decision.optimistic_loss + 1e-12);
    const auto& estimate = policy.estimate();
    const Eigen::VectorXd whitened =
        estimate.gram().factor().triangularView<Eigen::Lower>().solve(decision.action);
    const double radius = estimate.radius(estimation::RadiusForm::Mixture);
    const double scale =
        std::abs(estimate.mu_hat().dot(decision.action)) + radius * whitened.norm();
    ASSERT_LE(decision.optimistic_loss - decision.dual_bound, 1.1e-5 * scale);
    policy.tell(decision.id, true_loss(instance, decision) + 0.1 * noise.normal());
  }
}

}  // namespace
}  // namespace foothold::policy
