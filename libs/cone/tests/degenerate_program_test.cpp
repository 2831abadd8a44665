#include <cmath>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/cone/cone_solver.hpp"

#include "linear_oracle.hpp"
#include "random_program.hpp"

namespace foothold::cone {
namespace {

using testing::ball_program;
using testing::box_program;
using testing::normal_matrix;
using testing::normal_vector;

ConeSolution solve_cold(const ConeProgram& program, const Eigen::VectorXd& v) {
  ConeSolver solver(1);
  solver.load(program);
  return solver.solve(v, 0);
}

void expect_proved(const ConeProgram& program, const Eigen::VectorXd& v, double expected) {
  const ConeSolution solution = solve_cold(program, v);
  const double scale = testing::gap_scale(program, v, expected);
  EXPECT_NEAR(solution.value, expected, 1e-9 * scale);
  EXPECT_NEAR(solution.dual_bound, expected, 1e-9 * scale);
  EXPECT_GE(feasible_scale(program, solution.u), 1.0 - 1e-13);
}

ConeProgram unit_box(Eigen::Index d) {
  return box_program(Eigen::VectorXd::Constant(d, -1.0), Eigen::VectorXd::Ones(d));
}

Cone centred_cone(const Eigen::MatrixXd& M, double limit) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(M.cols());
  return {.a = zero, .M = M, .e = zero, .rho = 1.0, .c = limit};
}

TEST(ConeSolver, AgreesWithClpOnRowsAlone) {
  RandomStream random(/*seed=*/31, /*stream=*/0);
  for (int problem = 0; problem < 60; ++problem) {
    SCOPED_TRACE(problem);
    const Eigen::VectorXd v = normal_vector(random, 1 + problem % 15);
    const ConeProgram program =
        testing::random_program(random, {.shape = testing::Shape::Rows, .cones = 0}, v);
    expect_proved(program, v, testing::value_by_clp(program.G, program.h, v));
  }
}

TEST(ConeSolver, IgnoresAConeThatConstrainsNothing) {
  ConeProgram program = unit_box(4);
  program.cones.push_back(centred_cone(Eigen::MatrixXd::Zero(4, 4), 0.1));
  const Eigen::Vector4d v(1.0, -2.0, 0.0, 3.0);
  expect_proved(program, v, -6.0);
}

TEST(ConeSolver, TakesASlabForAConeOfRankOne) {
  // |u₁ + u₂| ≤ 1 in the unit box with v = (−2, −1): (1, 0), value −2.
  ConeProgram program = unit_box(2);
  program.cones.push_back(centred_cone(Eigen::Matrix2d{{1.0, 1.0}, {0.0, 0.0}}, 1.0));
  expect_proved(program, Eigen::Vector2d(-2.0, -1.0), -2.0);
  // Along the slab, where both coordinates gain alike, the whole edge is optimal.
  expect_proved(program, Eigen::Vector2d(-1.0, -1.0), -1.0);
}

TEST(ConeSolver, LeavesTheFreeDirectionsOfASingularConeToTheBox) {
  // ‖(u₁, u₂)‖ ≤ 1/2 and u₃ free: −‖(v₁, v₂)‖/2 − |v₃|.
  ConeProgram program = unit_box(3);
  program.cones.push_back(centred_cone(Eigen::Vector3d(1.0, 1.0, 0.0).asDiagonal(), 0.5));
  expect_proved(program, Eigen::Vector3d(3.0, -4.0, 2.0), -4.5);
  expect_proved(program, Eigen::Vector3d(3.0, -4.0, 0.0), -2.5);
  expect_proved(program, Eigen::Vector3d(0.0, 0.0, 1.0), -1.0);
}

TEST(ConeSolver, AgreesWithTheClosedFormOfADiagonalConeWithZeroesInTheObjective) {
  // In a box too large to matter: −c‖D⁻¹v‖, the entries with v_i = 0 at zero.
  RandomStream random(/*seed=*/32, /*stream=*/0);
  for (int problem = 0; problem < 30; ++problem) {
    SCOPED_TRACE(problem);
    const Eigen::Index d = 2 + problem % 9;
    const Eigen::VectorXd diagonal = normal_vector(random, d).cwiseAbs().array() + 0.5;
    Eigen::VectorXd v = normal_vector(random, d);
    v.head(d / 2).setZero();
    ConeProgram program = unit_box(d);
    program.cones.push_back(centred_cone(diagonal.asDiagonal(), 0.4));
    expect_proved(program, v, -0.4 * v.cwiseQuotient(diagonal).norm());
  }
}

TEST(ConeSolver, SolvesWhereEveryRowComesThreeTimes) {
  RandomStream random(/*seed=*/33, /*stream=*/0);
  for (int problem = 0; problem < 30; ++problem) {
    SCOPED_TRACE(problem);
    const Eigen::VectorXd v = normal_vector(random, 2 + problem % 6);
    ConeProgram program = testing::random_program(
        random, {.shape = testing::Shape::Polytope, .cones = 1 + problem % 2}, v);
    const double expected = solve_cold(program, v).value;
    program.G = program.G.replicate(3, 1).eval();
    program.h = program.h.replicate(3, 1).eval();
    expect_proved(program, v, expected);
  }
}

TEST(ConeSolver, SolvesWhereTwoConesAreTheSame) {
  RandomStream random(/*seed=*/34, /*stream=*/0);
  for (int problem = 0; problem < 20; ++problem) {
    SCOPED_TRACE(problem);
    const Eigen::VectorXd v = normal_vector(random, 1 + problem % 8);
    ConeProgram program = testing::random_program(random, {.cones = 1}, v);
    const double expected = solve_cold(program, v).value;
    program.cones.push_back(program.cones.front());
    expect_proved(program, v, expected);
  }
}

TEST(ConeSolver, SolvesWhereTheConeTouchesTheCornerExactly) {
  // ‖u‖ ≤ √d passes through every corner of the unit box.
  for (const Eigen::Index d : {1, 2, 4, 9, 16}) {
    ConeProgram program = unit_box(d);
    program.cones.push_back(
        centred_cone(Eigen::MatrixXd::Identity(d, d), std::sqrt(static_cast<double>(d))));
    expect_proved(program, Eigen::VectorXd::Ones(d), -static_cast<double>(d));
    program.cones.front().c *= 1.0 - 1e-12;
    expect_proved(program, Eigen::VectorXd::Ones(d), -static_cast<double>(d));
  }
}

TEST(ConeSolver, SolvesWhereAllCoordinatesTie) {
  // ‖u‖ ≤ 1 and v = 1: u = −1/√d in every coordinate, value −√d.
  for (const Eigen::Index d : {2, 5, 17}) {
    ConeProgram program = unit_box(d);
    program.cones.push_back(centred_cone(Eigen::MatrixXd::Identity(d, d), 1.0));
    expect_proved(program, Eigen::VectorXd::Ones(d), -std::sqrt(static_cast<double>(d)));
  }
}

TEST(ConeSolver, KeepsToTheTighterOfABallAndACone) {
  ConeProgram program = ball_program(Eigen::Vector3d::Zero(), 1.0);
  program.cones.insert(program.cones.begin(), centred_cone(Eigen::Matrix3d::Identity(), 0.5));
  expect_proved(program, Eigen::Vector3d(2.0, 3.0, 6.0), -3.5);
  program.cones.front().c = 2.0;
  expect_proved(program, Eigen::Vector3d(2.0, 3.0, 6.0), -7.0);
}

TEST(ConeSolver, ProvesASolutionWhereTheTermsOfTheConeCancel) {
  // M maps long vectors to short ones, as with 10⁷ observations in most directions: the direction
  // of Mu is lost to cancellation, and the multipliers must not rest on it alone.
  RandomStream random(/*seed=*/35, /*stream=*/0);
  for (int problem = 0; problem < 20; ++problem) {
    SCOPED_TRACE(problem);
    const Eigen::Index d = 6;
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(normal_matrix(random, d, d));
    Eigen::VectorXd sizes(d);
    for (Eigen::Index i = 0; i < d; ++i) {
      sizes(i) = testing::log_uniform(random, -3.0, 3.0);
    }
    const Eigen::MatrixXd Q = qr.householderQ();
    ConeProgram program = unit_box(d);
    program.cones.push_back(centred_cone(sizes.asDiagonal() * Q, 1e-3));
    const Eigen::VectorXd v = normal_vector(random, d);
    const ConeSolution solution = solve_cold(program, v);
    EXPECT_LE(solution.value - solution.dual_bound,
              1e-9 * testing::gap_scale(program, v, solution.value));
  }
}

TEST(ConeSolver, RefusesASnapshotOfAnotherShape) {
  const ConeProgram program = unit_box(3);
  ConeSolver solver(2);
  solver.load(program);
  solver.solve(Eigen::Vector3d::Ones(), 0);
  ByteWriter out;
  solver.save(out);
  const Bytes bytes = out.sealed();
  ByteReader fewer_slots(bytes);
  ConeSolver other_slots(1);
  other_slots.load(program);
  EXPECT_THROW(other_slots.restore(fewer_slots), Error);
  ByteReader other_dim(bytes);
  const ConeProgram larger = unit_box(4);
  ConeSolver other_shape(2);
  other_shape.load(larger);
  EXPECT_THROW(other_shape.restore(other_dim), Error);
}

TEST(ConeSolver, ForgetsWhenTheShapeChanges) {
  const ConeProgram small = unit_box(2);
  const ConeProgram large = unit_box(5);
  ConeSolver solver(1);
  solver.load(small);
  EXPECT_EQ(solver.solve(Eigen::Vector2d(1.0, -1.0), 0).value, -2.0);
  solver.load(large);
  EXPECT_EQ(solver.solve(Eigen::VectorXd::Ones(5), 0).value, -5.0);
}

TEST(FeasibleScale, IsTheLargestFactorThatSatisfiesEverything) {
  ConeProgram program = unit_box(2);
  program.cones.push_back(centred_cone(Eigen::Matrix2d::Identity(), 1.5));
  EXPECT_EQ(feasible_scale(program, Eigen::Vector2d(0.5, 0.5)), 1.0);
  EXPECT_EQ(feasible_scale(program, Eigen::Vector2d(4.0, 0.0)), 0.25);
  EXPECT_DOUBLE_EQ(feasible_scale(program, Eigen::Vector2d(-0.9, -1.2)), 1.0 / 1.2);
  // An offset cone ‖u + e‖ ≤ c is met from its value at 0: never more than the exact factor.
  const ConeProgram ball = ball_program(Eigen::Vector2d(0.5, 0.0), 1.0);
  const double scale = feasible_scale(ball, Eigen::Vector2d(2.0, 0.0));
  EXPECT_DOUBLE_EQ(scale, 0.25);
}

TEST(ConeValue, SurvivesSquaresThatADoubleCannotHold) {
  Cone cone = centred_cone(Eigen::Matrix2d::Identity(), 1.0);
  EXPECT_DOUBLE_EQ(cone.value(Eigen::Vector2d(3e200, 4e200)), 5e200);
  EXPECT_DOUBLE_EQ(cone.value(Eigen::Vector2d(3e-200, 4e-200)), 5e-200);
  EXPECT_EQ(cone.value(Eigen::Vector2d::Zero()), 0.0);
}

}  // namespace
}  // namespace foothold::cone
