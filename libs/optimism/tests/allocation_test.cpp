#include <Eigen/Core>
#include <gtest/gtest.h>

#include "foothold/optimism/ellipsoid_search.hpp"
#include "foothold/optimism/optimistic_search.hpp"

#include "counted_allocations.hpp"
#include "search_instances.hpp"

namespace foothold::optimism {
namespace {

using testing::allocations;
using testing::SearchInstance;

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
      optimism::OptimisticSearch search(instance.problem, rule);
      for (int round = 0; round < 30; ++round) {
        region.update(estimate, rule.radius, rule.root);
        const long before = allocations.load();
        const optimism::OptimisticChoice& choice = search.choose(region);
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
    optimism::EllipsoidSearch search(instance.problem, rule, {.nodes = 200});
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

}  // namespace
}  // namespace foothold::optimism
