#include <Eigen/Core>
#include <gtest/gtest.h>

#include "foothold/cone/cone_solver.hpp"

#include "counted_allocations.hpp"
#include "random_program.hpp"

namespace foothold::cone {
namespace {

using testing::allocations;
using testing::normal_vector;
using testing::ProgramKind;
using testing::Shape;

class ConeSolverAllocation : public ::testing::TestWithParam<ProgramKind> {};

TEST_P(ConeSolverAllocation, NoSolveAllocatesAfterTheFirstOfAShape) {
  if (!foothold::testing::kCountsAllocations) {
    GTEST_SKIP() << "a sanitizer owns malloc";
  }
  RandomStream random(/*seed=*/71, /*stream=*/static_cast<std::uint64_t>(GetParam().shape));
  for (const Eigen::Index d : {1, 3, 8, 20}) {
    const Eigen::VectorXd v = normal_vector(random, d);
    cone::ConeProgram program = testing::random_program(random, GetParam(), v);
    cone::ConeSolver solver(2);
    const long before_first = allocations.load();
    solver.load(program);
    solver.solve(v, 0);
    EXPECT_GT(allocations.load(), before_first) << "the count must see Eigen's allocations";
    // Cold in the second slot, warm in both, small and large changes: all paths of the solver.
    for (int round = 0; round < 30; ++round) {
      const Eigen::VectorXd next = v + (round % 5) * 0.3 * normal_vector(random, d);
      for (cone::Cone& cone : program.cones) {
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

}  // namespace
}  // namespace foothold::cone
