#include "interior_point/interior_point.hpp"

#include <cmath>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "linear_oracle.hpp"
#include "random_program.hpp"

namespace foothold::cone {
namespace {

using testing::ball_program;
using testing::box_program;
using testing::normal_matrix;
using testing::normal_vector;

// What the method reaches on its own, relative to Σ|v_i| width_i; the polish does the rest.
constexpr double kTolerance = 1e-8;

ConeSolution empty_solution(const ConeProgram& program) {
  const auto cones = static_cast<Eigen::Index>(program.cones.size());
  ConeSolution solution;
  solution.u.setZero(program.dim());
  solution.multipliers = {.eta = Eigen::VectorXd::Zero(program.G.rows()),
                          .tau = Eigen::VectorXd::Zero(cones),
                          .w = Eigen::MatrixXd::Zero(program.dim(), cones)};
  return solution;
}

ConeSolution solve_inside(const ConeProgram& program, const Eigen::VectorXd& v) {
  InteriorPoint method;
  method.load(program);
  ConeSolution solution = empty_solution(program);
  method.solve(v, solution);
  return solution;
}

double range(const ConeProgram& program, const Eigen::VectorXd& v) {
  return v.cwiseAbs().dot(program.upper.cwiseMax(-program.lower));
}

void expect_value(const ConeProgram& program, const Eigen::VectorXd& v, double expected) {
  const ConeSolution solution = solve_inside(program, v);
  const double tolerance = kTolerance * range(program, v);
  EXPECT_NEAR(v.dot(solution.u), expected, tolerance);
  EXPECT_GE(feasible_scale(program, solution.u), 1.0 - 1e-12);
  Eigen::VectorXd g(v.size());
  const double bound = dual_bound(program, v, solution.multipliers, g);
  EXPECT_LE(bound, expected + 1e-12 * range(program, v)) << "weak duality";
  EXPECT_GE(bound, expected - tolerance);
  EXPECT_GE(solution.multipliers.tau.size() == 0 ? 0.0 : solution.multipliers.tau.minCoeff(), 0.0);
}

class InteriorPointDimensions : public ::testing::TestWithParam<int> {};

TEST_P(InteriorPointDimensions, AgreesWithClpOnLinearPrograms) {
  const Eigen::Index d = GetParam();
  RandomStream random(/*seed=*/11, /*stream=*/static_cast<std::uint64_t>(d));
  for (int problem = 0; problem < 10; ++problem) {
    SCOPED_TRACE(problem);
    const Eigen::VectorXd v = normal_vector(random, d);
    const ConeProgram program =
        testing::random_program(random, {.shape = testing::Shape::Rows, .cones = 0}, v);
    expect_value(program, v, testing::value_by_clp(program.G, program.h, v));
  }
}

TEST_P(InteriorPointDimensions, FindsTheCornerOfABox) {
  const Eigen::Index d = GetParam();
  RandomStream random(/*seed=*/12, /*stream=*/static_cast<std::uint64_t>(d));
  const Eigen::VectorXd upper = normal_vector(random, d).cwiseAbs().array() + 0.1;
  const Eigen::VectorXd lower = -(normal_vector(random, d).cwiseAbs().array() + 0.1);
  const Eigen::VectorXd v = normal_vector(random, d);
  const Eigen::VectorXd corner = (v.array() > 0.0).select(lower, upper);
  expect_value(box_program(lower, upper), v, v.dot(corner));
}

TEST_P(InteriorPointDimensions, FindsThePointOfABallWithAGivenNormal) {
  // min { vᵀu : ‖u + e‖ ≤ r } = −vᵀe − r‖v‖.
  const Eigen::Index d = GetParam();
  RandomStream random(/*seed=*/13, /*stream=*/static_cast<std::uint64_t>(d));
  const Eigen::VectorXd v = normal_vector(random, d);
  const Eigen::VectorXd e = 1.5 * normal_vector(random, d).normalized();
  expect_value(ball_program(Eigen::VectorXd::Zero(d), 2.0), v, -2.0 * v.norm());
  expect_value(ball_program(e, 2.0), v, -v.dot(e) - 2.0 * v.norm());
}

TEST_P(InteriorPointDimensions, FindsThePointOfAnEllipsoidWithAGivenNormal) {
  // min { vᵀu : ρ‖Mu‖ ≤ c } = −(c/ρ)‖M⁻ᵀv‖, in a box that is too large to matter.
  const Eigen::Index d = GetParam();
  RandomStream random(/*seed=*/14, /*stream=*/static_cast<std::uint64_t>(d));
  const Eigen::MatrixXd M = normal_matrix(random, d, d) + 3.0 * Eigen::MatrixXd::Identity(d, d);
  const Eigen::VectorXd v = normal_vector(random, d);
  const Eigen::MatrixXd inverse = M.inverse();
  const double half_width = 1.5 * inverse.norm();
  ConeProgram program = box_program(Eigen::VectorXd::Constant(d, -half_width),
                                    Eigen::VectorXd::Constant(d, half_width));
  program.cones.push_back(
      {.a = Eigen::VectorXd::Zero(d), .M = M, .e = Eigen::VectorXd::Zero(d), .rho = 2.0, .c = 1.0});
  expect_value(program, v, -0.5 * (inverse.transpose() * v).norm());
}

TEST_P(InteriorPointDimensions, FindsTheClosedFormOfATiltedCone) {
  // min { vᵀu : aᵀu + ρ‖u‖ ≤ c } with ‖a‖ < ρ is −cτ, τ the positive root of
  // (‖a‖² − ρ²)τ² + 2(vᵀa)τ + ‖v‖² = 0.
  const Eigen::Index d = GetParam();
  RandomStream random(/*seed=*/15, /*stream=*/static_cast<std::uint64_t>(d));
  const Eigen::VectorXd v = normal_vector(random, d);
  const Eigen::VectorXd a = 0.6 * normal_vector(random, d).normalized();
  const double A = a.squaredNorm() - 1.0;
  const double B = v.dot(a);
  const double tau = (-B - std::sqrt(B * B - A * v.squaredNorm())) / A;
  // The set lies in the ball of radius c/(ρ − ‖a‖) = 2.5.
  ConeProgram program =
      box_program(Eigen::VectorXd::Constant(d, -3.0), Eigen::VectorXd::Constant(d, 3.0));
  program.cones.push_back({.a = a,
                           .M = Eigen::MatrixXd::Identity(d, d),
                           .e = Eigen::VectorXd::Zero(d),
                           .rho = 1.0,
                           .c = 1.0});
  expect_value(program, v, -tau);
}

INSTANTIATE_TEST_SUITE_P(Dimensions, InteriorPointDimensions, ::testing::Values(1, 2, 5, 12, 24));

TEST(InteriorPoint, TakesTheTighterOfTwoConesThatAreParallel) {
  ConeProgram program = box_program(Eigen::Vector2d(-5.0, -5.0), Eigen::Vector2d(5.0, 5.0));
  for (const double limit : {2.0, 1.0}) {
    program.cones.push_back({.a = Eigen::Vector2d::Zero(),
                             .M = Eigen::Matrix2d::Identity(),
                             .e = Eigen::Vector2d::Zero(),
                             .rho = 1.0,
                             .c = limit});
  }
  expect_value(program, Eigen::Vector2d(3.0, 4.0), -5.0);
}

TEST(InteriorPoint, StaysFiniteForAZeroObjective) {
  const ConeSolution solution =
      solve_inside(ball_program(Eigen::Vector3d::Zero(), 1.0), Eigen::Vector3d::Zero());
  EXPECT_TRUE(solution.u.allFinite());
  EXPECT_TRUE(solution.multipliers.tau.allFinite());
}

TEST(InteriorPoint, GivesTheSameAnswerInOtherUnits) {
  // u in units of 2¹⁰ and the objective in units of 2⁻²⁰: powers of two, so nothing is rounded.
  RandomStream random(/*seed=*/16, /*stream=*/0);
  const Eigen::VectorXd v = normal_vector(random, 4);
  const ConeProgram program = testing::random_program(random, {.cones = 2}, v);
  ConeProgram scaled = program;
  scaled.lower *= 0x1p10;
  scaled.upper *= 0x1p10;
  for (Cone& cone : scaled.cones) {
    cone.a *= 0x1p-10;
    cone.M *= 0x1p-10;
  }
  const ConeSolution plain = solve_inside(program, v);
  const ConeSolution other = solve_inside(scaled, 0x1p-20 * v);
  EXPECT_TRUE((0x1p-10 * other.u).isApprox(plain.u, 1e-7));
}

}  // namespace
}  // namespace foothold::cone
