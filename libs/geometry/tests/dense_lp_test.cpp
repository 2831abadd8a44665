#include "foothold/geometry/dense_lp.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include <ClpSimplex.hpp>
#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "random_lp.hpp"

namespace foothold::geometry {
namespace {

using testing::LinearProgram;

// Independent oracle: the dual simplex method of Clp on rows of norm 1. None: unbounded.
std::optional<double> value_by_clp(const LinearProgram& lp) {
  const auto rows = static_cast<int>(lp.G.rows());
  const auto cols = static_cast<int>(lp.G.cols());
  const Eigen::VectorXd norms = lp.G.rowwise().norm();
  std::vector<CoinBigIndex> starts;
  std::vector<int> indices;
  std::vector<double> entries;
  for (int j = 0; j < cols; ++j) {
    starts.push_back(static_cast<CoinBigIndex>(entries.size()));
    for (int i = 0; i < rows; ++i) {
      indices.push_back(i);
      entries.push_back(lp.G(i, j) / norms(i));
    }
  }
  starts.push_back(static_cast<CoinBigIndex>(entries.size()));
  const Eigen::VectorXd offsets = lp.h.cwiseQuotient(norms);
  const std::vector<double> col_lower(static_cast<std::size_t>(cols), -COIN_DBL_MAX);
  const std::vector<double> col_upper(static_cast<std::size_t>(cols), COIN_DBL_MAX);
  const std::vector<double> row_lower(static_cast<std::size_t>(rows), -COIN_DBL_MAX);
  ClpSimplex model;
  model.setLogLevel(0);
  model.setPrimalTolerance(1e-10);
  model.setDualTolerance(1e-10);
  model.loadProblem(cols, rows, starts.data(), indices.data(), entries.data(), col_lower.data(),
                    col_upper.data(), lp.v.data(), row_lower.data(), offsets.data());
  model.primal();
  if (model.status() != 0) {
    return std::nullopt;
  }
  return model.objectiveValue();
}

// Certificate of optimality, from the definition: x feasible, η ≥ 0, Gᵀη = −v, no gap. Each
// residual is compared with the sum of the sizes of its terms.
void expect_certificate(const LinearProgram& lp, const DenseLp& solver, const LpResult& result) {
  constexpr double kTolerance = 1e-13;
  ASSERT_EQ(result.status, LpStatus::Optimal);
  const Eigen::VectorXd& x = solver.point();
  const Eigen::VectorXd& eta = solver.multipliers();
  const Eigen::VectorXd row_size = lp.G.rowwise().norm() * x.norm() + lp.h.cwiseAbs();
  EXPECT_LE((lp.G * x - lp.h - kTolerance * row_size).maxCoeff(), 0.0);
  EXPECT_GE(eta.minCoeff(), 0.0);
  const double eta_size = eta.dot(lp.G.rowwise().norm()) + lp.v.norm();
  EXPECT_LE((lp.G.transpose() * eta + lp.v).norm(), kTolerance * eta_size);
  const double value_size = eta.dot(lp.h.cwiseAbs()) + eta_size * x.norm();
  EXPECT_NEAR(result.value, lp.v.dot(x), kTolerance * value_size);
  EXPECT_NEAR(result.dual_bound, -lp.h.dot(eta), kTolerance * value_size);
  EXPECT_NEAR(result.value, result.dual_bound, kTolerance * value_size);
}

void expect_agreement(const LinearProgram& lp, const DenseLp& solver, const LpResult& result) {
  const std::optional<double> expected = value_by_clp(lp);
  if (!expected) {
    EXPECT_EQ(result.status, LpStatus::Unbounded);
    EXPECT_TRUE(std::isnan(result.value) && std::isnan(result.dual_bound));
    return;
  }
  expect_certificate(lp, solver, result);
  // Clp's own tolerances move its value by up to 1e-10 times the multipliers.
  const double size = solver.multipliers().dot(lp.G.rowwise().norm()) + std::abs(*expected);
  EXPECT_NEAR(result.value, *expected, 1e-9 * size);
}

class DenseLpOracle : public ::testing::TestWithParam<int> {
 protected:
  using Generator = std::function<LinearProgram(RandomStream&, Eigen::Index)>;

