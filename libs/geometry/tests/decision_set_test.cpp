#include "foothold/geometry/decision_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "exact_sum.hpp"
#include "expect_error.hpp"
#include "random_lp.hpp"

namespace foothold::geometry {
namespace {

using testing::expect_invalid;

Polytope unit_simplex() {
  Eigen::MatrixXd normals(4, 3);
  normals << -Eigen::Matrix3d::Identity(), Eigen::RowVector3d::Ones();
  return {normals, Eigen::Vector4d(0.0, 0.0, 0.0, 1.0)};
}

TEST(DecisionSet, KnowsItsDimensionAndWhetherItIsContinuous) {
  EXPECT_EQ(dim(Box::symmetric(3, 1.0)), 3);
  EXPECT_EQ(dim(Ball(4, 1.0)), 4);
  EXPECT_EQ(dim(unit_simplex()), 3);
  EXPECT_EQ(dim(Arms(Eigen::MatrixXd::Zero(2, 5))), 5);
  EXPECT_EQ(dim(ContextualArms(6)), 6);
  EXPECT_TRUE(is_continuous(Box::symmetric(3, 1.0)));
  EXPECT_TRUE(is_continuous(Ball(4, 1.0)));
  EXPECT_TRUE(is_continuous(unit_simplex()));
  EXPECT_FALSE(is_continuous(Arms(Eigen::MatrixXd::Zero(2, 5))));
  EXPECT_FALSE(is_continuous(ContextualArms(6)));
}

TEST(DecisionSet, KnowsWhetherItHasFixedArmsOrContextualOnes) {
  const DecisionSet arms = Arms(Eigen::MatrixXd::Zero(2, 5));
  EXPECT_EQ(fixed_arms(arms), &std::get<Arms>(arms));
  EXPECT_FALSE(is_contextual(arms));
  const DecisionSet contextual = ContextualArms(6);
  EXPECT_EQ(fixed_arms(contextual), nullptr);
  EXPECT_TRUE(is_contextual(contextual));
  for (const DecisionSet& set : {DecisionSet(Box::symmetric(3, 1.0)), DecisionSet(Ball(3, 1.0)),
                                 DecisionSet(unit_simplex())}) {
    EXPECT_EQ(fixed_arms(set), nullptr);
    EXPECT_FALSE(is_contextual(set));
  }
}

TEST(DecisionSet, ContainsNothingThatIsNotFinite) {
  constexpr double kMax = std::numeric_limits<double>::max();
  const Eigen::MatrixXd arms = Eigen::MatrixXd::Ones(1, 3);
  const Box box(Eigen::Vector3d::Constant(-kMax), Eigen::Vector3d::Constant(kMax));
  for (const DecisionSet& set :
       {DecisionSet(box), DecisionSet(Ball(3, kMax)), DecisionSet(unit_simplex()),
        DecisionSet(Arms(arms)), DecisionSet(ContextualArms(3))}) {
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity()}) {
      for (Eigen::Index i = 0; i < 3; ++i) {
        Eigen::Vector3d x = Eigen::Vector3d::Constant(0.25);
        x(i) = bad;
        EXPECT_FALSE(contains(set, x));
        EXPECT_FALSE(contains_in_interior(set, x));
      }
    }
  }
}

// Whether bound² ≥ Σ xᵢ² without rounding.
bool bounds_norm(double bound, const Eigen::VectorXd& x) {
  testing::ExactSum exact;
  exact.add_product(bound, bound);
  for (const double entry : x) {
    exact.add_product(-entry, entry);
  }
  return exact.sign() >= 0;
}

TEST(NormBound, OfABoxIsTheNormOfItsFarthestCornerRoundedUp) {
  RandomStream random(/*seed=*/60, /*stream=*/0);
  for (int i = 0; i < 500; ++i) {
    const auto d = static_cast<Eigen::Index>(1 + random.index(9));
    const Eigen::VectorXd a = testing::normal_vector(random, d);
    const Eigen::VectorXd b = testing::normal_vector(random, d);
    const double bound = norm_bound(Box(a.cwiseMin(b), a.cwiseMax(b))).value();
    const Eigen::VectorXd corner = a.cwiseAbs().cwiseMax(b.cwiseAbs());
    ASSERT_TRUE(bounds_norm(bound, corner));
    ASSERT_NEAR(bound, corner.norm(), 1e-14 * bound);
  }
}

