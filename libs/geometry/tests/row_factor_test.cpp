#include "foothold/geometry/row_factor.hpp"

#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "random_lp.hpp"

namespace foothold::geometry {
namespace {

// A factor and the rows it must hold, after appending six and removing two of them.
struct Example {
  RowFactor factor{};
  Eigen::MatrixXd W{};
};

Example six_rows_less_two() {
  RandomStream random(/*seed=*/20, /*stream=*/0);
  const Eigen::MatrixXd rows = testing::normal_matrix(random, 6, 7);
  Example example;
  example.factor.reset(7);
  for (Eigen::Index i = 0; i < 6; ++i) {
    example.factor.append(rows.row(i).transpose());
  }
  example.factor.remove(1);
  example.factor.remove(3);
  example.W.resize(4, 7);
  example.W << rows.row(0), rows.row(2), rows.row(3), rows.row(5);
  return example;
}

TEST(RowFactor, CoefficientsAgreeWithLeastSquares) {
  const Example example = six_rows_less_two();
  RandomStream random(/*seed=*/20, /*stream=*/1);
  const Eigen::VectorXd v = testing::normal_vector(random, 7);
  Eigen::VectorXd b = v;
  example.factor.rotate(b);
  example.factor.solve_upper(b);
  // Oracle: the normal equations, solved by LU.
  const Eigen::VectorXd expected =
      (example.W * example.W.transpose()).fullPivLu().solve(example.W * v);
  ASSERT_EQ(example.factor.size(), 4);
  EXPECT_LE((b.head(4) - expected).norm(), 1e-12);
}

TEST(RowFactor, TheSolutionOfItsRowsMeetsThem) {
  const Example example = six_rows_less_two();
  const Eigen::Vector4d offsets(1.0, -2.0, 0.5, 3.0);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(7);
  x.head(4) = offsets;
  example.factor.solve_lower(x);
  example.factor.rotate_back(x);
  EXPECT_LE((example.W * x - offsets).norm(), 1e-13);
}

TEST(RowFactor, RowsAreConstantAlongTheLastColumnsOfQ) {
  const Example example = six_rows_less_two();
  for (Eigen::Index i = 4; i < 7; ++i) {
    Eigen::VectorXd direction = Eigen::VectorXd::Unit(7, i);
    example.factor.rotate_back(direction);
    EXPECT_NEAR(direction.norm(), 1.0, 1e-14);
    EXPECT_LE((example.W * direction).norm(), 1e-14);
  }
}

}  // namespace
}  // namespace foothold::geometry
