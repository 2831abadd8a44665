#include "foothold/cone/active_set/box_active_set.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "foothold/base/infinity.hpp"

#include "interior_point/interior_point.hpp"
#include "random_program.hpp"

namespace foothold::cone {
namespace {

// A box cut by one centred cone, as both forms of the problem.
struct CutBox {
  ConeProgram program{};
  QuadraticCone cone{};
};

CutBox random_cut_box(RandomStream& random, Eigen::Index d, double limit) {
  CutBox result;
  result.program =
      testing::box_program(Eigen::VectorXd::Constant(d, -1.0), Eigen::VectorXd::Constant(d, 0.7));
  const Cone cone{.a = testing::normal_vector(random, d),
                  .M = testing::normal_matrix(random, d, d),
                  .e = Eigen::VectorXd::Zero(d),
                  .rho = 0.2 + random.uniform(),
                  .c = limit};
  result.cone = {.a = cone.a, .Q = cone.M.transpose() * cone.M, .rho = cone.rho, .c = cone.c};
  result.program.cones = {cone};
  return result;
}

// Oracle: the interior-point method, which knows no active set and reaches 1e-8 of the range.
constexpr double kInteriorTolerance = 1e-8;

double interior_minimum(const ConeProgram& program, const Eigen::VectorXd& v) {
  InteriorPoint method;
  method.load(program);
  ConeSolution solution;
  solution.u.setZero(v.size());
  solution.multipliers = {.eta = Eigen::VectorXd::Zero(0),
                          .tau = Eigen::VectorXd::Zero(1),
                          .w = Eigen::MatrixXd::Zero(v.size(), 1)};
  method.solve(v, solution);
  return v.dot(solution.u);
}

TEST(BoxActiveSet, DescendsToTheOptimumOfTheInteriorPointMethod) {
  RandomStream random(/*seed=*/82, /*stream=*/0);
  int optimal = 0;
  for (int trial = 0; trial < 600; ++trial) {
    SCOPED_TRACE(trial);
    const auto d = static_cast<Eigen::Index>(1 + random.index(10));
    const CutBox box = random_cut_box(random, d, trial % 2 == 0 ? 0.3 : 1.5);
    const Eigen::VectorXd v = testing::normal_vector(random, d);
    std::vector<signed char> side(static_cast<std::size_t>(d), 0);
    BoxActiveSet active_set(d);
    const ActiveSetStatus status = active_set.descend(box.cone, box.program.lower,
                                                      box.program.upper, v, kInfinity, side.data());
    if (status != ActiveSetStatus::Optimal) {
      continue;  // counted below
    }
    ++optimal;
    const double expected = interior_minimum(box.program, v);
    const double tolerance = kInteriorTolerance * v.lpNorm<1>();
    EXPECT_NEAR(v.dot(active_set.u()), expected, tolerance);
    EXPECT_NEAR(active_set.dual_bound(), expected, tolerance);
    EXPECT_LE((active_set.u() - box.program.upper).maxCoeff(), 1e-12);
    EXPECT_LE((box.program.lower - active_set.u()).maxCoeff(), 1e-12);
  }
  EXPECT_GE(optimal, 590) << "a nearly singular face may defeat it, but rarely";
}

TEST(BoxActiveSet, BoundsOfItsIteratesStopASolveThatCannotBeatTheCutoff) {
  RandomStream random(/*seed=*/83, /*stream=*/0);
  int cut_off = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const auto d = static_cast<Eigen::Index>(2 + random.index(8));
    const CutBox box = random_cut_box(random, d, 0.3);
    const Eigen::VectorXd v = testing::normal_vector(random, d);
    const double value = interior_minimum(box.program, v);
    BoxActiveSet active_set(d);
    std::vector<signed char> side(static_cast<std::size_t>(d), 0);
    const double cutoff = value - 0.1 * std::abs(value);
    const ActiveSetStatus status =
        active_set.descend(box.cone, box.program.lower, box.program.upper, v, cutoff, side.data());
    EXPECT_NE(status, ActiveSetStatus::Optimal);
    if (status == ActiveSetStatus::CutOff) {
      ++cut_off;
      EXPECT_GE(active_set.dual_bound(), cutoff);
      EXPECT_LE(active_set.dual_bound(), value + kInteriorTolerance * v.lpNorm<1>());
    }
  }
  EXPECT_GE(cut_off, 290) << "but for a nearly singular face";
}

}  // namespace
}  // namespace foothold::cone