  static void expect_agreement_on(const Generator& generate, int problems) {
    const Eigen::Index d = GetParam();
    RandomStream random(/*seed=*/7, /*stream=*/static_cast<std::uint64_t>(d));
    DenseLp solver;
    DenseLp walker(/*walk_from=*/1);
    for (int problem = 0; problem < problems; ++problem) {
      SCOPED_TRACE(problem);
      LinearProgram lp = generate(random, d);
      if (problem % 2 == 1) {
        testing::scale_rows_badly(random, lp);
      }
      expect_agreement(lp, solver, solver.solve(lp.G, lp.h, lp.v, lp.start));
      expect_agreement(lp, walker, walker.solve(lp.G, lp.h, lp.v, lp.start));
    }
  }
};

TEST_P(DenseLpOracle, AgreesWithClpOnBoundedRandomRows) {
  expect_agreement_on(
      [](RandomStream& random, Eigen::Index d) { return testing::bounded(random, d, 3 * d); }, 30);
}

TEST_P(DenseLpOracle, AgreesWithClpWhetherRandomRowsBoundTheObjective) {
  expect_agreement_on(
      [](RandomStream& random, Eigen::Index d) { return testing::random_rows(random, d, 2 * d); },
      30);
}

TEST_P(DenseLpOracle, AgreesWithClpOnFewerRowsThanDimensions) {
  expect_agreement_on(
      [](RandomStream& random, Eigen::Index d) {
        LinearProgram lp = testing::random_rows(random, d, (d + 1) / 2);
        // An objective in the span of the rows is bounded on a set without a vertex.
        if (random.uniform() < 0.7) {
          lp.v = -lp.G.transpose() * Eigen::VectorXd::Ones(lp.G.rows());
        }
        return lp;
      },
      20);
}

TEST_P(DenseLpOracle, AgreesWithClpOnDuplicatedAndRedundantRows) {
  expect_agreement_on(testing::duplicated, 25);
}

TEST_P(DenseLpOracle, AgreesWithClpWhereManyRowsMeetInOneVertex) {
  expect_agreement_on(testing::degenerate, 25);
}

TEST_P(DenseLpOracle, AgreesWithClpOnCrossPolytopesAndCubes) {
  expect_agreement_on(testing::cross_polytope_or_cube, 20);
}

TEST_P(DenseLpOracle, AgreesWithClpAfterAWarmStart) {
  const Eigen::Index d = GetParam();
  RandomStream random(/*seed=*/8, /*stream=*/static_cast<std::uint64_t>(d));
  for (const bool is_degenerate : {false, true}) {
    LinearProgram lp =
        is_degenerate ? testing::degenerate(random, d) : testing::bounded(random, d, 2 * d);
    DenseLp solver;
    for (int round = 0; round < 15; ++round) {
      SCOPED_TRACE(round);
      lp.v = testing::normal_vector(random, d);
      expect_agreement(lp, solver, solver.solve(lp.G, lp.h, lp.v, lp.start, /*warm=*/true));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, DenseLpOracle, ::testing::Range(1, 17));

TEST(DenseLp, SolvesBealesExampleOnWhichTheSimplexMethodCycles) {
  // The optimum is −1/20 at (1/25, 0, 1, 0), from the degenerate vertex 0.
  LinearProgram lp;
  lp.G.resize(7, 4);
  lp.G << 0.25, -60.0, -0.04, 9.0, 0.5, -90.0, -0.02, 3.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0,
      0.0, -1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, -1.0;
  lp.h = Eigen::VectorXd::Unit(7, 2);
  lp.v = Eigen::Vector4d(-0.75, 150.0, -0.02, 6.0);
  DenseLp solver;
  const LpResult& result = solver.solve(lp.G, lp.h, lp.v, Eigen::Vector4d::Zero());
  ASSERT_EQ(result.status, LpStatus::Optimal);
  EXPECT_NEAR(result.value, -0.05, 1e-15);
  EXPECT_LE((solver.point() - Eigen::Vector4d(0.04, 0.0, 1.0, 0.0)).norm(), 1e-14);
}

TEST(DenseLp, SolvesAKleeMintyCube) {
  // max Σ 2^(d−j) x_j over 2 Σ_{k<j} 2^(j−k) x_k + x_j ≤ 5^j, x ≥ 0 has the value 5^d.
  constexpr Eigen::Index d = 10;
  LinearProgram lp;
  lp.G.setZero(2 * d, d);
  lp.h.setZero(2 * d);
  lp.v.resize(d);
  for (Eigen::Index j = 0; j < d; ++j) {
    for (Eigen::Index k = 0; k < j; ++k) {
      lp.G(j, k) = std::ldexp(2.0, static_cast<int>(j - k));
    }
    lp.G(j, j) = 1.0;
    lp.h(j) = std::pow(5.0, static_cast<double>(j + 1));
    lp.G(d + j, j) = -1.0;
    lp.v(j) = -std::ldexp(1.0, static_cast<int>(d - 1 - j));
  }
  DenseLp solver;
  const LpResult& result = solver.solve(lp.G, lp.h, lp.v, Eigen::VectorXd::Zero(d));
  ASSERT_EQ(result.status, LpStatus::Optimal);
  EXPECT_NEAR(result.value, -std::pow(5.0, 10.0), 1e-5);
}

TEST(DenseLp, ColumnsOfAnyScaleAreSolvedAlike) {
  // |x/1e-9| + |y/1e9| ≤ 1: the least y is −1e9.
  LinearProgram lp;
  lp.G.resize(4, 2);
  lp.G << 1e9, 1e-9, 1e9, -1e-9, -1e9, 1e-9, -1e9, -1e-9;
  lp.h = Eigen::VectorXd::Ones(4);
  lp.v = Eigen::Vector2d(0.0, 1.0);
  DenseLp solver;
  const LpResult& result = solver.solve(lp.G, lp.h, lp.v, Eigen::Vector2d::Zero());
  ASSERT_EQ(result.status, LpStatus::Optimal);
  EXPECT_NEAR(result.value, -1e9, 1e-3);
}

TEST(DenseLp, ObjectivesOfAnyScaleAreSolvedAlike) {
  RandomStream random(/*seed=*/9, /*stream=*/0);
  LinearProgram lp = testing::bounded(random, 5, 20);
  DenseLp solver;
  const double value = solver.solve(lp.G, lp.h, lp.v, lp.start).value;
  for (const double scale : {0x1p-900, 0x1p-300, 0x1p300, 0x1p900}) {
    EXPECT_EQ(solver.solve(lp.G, lp.h, scale * lp.v, lp.start).value, scale * value);
  }
}

TEST(DenseLp, AZeroObjectiveEndsInAVertexWithZeroMultipliers) {
  RandomStream random(/*seed=*/10, /*stream=*/0);
  const LinearProgram lp = testing::bounded(random, 3, 9);
  DenseLp solver;
  const LpResult& result = solver.solve(lp.G, lp.h, Eigen::Vector3d::Zero(), lp.start);
  ASSERT_EQ(result.status, LpStatus::Optimal);
  EXPECT_EQ(result.value, 0.0);
  EXPECT_EQ(solver.multipliers().norm(), 0.0);
  EXPECT_EQ(solver.working_set().size(), 3U);
}

TEST(DenseLp, AWarmSolveOfTheSameObjectiveTakesNoStep) {
  RandomStream random(/*seed=*/11, /*stream=*/0);
  const LinearProgram lp = testing::bounded(random, 6, 20);
  DenseLp solver;
  const double value = solver.solve(lp.G, lp.h, lp.v, lp.start).value;
  const LpResult& again = solver.solve(lp.G, lp.h, lp.v, lp.start, /*warm=*/true);
  EXPECT_EQ(again.iterations, 0);
  EXPECT_EQ(again.value, value);
}

TEST(DenseLp, AWarmSolveOfAnotherSizeStartsCold) {
  RandomStream random(/*seed=*/12, /*stream=*/0);
  DenseLp solver;
  for (const Eigen::Index d : {3, 5, 2}) {
    const LinearProgram lp = testing::bounded(random, d, 2 * d);
    expect_certificate(lp, solver, solver.solve(lp.G, lp.h, lp.v, lp.start, /*warm=*/true));
  }
}

TEST(DenseLp, AnUnboundedObjectiveDoesNotSpoilTheNextWarmSolve) {
  // The quadrant x, y ≥ 0.
  LinearProgram lp;
  lp.G = -Eigen::Matrix2d::Identity();
  lp.h = Eigen::Vector2d::Zero();
  lp.start = Eigen::Vector2d::Ones();
  DenseLp solver;
  EXPECT_EQ(solver.solve(lp.G, lp.h, Eigen::Vector2d(1.0, 1.0), lp.start).status,
            LpStatus::Optimal);
  EXPECT_EQ(solver.solve(lp.G, lp.h, Eigen::Vector2d(1.0, -1.0), lp.start, true).status,
            LpStatus::Unbounded);
  const LpResult& result = solver.solve(lp.G, lp.h, Eigen::Vector2d(2.0, 1.0), lp.start, true);
  EXPECT_EQ(result.status, LpStatus::Optimal);
  EXPECT_EQ(result.value, 0.0);
}

TEST(DenseLp, AStartWithRoundingNoiseIsNoExtent) {
  // min −x₁ − 2x₂ − 3x₃ over { x ≥ 0, x₁ + x₂ + x₃ ≤ 1 }: −3 at e₃. The third coordinate of the
  // start is what rounding leaves of 0, and must not be taken for the size of the set.
  LinearProgram lp;
  lp.G = Eigen::MatrixXd::Zero(4, 3);
  lp.G.topRows(3) = -Eigen::MatrixXd::Identity(3, 3);
  lp.G.row(3).setOnes();
  lp.h = Eigen::Vector4d(0.0, 0.0, 0.0, 1.0);
  lp.v = Eigen::Vector3d(-1.0, -2.0, -3.0);
  DenseLp solver;
  const LpResult& result = solver.solve(lp.G, lp.h, lp.v, Eigen::Vector3d(0.6, 0.4, 5e-17));
  expect_certificate(lp, solver, result);
  EXPECT_NEAR(result.value, -3.0, 1e-14);
}

}  // namespace
}  // namespace foothold::geometry
