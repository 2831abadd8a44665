#include <atomic>
#include <cstddef>
#include <tuple>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "foothold/geometry/dense_lp.hpp"

#include "random_lp.hpp"

// Sanitizers bring their own malloc.
#if defined(FOOTHOLD_SANITIZED) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FOOTHOLD_COUNTS_ALLOCATIONS 0
#else
#define FOOTHOLD_COUNTS_ALLOCATIONS 1
#endif

namespace {
std::atomic<long> allocations{0};
}

#if FOOTHOLD_COUNTS_ALLOCATIONS
// Eigen and operator new both end here. glibc's own entry does the work.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
#endif

namespace foothold::geometry {
namespace {

class DenseLpAllocation : public ::testing::TestWithParam<std::tuple<int, Eigen::Index>> {};

TEST_P(DenseLpAllocation, NeitherColdNorWarmSolvesAllocateAfterTheFirst) {
  if (FOOTHOLD_COUNTS_ALLOCATIONS == 0) {
    GTEST_SKIP() << "a sanitizer owns malloc";
  }
  const auto [d, walk_from] = GetParam();
  RandomStream random(/*seed=*/13, /*stream=*/static_cast<std::uint64_t>(d));
  const testing::LinearProgram lp = testing::bounded(random, d, 2 * d);
  const testing::LinearProgram other = testing::bounded(random, d, 2 * d);
  DenseLp solver(walk_from);
  const long before_first = allocations.load();
  static_cast<void>(solver.solve(lp.G, lp.h, lp.v, lp.start));
  EXPECT_GT(allocations.load(), before_first) << "the count must see Eigen's allocations";

  const long before = allocations.load();
  const LpStatus cold = solver.solve(other.G, other.h, other.v, other.start).status;
  const LpStatus warm = solver.solve(other.G, other.h, lp.v, other.start, /*warm=*/true).status;
  EXPECT_EQ(allocations.load(), before);
  EXPECT_EQ(cold, LpStatus::Optimal);
  EXPECT_EQ(warm, LpStatus::Optimal);
}

INSTANTIATE_TEST_SUITE_P(Dimensions, DenseLpAllocation,
                         ::testing::Combine(::testing::Values(1, 2, 5, 16, 40, 60),
                                            ::testing::Values(DenseLp::kNeverWalk, 1)));

}  // namespace
}  // namespace foothold::geometry