TEST(NormBound, OfABallIsItsRadius) {
  EXPECT_EQ(norm_bound(Ball(3, 0.1)), 0.1);
}

TEST(NormBound, OfArmsIsTheLargestNormRoundedUp) {
  RandomStream random(/*seed=*/61, /*stream=*/0);
  const Eigen::MatrixXd features = testing::normal_matrix(random, 200, 4);
  const double bound = norm_bound(Arms(features)).value();
  for (Eigen::Index i = 0; i < features.rows(); ++i) {
    ASSERT_TRUE(bounds_norm(bound, features.row(i).transpose()));
  }
  EXPECT_NEAR(bound, features.rowwise().norm().maxCoeff(), 1e-14 * bound);
}

TEST(NormBound, OfContextualArmsIsNotKnown) {
  EXPECT_FALSE(norm_bound(ContextualArms(2)).has_value());
}

TEST(MinimizeLinear, OverABoxIsMinusTheWeightedAbsoluteSum) {
  const LinearMinimum minimum =
      minimize_linear(Box::symmetric(3, 2.0), Eigen::Vector3d(1.0, -3.0, 0.5));
  EXPECT_EQ(minimum.point, Eigen::Vector3d(-2.0, 2.0, -2.0));
  EXPECT_EQ(minimum.value, -9.0);
}

TEST(MinimizeLinear, OverABallIsMinusRadiusTimesNorm) {
  const LinearMinimum minimum = minimize_linear(Ball(2, 5.0), Eigen::Vector2d(3.0, -4.0));
  EXPECT_LE((minimum.point - Eigen::Vector2d(-3.0, 4.0)).norm(), 1e-14);
  EXPECT_NEAR(minimum.value, -25.0, 1e-13);
}

TEST(MinimizeLinear, OverABallOfTheZeroFunctionIsZero) {
  const LinearMinimum minimum = minimize_linear(Ball(2, 5.0), Eigen::Vector2d::Zero());
  EXPECT_EQ(minimum.value, 0.0);
  EXPECT_TRUE(contains(Ball(2, 5.0), minimum.point));
}

TEST(MinimizeLinear, OverTheSimplexIsTheLeastEntryOrZero) {
  const DecisionSet simplex = unit_simplex();
  const LinearMinimum minimum = minimize_linear(simplex, Eigen::Vector3d(2.0, -0.5, -0.75));
  EXPECT_NEAR(minimum.value, -0.75, 1e-15);
  EXPECT_LE((minimum.point - Eigen::Vector3d::Unit(2)).norm(), 1e-15);
  EXPECT_NEAR(minimize_linear(simplex, Eigen::Vector3d::Ones()).value, 0.0, 1e-15);
}

TEST(MinimizeLinear, OverArmsIsTheFirstOfTheBest) {
  // Twenty copies of two arms: all values of a copy are equal, whatever the rounding.
  RandomStream random(/*seed=*/62, /*stream=*/0);
  const Eigen::MatrixXd pair = testing::normal_matrix(random, 2, 7);
  const Eigen::VectorXd v = testing::normal_vector(random, 7);
  const LinearMinimum minimum = minimize_linear(Arms(pair.replicate(20, 1)), v);
  const Eigen::Vector2d values = pair * v;
  EXPECT_EQ(minimum.point, pair.row(values(0) <= values(1) ? 0 : 1).transpose());
  EXPECT_NEAR(minimum.value, values.minCoeff(), 1e-14);
}

TEST(MinimizeLinear, RejectsWhatItCannotMinimise) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_invalid(
      [] { static_cast<void>(minimize_linear(ContextualArms(2), Eigen::Vector2d::Ones())); }, "set",
      "contextual");
  expect_invalid([] { static_cast<void>(minimize_linear(Ball(3, 1.0), Eigen::Vector2d::Ones())); },
                 "v", "size 3, got 2");
  expect_invalid(
      [&] { static_cast<void>(minimize_linear(Ball(2, 1.0), Eigen::Vector2d(nan, 0.0))); }, "v",
      "finite");
}

}  // namespace
}  // namespace foothold::geometry
