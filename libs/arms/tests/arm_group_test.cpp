#include "table/arm_group.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "random_program.hpp"
#include "table/arm_products.hpp"

namespace foothold::arms {
namespace {

// Squares of forms in single precision, as `TrackedArms` keeps them, against the same sums in
// double precision from the arms and forms before their rounding.
TEST(ArmPrecision, BoundsTheErrorsOfSquaresThatFollowManyChanges) {
  constexpr Eigen::Index kDim = 12;
  constexpr Eigen::Index kTile = ArmProducts::kTile;
  RandomStream random(/*seed=*/106, /*stream=*/0);
  const Eigen::MatrixXd arms = testing::normal_matrix(random, kTile, kDim);
  const Eigen::MatrixXf tile = arms.cast<float>();
  const double r = arms.rowwise().norm().maxCoeff();
  const Eigen::MatrixXd forms = testing::normal_matrix(random, kDim, kDim);
  ArmProducts products(kDim, kDim);
  for (Eigen::Index j = 0; j < kDim; ++j) {
    products.set(j, forms.col(j), 0.0);
  }
  products.evaluate(tile.data(), kDim);
  Eigen::VectorXd exact = (arms * forms).rowwise().squaredNorm();
  Eigen::VectorXf squares = Eigen::VectorXf::Zero(kTile);
  for (Eigen::Index j = 0; j < kDim; ++j) {
    const Eigen::Map<const Eigen::VectorXf> values(products.values(j), kTile);
    squares += values.cwiseAbs2();
  }
  ArmPrecision precision = ArmPrecision::of_forms(static_cast<double>(squares.maxCoeff()),
                                                  forms.squaredNorm() * r * r, 0.0, kDim);
  // A⁻¹ = Σaaᵀ loses half of what is left in one direction, again and again.
  Eigen::MatrixXd inverse = forms * forms.transpose();
  double largest_error = 0.0;
  for (int change = 0; change < 200; ++change) {
    const Eigen::VectorXd x = testing::normal_vector(random, kDim);
    const Eigen::VectorXd y = inverse * x;
    const Eigen::VectorXd v = y / std::sqrt(2.0 * x.dot(y));
    inverse -= v * v.transpose();
    exact -= (arms * v).cwiseAbs2();
    products.set(0, v, 0.0);
    products.evaluate(tile.data(), 1);
    squares -= Eigen::Map<const Eigen::VectorXf>(products.values(0), kTile).cwiseAbs2();
    precision.follow({.form_squares = v.squaredNorm() * r * r, .terms = 1.0}, kDim);
    const double error = (squares.cast<double>() - exact).cwiseAbs().maxCoeff();
    ASSERT_LE(error, precision.square_error(kDim)) << "change " << change;
    largest_error = std::max(largest_error, error);
  }
  EXPECT_LE(precision.square_error(kDim), 200.0 * largest_error) << "the bound says little";
}

TEST(ArmPrecision, OfTwoSlicesHoldsForBoth) {
  const ArmPrecision one = ArmPrecision::of_forms(1.0, 4.0, 2.0, 3);
  const ArmPrecision other = ArmPrecision::of_forms(2.0, 3.0, 1.0, 3);
  ArmPrecision both = one;
  both.raise_to(other);
  EXPECT_GE(both.square_error(3), std::max(one.square_error(3), other.square_error(3)));
  EXPECT_EQ(both.linear, std::max(one.linear, other.linear));
}

}  // namespace
}  // namespace foothold::arms
