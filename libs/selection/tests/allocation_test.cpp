#include <Eigen/Core>
#include <gtest/gtest.h>

#include "foothold/selection/arm_scan.hpp"
#include "foothold/selection/cone_solver.hpp"
#include "foothold/selection/ellipsoid_search.hpp"
#include "foothold/selection/optimistic_search.hpp"

#include "counted_allocations.hpp"
#include "loss_order.hpp"
#include "search_instances.hpp"

namespace foothold::selection {
namespace {

using foothold::testing::allocations;

using testing::normal_vector;
using testing::ProgramKind;
using testing::SearchInstance;
using testing::Shape;

class ConeSolverAllocation : public ::testing::TestWithParam<ProgramKind> {};

TEST_P(ConeSolverAllocation, NoSolveAllocatesAfterTheFirstOfAShape) {
  if (!foothold::testing::kCountsAllocations) {
    GTEST_SKIP() << "a sanitizer owns malloc";
  }
  RandomStream random(/*seed=*/71, /*stream=*/static_cast<std::uint64_t>(GetParam().shape));
  for (const Eigen::Index d : {1, 3, 8, 20}) {
    const Eigen::VectorXd v = normal_vector(random, d);
    ConeProgram program = testing::random_program(random, GetParam(), v);
    ConeSolver solver(2);
    const long before_first = allocations.load();
    solver.load(program);
    solver.solve(v, 0);
    EXPECT_GT(allocations.load(), before_first) << "the count must see Eigen's allocations";
    // Cold in the second slot, warm in both, small and large changes: all paths of the solver.
    for (int round = 0; round < 30; ++round) {
      const Eigen::VectorXd next = v + (round % 5) * 0.3 * normal_vector(random, d);
      for (Cone& cone : program.cones) {
        cone.c *= round % 2 == 0 ? 1.5 : 0.6;
      }
      const long before = allocations.load();
      solver.load(program);
      solver.solve(next, static_cast<std::size_t>(round % 2));
      static_cast<void>(solver.remembered_bound(next, 1));
      EXPECT_EQ(allocations.load(), before) << "d = " << d << ", round " << round;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ConeSolverAllocation,
                         ::testing::Values(ProgramKind{"Box", Shape::Box, 1},
                                           ProgramKind{"BoxSeveral", Shape::Box, 3},
                                           ProgramKind{"Polytope", Shape::Polytope, 1},
                                           ProgramKind{"PolytopeSeveral", Shape::Polytope, 2},
                                           ProgramKind{"Ball", Shape::Ball, 1},
                                           ProgramKind{"OffsetBall", Shape::OffsetBall, 2},
                                           ProgramKind{"Rows", Shape::Rows, 0}),
                         [](const auto& instance) { return instance.param.name; });

TEST(OptimisticSearchAllocation, NoRoundAllocatesAfterTheFirst) {
  if (!foothold::testing::kCountsAllocations) {
    GTEST_SKIP() << "a sanitizer owns malloc";
  }
  for (const SearchInstance& instance : testing::search_instances()) {
    for (const safety::Caution caution : {safety::Caution::Ellipsoid, safety::Caution::L1Exact}) {
      SCOPED_TRACE(instance.name);
      const safety::SafetyRule rule{.caution = caution};
      estimation::RidgeEstimate estimate = testing::learn(instance, 3);
      estimation::ConfidenceRegion region(instance.problem.dim());
      OptimisticSearch search(instance.problem, rule);
      for (int round = 0; round < 30; ++round) {
        region.update(estimate, rule.radius, rule.root);
        const long before = allocations.load();
        const OptimisticChoice& choice = search.choose(region);
        if (round > 0) {
          EXPECT_EQ(allocations.load(), before) << "round " << round;
        }
        const Eigen::VectorXd centre = instance.problem.centre();
        estimate.observe(centre + 0.999 * (choice.action - centre), 0.1 * round);
      }
    }
  }
}

// The pools grow to what the largest round needs: the same rounds again need no more.
TEST(EllipsoidSearchAllocation, NoRoundAllocatesOnceItsLikeWasSeen) {
  if (!foothold::testing::kCountsAllocations) {
    GTEST_SKIP() << "a sanitizer owns malloc";
  }
  for (const SearchInstance& instance : testing::search_instances()) {
    SCOPED_TRACE(instance.name);
    const safety::SafetyRule rule;
    estimation::ConfidenceRegion region(instance.problem.dim());
    EllipsoidSearch search(instance.problem, rule, {.nodes = 200});
    for (int round = 0; round < 15; ++round) {
      region.update(testing::learn(instance, 3 + 4 * (round % 3)), rule.radius, rule.root);
      const long before = allocations.load();
      static_cast<void>(search.choose(region));
      if (round >= 6) {
        EXPECT_EQ(allocations.load(), before) << "round " << round;
      }
    }
  }
}

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
  ArmScan scan(instance.problem, ArmOptimism::L1);
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
  ArmScan scan(instance.problem, ArmOptimism::Ellipsoid);
  const std::vector<bool> proved;
  for (int round = 0; round < 400; ++round) {
    region.update(estimate, rule.radius, rule.root);
    const long before = allocations.load();
    const ArmChoice& choice = scan.choose(estimate, region, arms, proved, certifier, certificate);
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
  ArmScan scan(instance.problem, ArmOptimism::Ellipsoid);
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
}  // namespace foothold::selection
