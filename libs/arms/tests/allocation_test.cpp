#include <Eigen/Core>
#include <gtest/gtest.h>

#include "foothold/arms/arm_scan.hpp"

#include "counted_allocations.hpp"
#include "ranking/loss_order.hpp"
#include "search_instances.hpp"

namespace foothold::arms {
namespace {

using testing::allocations;
using testing::SearchInstance;

TEST(ArmScanAllocation, NoScanAllocatesAfterTheFirst) {
  if (!foothold::testing::kCountsAllocations) {
    GTEST_SKIP() << "a sanitizer owns malloc";
  }
  RandomStream random(/*seed=*/72, /*stream=*/0);
  const Eigen::MatrixXd arms = 0.2 * testing::normal_matrix(random, 50, 4);
  const SearchInstance instance = testing::make_instance("Arms", geometry::Arms(arms), 1, 1);
  const safety::SafetyRule rule;
  const estimation::RidgeEstimate estimate(4, instance.problem.assumptions);
  estimation::ConfidenceRegion region(4);
  region.update(estimate, rule.radius, rule.root);
  safety::Certifier certifier(instance.problem, rule);
  safety::Certificate certificate;
  arms::ArmScan scan(instance.problem, arms::ArmOptimism::L1);
  const std::vector<bool> proved;
  static_cast<void>(scan.choose(estimate, region, arms, proved, certifier, certificate));
  const long before = allocations.load();
  static_cast<void>(scan.choose(estimate, region, arms, proved, certifier, certificate));
  EXPECT_EQ(allocations.load(), before);
}

// Candidates come and go, slices are refreshed; all within the room that was made.
TEST(ArmScanAllocation, NoRoundWithManyArmsAllocatesOnceItsLikeWasSeen) {
  if (!foothold::testing::kCountsAllocations) {
    GTEST_SKIP() << "a sanitizer owns malloc";
  }
  RandomStream random(/*seed=*/73, /*stream=*/0);
  const Eigen::MatrixXd features = 0.2 * testing::normal_matrix(random, 3000, 4);
  const SearchInstance instance = testing::make_instance("Arms", geometry::Arms(features), 1, 1);
  const Eigen::MatrixXd& arms = std::get<geometry::Arms>(instance.problem.decision_set).features();
  const safety::SafetyRule rule;
  estimation::RidgeEstimate estimate(4, instance.problem.assumptions);
  estimation::ConfidenceRegion region(4);
  safety::Certifier certifier(instance.problem, rule);
  safety::Certificate certificate;
  arms::ArmScan scan(instance.problem, arms::ArmOptimism::Ellipsoid);
  const std::vector<bool> proved;
  for (int round = 0; round < 400; ++round) {
    region.update(estimate, rule.radius, rule.root);
    const long before = allocations.load();
    const arms::ArmChoice& choice =
        scan.choose(estimate, region, arms, proved, certifier, certificate);
    if (round >= 50) {
      ASSERT_EQ(allocations.load(), before) << "round " << round;
    }
    const Eigen::VectorXd x = arms.row(choice.arm).transpose();
    estimate.observe(x, instance.mu.dot(x) + 0.1 * random.normal());
  }
}

// 4,096 arms stand in 64 blocks, 5,000 in 40 longer ones.
TEST(LossOrderAllocation, WhatIsReservedForManyServesFewer) {
  if (!foothold::testing::kCountsAllocations) {
    GTEST_SKIP() << "a sanitizer owns malloc";
  }
  const Eigen::VectorXd losses = Eigen::VectorXd::LinSpaced(5000, 1.0, 0.0);
  LossOrder order;
  order.reserve(losses.size());
  for (const Eigen::Index count : {5000, 4096, 4097, 100, 4095}) {
    const long before = allocations.load();
    order.begin(losses, count);
    EXPECT_EQ(order.first(), count - 1);
    EXPECT_EQ(allocations.load(), before) << count;
  }
}

TEST(ArmScanAllocation, FewerFreshArmsThanBeforeTakeNoMoreRoom) {
  if (!foothold::testing::kCountsAllocations) {
    GTEST_SKIP() << "a sanitizer owns malloc";
  }
  RandomStream random(/*seed=*/74, /*stream=*/0);
  const Eigen::MatrixXd arms = 0.2 * testing::normal_matrix(random, 5001, 4);
  const SearchInstance instance =
      testing::make_instance("Arms", geometry::Arms(arms.topRows(1)), 1, 1);
  const safety::SafetyRule rule;
  const estimation::RidgeEstimate estimate(4, instance.problem.assumptions);
  estimation::ConfidenceRegion region(4);
  region.update(estimate, rule.radius, rule.root);
  safety::Certifier certifier(instance.problem, rule);
  safety::Certificate certificate;
  arms::ArmScan scan(instance.problem, arms::ArmOptimism::Ellipsoid);
  const std::vector<bool> proved;
  for (int time = 0; time < 2; ++time) {
    for (const Eigen::Index count : {5001, 4096, 100, 4097, 1}) {
      const long before = allocations.load();
      static_cast<void>(
          scan.choose(estimate, region, arms.topRows(count), proved, certifier, certificate));
      if (time > 0 || count != arms.rows()) {
        EXPECT_EQ(allocations.load(), before) << count;
      }
    }
  }
}

}  // namespace
}  // namespace foothold::arms
