#include "foothold/cone/cone_solver.hpp"

#include <cmath>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "foothold/base/error.hpp"

#include "linear_oracle.hpp"
#include "random_program.hpp"

namespace foothold::cone {
namespace {

using testing::ball_program;
using testing::box_program;
using testing::normal_vector;
using testing::ProgramKind;
using testing::Shape;

// What is promised to callers, see cone_solver.cpp.
constexpr double kGap = 1e-9;

// The definition of a proved solution, written out from the program: the point satisfies every
// constraint up to rounding; the multipliers have the right signs and prove the bound by weak
// duality; value and bound are within the gap.
void expect_certificate(const ConeProgram& program, const Eigen::VectorXd& v,
                        const ConeSolution& solution) {
  constexpr double kRounding = 1e-13;
  const Eigen::VectorXd& u = solution.u;
  ASSERT_TRUE(u.allFinite());
  if (program.box_is_constraint) {
    EXPECT_TRUE((u.array() <= program.upper.array() * (1.0 + kRounding)).all());
    EXPECT_TRUE((u.array() >= program.lower.array() * (1.0 + kRounding)).all());
  }
  const Eigen::VectorXd row_sizes = program.h + program.G.cwiseAbs() * u.cwiseAbs();
  EXPECT_TRUE(((program.G * u - program.h).array() <= kRounding * row_sizes.array()).all());
  Eigen::VectorXd g = v + program.G.transpose() * solution.multipliers.eta;
  double bound = -program.h.dot(solution.multipliers.eta);
  for (std::size_t k = 0; k < program.cones.size(); ++k) {
    const Cone& cone = program.cones[k];
    const auto index = static_cast<Eigen::Index>(k);
    const Eigen::VectorXd image = cone.M * u + cone.e;
    const double size = cone.c + cone.a.cwiseAbs().dot(u.cwiseAbs()) +
                        cone.rho * (cone.M.cwiseAbs() * u.cwiseAbs()).norm();
    EXPECT_LE(cone.a.dot(u) + cone.rho * image.norm(), cone.c + kRounding * size);
    const double tau = solution.multipliers.tau(index);
    if (tau > 0.0) {
      const Eigen::VectorXd w = solution.multipliers.w.col(index);
      EXPECT_LE(w.norm(), 1.0 + 1e-6);
      const Eigen::VectorXd unit = w / std::max(1.0, w.norm());
      g += tau * (cone.a + cone.rho * cone.M.transpose() * unit);
      bound -= tau * (cone.c - cone.rho * unit.dot(cone.e));
    }
  }
  bound +=
      (g.array() > 0.0).select(g.cwiseProduct(program.lower), g.cwiseProduct(program.upper)).sum();
  if (solution.multipliers.eta.size() > 0) {
    EXPECT_GE(solution.multipliers.eta.minCoeff(), 0.0);
  }
  const double scale = testing::gap_scale(program, v, solution.value);
  EXPECT_NEAR(solution.value, v.dot(u), 1e-12 * scale);
  EXPECT_NEAR(solution.dual_bound, bound, 1e-11 * scale);
  EXPECT_LE(solution.value - solution.dual_bound, kGap * scale);
  EXPECT_EQ(solution.status, SolveStatus::Optimal);
}

class ConeSolverKinds : public ::testing::TestWithParam<ProgramKind> {};

TEST_P(ConeSolverKinds, ProvesItsSolutionsOfRandomPrograms) {
  RandomStream random(/*seed=*/21, /*stream=*/static_cast<std::uint64_t>(GetParam().shape));
  for (int problem = 0; problem < 60; ++problem) {
    SCOPED_TRACE(problem);
    const Eigen::VectorXd v = normal_vector(random, 1 + problem % 12);
    const ConeProgram program = testing::random_program(random, GetParam(), v);
    ConeSolver solver(1);
    solver.load(program);
    expect_certificate(program, v, solver.solve(v, 0));
  }
}

// A learner's rounds: the program drifts, the objectives too, every slot is warm.
TEST_P(ConeSolverKinds, AnswersWarmAsItDoesCold) {
  RandomStream random(/*seed=*/22, /*stream=*/static_cast<std::uint64_t>(GetParam().shape));
  for (const Eigen::Index d : {1, 2, 4, 9}) {
    std::vector<Eigen::VectorXd> objectives{normal_vector(random, d), normal_vector(random, d)};
    ConeProgram program = testing::random_program(random, GetParam(), objectives.front());
    ConeSolver warm(objectives.size());
    for (int round = 0; round < 25; ++round) {
      SCOPED_TRACE(round);
      const double drift = 0.2 / (1.0 + round);
      for (Cone& cone : program.cones) {
        if (!cone.M.isIdentity(0.0)) {
          cone.a += drift * cone.a.norm() * normal_vector(random, d) / static_cast<double>(d);
          cone.M *= 1.0 - 0.3 * drift;
        }
      }
      warm.load(program);
      for (std::size_t slot = 0; slot < objectives.size(); ++slot) {
        Eigen::VectorXd& v = objectives[slot];
        v += drift * normal_vector(random, d);
        ConeSolver cold(1);
        cold.load(program);
        const double expected = cold.solve(v, 0).value;
        const ConeSolution& solution = warm.solve(v, slot);
        expect_certificate(program, v, solution);
        EXPECT_NEAR(solution.value, expected, kGap * testing::gap_scale(program, v, expected));
      }
    }
  }
}

TEST_P(ConeSolverKinds, BoundsFromMemoryAreBelowTheOptimum) {
  RandomStream random(/*seed=*/23, /*stream=*/static_cast<std::uint64_t>(GetParam().shape));
  const Eigen::VectorXd v = normal_vector(random, 5);
  const ConeProgram program = testing::random_program(random, GetParam(), v);
  ConeSolver solver(2);
  solver.load(program);
  const double at_first = solver.remembered_bound(v, 0);
  const ConeSolution solution = solver.solve(v, 0);
  const double scale = testing::gap_scale(program, v, solution.value);
  EXPECT_LE(at_first, solution.value + 1e-12 * scale);
  EXPECT_NEAR(solver.remembered_bound(v, 0), solution.dual_bound, 1e-12 * scale);
  for (int other = 0; other < 20; ++other) {
    const Eigen::VectorXd w = v + 0.5 * normal_vector(random, 5);
    const double value = solver.solve(w, 1).value;
    EXPECT_LE(solver.transferred_bound(w, solution.multipliers), value + 1e-12 * scale);
    EXPECT_LE(solver.remembered_bound(w, 0), value + 1e-12 * scale);
  }
}

TEST_P(ConeSolverKinds, GoesOnBitForBitFromASnapshot) {
  RandomStream random(/*seed=*/24, /*stream=*/static_cast<std::uint64_t>(GetParam().shape));
  Eigen::VectorXd v = normal_vector(random, 6);
  const ConeProgram program = testing::random_program(random, GetParam(), v);
  ConeSolver solver(2);
  solver.load(program);
  for (int round = 0; round < 4; ++round) {
    solver.solve(v + 0.05 * normal_vector(random, 6), static_cast<std::size_t>(round % 2));
  }
  ByteWriter out;
  solver.save(out);
  const Bytes bytes = out.sealed();
  ByteReader in(bytes);
  ConeSolver other(2);
  other.load(program);
  other.restore(in);
  for (int round = 0; round < 4; ++round) {
    v += 0.05 * normal_vector(random, 6);
    const auto slot = static_cast<std::size_t>(round % 2);
    EXPECT_EQ(solver.remembered_bound(v, slot), other.remembered_bound(v, slot));
    const ConeSolution expected = solver.solve(v, slot);
    const ConeSolution& solution = other.solve(v, slot);
    EXPECT_EQ(solution.u, expected.u);
    EXPECT_EQ(solution.value, expected.value);
    EXPECT_EQ(solution.dual_bound, expected.dual_bound);
    EXPECT_EQ(solution.multipliers.tau, expected.multipliers.tau);
  }
}

// Loss in other units, actions in other units, limits in other units, up to the edge of what a
// double can hold: no NaN, no exception, a bound that holds; exact powers of two change nothing
// else.
TEST_P(ConeSolverKinds, SurvivesHugeAndTinyUnits) {
  RandomStream random(/*seed=*/25, /*stream=*/static_cast<std::uint64_t>(GetParam().shape));
  const Eigen::VectorXd v = normal_vector(random, 3);
  const ConeProgram program = testing::random_program(random, GetParam(), v);
  ConeSolver reference(1);
  reference.load(program);
  const double expected = reference.solve(v, 0).value;
  for (const double action_unit : {1e-100, 1e-30, 1.0, 1e30, 1e100}) {
    for (const double loss_unit : {1e-100, 1.0, 1e100}) {
      SCOPED_TRACE(::testing::Message() << "actions " << action_unit << " losses " << loss_unit);
      ConeProgram scaled = program;
      scaled.lower *= action_unit;
      scaled.upper *= action_unit;
      scaled.h *= action_unit;
      for (Cone& cone : scaled.cones) {  // in the units of the action, too
        cone.c *= action_unit;
        cone.e *= action_unit;
      }
      const Eigen::VectorXd scaled_v = loss_unit * v;
      ConeSolver solver(1);
      for (int round = 0; round < 2; ++round) {  // cold and warm
        solver.load(scaled);
        const ConeSolution& solution = solver.solve(scaled_v, 0);
        const double unit = action_unit * loss_unit;
        const double scale = unit * testing::gap_scale(program, v, expected);
        ASSERT_TRUE(solution.u.allFinite());
        EXPECT_NEAR(solution.value, unit * expected, kGap * scale);
        EXPECT_LE(solution.dual_bound, unit * expected + 1e-12 * scale);
        EXPECT_GE(solution.dual_bound, solution.value - kGap * scale);
      }
    }
  }
}

TEST_P(ConeSolverKinds, StaysAtTheCentreForAZeroObjective) {
  RandomStream random(/*seed=*/26, /*stream=*/static_cast<std::uint64_t>(GetParam().shape));
  for (const Eigen::Index d : {1, 4}) {
    const Eigen::VectorXd v = normal_vector(random, d);
    const ConeProgram program = testing::random_program(random, GetParam(), v);
    ConeSolver solver(1);
    solver.load(program);
    for (int round = 0; round < 2; ++round) {
      const ConeSolution& solution = solver.solve(Eigen::VectorXd::Zero(d), 0);
      EXPECT_EQ(solution.value, 0.0);
      EXPECT_NEAR(solution.dual_bound, 0.0, 1e-300);
      EXPECT_EQ(solution.status, SolveStatus::Optimal);
      solver.solve(v, 0);  // then again, from the memory of a binding solution
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ConeSolverKinds,
                         ::testing::Values(ProgramKind{"Box", Shape::Box, 1},
                                           ProgramKind{"BoxSeveral", Shape::Box, 3},
                                           ProgramKind{"Polytope", Shape::Polytope, 1},
                                           ProgramKind{"PolytopeSeveral", Shape::Polytope, 2},
                                           ProgramKind{"Ball", Shape::Ball, 1},
                                           ProgramKind{"BallSeveral", Shape::Ball, 2},
                                           ProgramKind{"OffsetBall", Shape::OffsetBall, 1},
                                           ProgramKind{"Rows", Shape::Rows, 0}),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace foothold::cone
