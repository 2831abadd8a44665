#include "ellipsoid/direction_cell.hpp"

#include <cmath>
#include <vector>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "foothold/base/random_stream.hpp"
#include "foothold/geometry/dense_lp.hpp"

#include "ellipsoid/cut_model.hpp"
#include "random_program.hpp"

namespace foothold::optimism {
namespace {

using testing::normal_vector;

double between(RandomStream& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

DirectionCell random_cell(RandomStream& random, Eigen::Index d) {
  DirectionCell cell;
  cell.set_root(d, static_cast<Eigen::Index>(random.uniform() * static_cast<double>(2 * d)));
  for (Eigen::Index j = 0; j < d; ++j) {
    if (j != cell.axis) {
      const double a = between(random, -1.0, 1.0);
      const double b = between(random, -1.0, 1.0);
      cell.lower(j) = std::min(a, b);
      cell.upper(j) = std::max(a, b);
      cell.point(j) = between(random, cell.lower(j), cell.upper(j));
    }
  }
  return cell;
}

// With `share` in [0, 1] the place of each z_j between its bounds.
Eigen::VectorXd member(const DirectionCell& cell, double height, const Eigen::VectorXd& share) {
  Eigen::VectorXd y = height * (cell.lower + share.cwiseProduct(cell.upper - cell.lower)).eval();
  y(cell.axis) = cell.sign * height;
  return y;
}

Eigen::VectorXd uniform_vector(RandomStream& random, Eigen::Index size) {
  Eigen::VectorXd vector(size);
  for (double& entry : vector) {
    entry = random.uniform();
  }
  return vector;
}

// The proof of the search rests on this inequality.
TEST(DirectionCell, EveryMajorantIsAboveTheNormOnTheCell) {
  RandomStream random(/*seed=*/91, /*stream=*/0);
  for (int i = 0; i < 20000; ++i) {
    const Eigen::Index d = 1 + i % 7;
    const DirectionCell cell = random_cell(random, d);
    Eigen::VectorXd nu = 2.0 * uniform_vector(random, 2 * (d - 1));
    nu = (nu.array() < 1.0).select(0.0, nu);
    Eigen::VectorXd p(d);
    cell.majorant(i % 3 == 0 ? Eigen::VectorXd::Zero(nu.size()).eval() : nu, p);
    const Eigen::VectorXd share = uniform_vector(random, d);
    const Eigen::VectorXd y = member(cell, between(random, 0.1, 2.0),
                                     i % 2 == 0 ? share : share.array().round().matrix().eval());
    ASSERT_GE(p.dot(y), y.norm() * (1.0 - 1e-14));
  }
}

TEST(DirectionCell, TheMajorantTouchesTheNormAtTheCornerThatIsItsPoint) {
  RandomStream random(/*seed=*/91, /*stream=*/1);
  for (int i = 0; i < 1000; ++i) {
    const Eigen::Index d = 1 + i % 7;
    DirectionCell cell = random_cell(random, d);
    const Eigen::VectorXd corner = uniform_vector(random, d).array().round();
    const Eigen::VectorXd y = member(cell, 0.7, corner);
    cell.set_point(y);
    Eigen::VectorXd p(d);
    cell.majorant(Eigen::VectorXd::Zero(2 * (d - 1)), p);
    EXPECT_NEAR(p.dot(y), y.norm(), 1e-13);
  }
}

TEST(DirectionCell, RootsCoverEverythingAndGiveTheL1Bound) {
  RandomStream random(/*seed=*/91, /*stream=*/2);
  for (int i = 0; i < 1000; ++i) {
    const Eigen::Index d = 1 + i % 7;
    const Eigen::VectorXd y = normal_vector(random, d);
    int holders = 0;
    for (Eigen::Index k = 0; k < 2 * d; ++k) {
      DirectionCell cell;
      cell.set_root(d, k);
      Eigen::VectorXd slacks(2 * (d - 1));
      cell.slacks(y, slacks);
      const bool holds = cell.sign * y(cell.axis) > 0.0 && (slacks.array() >= 0.0).all();
      holders += holds ? 1 : 0;
      Eigen::VectorXd p(d);
      cell.majorant(Eigen::VectorXd::Zero(2 * (d - 1)), p);
      const Eigen::VectorXd expected =
          cell.sign * std::sqrt(static_cast<double>(d)) * Eigen::VectorXd::Unit(d, cell.axis);
      EXPECT_LE((p - expected).norm(), 1e-14);
    }
    EXPECT_EQ(holders, 1);
  }
}

// The model's linear program in its other form, by the other solver:
// max { t : t + β λ_kᵀν ≤ c_k,  ν ≥ 0,  Σν ≤ 1e3 }.
double model_by_rows(const DirectionCell& cell, double radius, const Eigen::MatrixXd& ys,
                     const Eigen::VectorXd& estimates) {
  const Eigen::Index d = ys.rows();
  const Eigen::Index n = 2 * (d - 1);
  const Eigen::Index count = ys.cols();
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(count + n + 1, n + 1);
  Eigen::VectorXd h = Eigen::VectorXd::Zero(count + n + 1);
  Eigen::VectorXd p(d);
  Eigen::VectorXd slacks(n);
  cell.majorant(Eigen::VectorXd::Zero(n), p);
  for (Eigen::Index k = 0; k < count; ++k) {
    cell.slacks(ys.col(k), slacks);
    G.row(k).head(n) = radius * slacks.transpose();
    G(k, n) = 1.0;
    h(k) = estimates(k) - radius * p.dot(ys.col(k));
  }
  G.block(count, 0, n, n) = -Eigen::MatrixXd::Identity(n, n);
  G.row(count + n).head(n).setOnes();
  h(count + n) = 1e3;
  const Eigen::VectorXd start = h.head(count).minCoeff() * Eigen::VectorXd::Unit(n + 1, n);
  geometry::DenseLp lp;
  return -lp.solve(G, h, -Eigen::VectorXd::Unit(n + 1, n), start).value;
}

TEST(CutModel, AgreesWithTheLinearProgramInRowsAsPointsJoin) {
  RandomStream random(/*seed=*/92, /*stream=*/0);
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    const Eigen::Index d = 2 + i % 5;
    const DirectionCell cell = random_cell(random, d);
    const double radius = between(random, 0.1, 3.0);
    const Eigen::Index count = 12;
    const Eigen::MatrixXd ys = testing::normal_matrix(random, d, count);
    const Eigen::VectorXd estimates = normal_vector(random, count);
    CutModel model(d);
    model.start(cell, radius);
    for (Eigen::Index k = 0; k < count; ++k) {
      model.add(ys.col(k), estimates(k), static_cast<int>(k));
      ASSERT_TRUE(model.solve());
      const double expected =
          model_by_rows(cell, radius, ys.leftCols(k + 1), estimates.head(k + 1));
      // 1e-9 of the slacks is the perturbation, at a price of up to 1e3 a unit.
      EXPECT_NEAR(model.value(), expected, 1e-5 * (1.0 + std::abs(expected)));
      EXPECT_GE(model.nu().minCoeff(), 0.0);
      std::vector<int> active;
      model.collect_active(active);
      EXPECT_GE(active.size(), 1U);
    }
  }
}

}  // namespace
}  // namespace foothold::optimism
