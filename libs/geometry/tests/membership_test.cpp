#include <cmath>
#include <limits>

#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "foothold/base/infinity.hpp"
#include "foothold/geometry/decision_set.hpp"
#include "foothold/geometry/sampling.hpp"

#include "bounded_sum.hpp"
#include "exact_sum.hpp"
#include "random_lp.hpp"

namespace foothold::geometry {
namespace {

// Moves every coordinate by up to three units in the last place.
void jitter(RandomStream& random, Eigen::VectorXd& x) {
  for (double& entry : x) {
    const double target = random.uniform() < 0.5 ? -kInfinity : kInfinity;
    for (auto steps = random.index(4); steps > 0; --steps) {
      entry = std::nextafter(entry, target);
    }
  }
}

TEST(BoundedSum, BracketsTheExactSumAndIsTightInDoubledPrecision) {
  RandomStream random(/*seed=*/30, /*stream=*/0);
  for (int i = 0; i < 2000; ++i) {
    const auto n = static_cast<Eigen::Index>(1 + random.index(12));
    Eigen::VectorXd a = testing::normal_vector(random, n);
    const Eigen::VectorXd b = testing::normal_vector(random, n);
    a(0) *= std::ldexp(1.0, static_cast<int>(random.index(100)) - 50);
    // The offset cancels all but rounding in most cases.
    const double offset = a.dot(b) * (random.uniform() < 0.8 ? 1.0 : random.normal());
    testing::ExactSum exact;
    testing::set_slack(exact, offset, a, b);
    const BoundedSum sum = bounded_slack(offset, a, b);
    ASSERT_GE(exact.compare(sum.lower()), 0);
    ASSERT_LE(exact.compare(sum.upper()), 0);
    const double size = a.cwiseAbs().dot(b.cwiseAbs()) + std::abs(offset);
    ASSERT_LE(sum.upper() - sum.lower(), 0x1p-50 * std::abs(exact.value()) + 0x1p-94 * size);
  }
}

TEST(BoundedSum, SumsWithoutRoundingAreReturnedAsTheyAre) {
  BoundedSum sum;
  sum.add(1.0);
  sum.add_product(-0.5, 2.0);
  EXPECT_EQ(sum.lower(), 0.0);
  EXPECT_EQ(sum.upper(), 0.0);
}

TEST(BoundedSum, ProductsThatUnderflowStayBracketed) {
  BoundedSum sum;
  sum.add_product(0x1.8p-600, 0x1.8p-600);
  EXPECT_LT(sum.lower(), 0.0);
  EXPECT_GT(sum.upper(), 0.0);
}

TEST(BoundedSum, OverflowFailsEveryComparison) {
  BoundedSum sum;
  sum.add_product(1e200, 1e200);
  EXPECT_FALSE(sum.lower() >= 0.0);
  EXPECT_FALSE(sum.upper() <= 0.0);
}

TEST(Membership, OfAPolytopeIsDecidedExactlyNextToTheBorder) {
  RandomStream random(/*seed=*/31, /*stream=*/0);
  int inside = 0;
  int accepted = 0;
  for (int polytopes = 0; polytopes < 60; ++polytopes) {
    const Eigen::Index d = 1 + static_cast<Eigen::Index>(random.index(6));
    const testing::LinearProgram lp = testing::bounded(random, d, 2 * d);
    const DecisionSet set = Polytope(lp.G, lp.h);
    for (int points = 0; points < 60; ++points) {
      // On the border of the first row that a ray from the start meets.
      Eigen::VectorXd direction(d);
      sample_sphere(random, direction);
      const Eigen::ArrayXd rate = lp.G * direction;
      const Eigen::ArrayXd slack = lp.h - lp.G * lp.start;
      const double step = (rate > 0.0).select(slack / rate, kInfinity).minCoeff();
      Eigen::VectorXd x = lp.start + step * direction;
      jitter(random, x);
      bool is_inside = true;
      for (Eigen::Index i = 0; i < lp.G.rows(); ++i) {
        testing::ExactSum exact;
        testing::set_slack(exact, lp.h(i), lp.G.row(i), x);
        is_inside = is_inside && exact.sign() >= 0;
      }
      ASSERT_TRUE(is_inside || !contains(set, x));
      inside += is_inside ? 1 : 0;
      accepted += contains(set, x) ? 1 : 0;
    }
  }
  EXPECT_GT(inside, 1000) << "the points must lie on both sides";
  EXPECT_LT(inside, 2600) << "the points must lie on both sides";
  // Doubled precision resolves the slack of a point given in doubles, but for exact ties.
  EXPECT_GE(accepted, inside - inside / 100);
}

TEST(Membership, OfABallIsNeverGrantedOutside) {
  RandomStream random(/*seed=*/32, /*stream=*/0);
  for (int i = 0; i < 4000; ++i) {
    const auto d = static_cast<Eigen::Index>(1 + random.index(8));
    const double radius = std::exp(4.0 * random.normal());
    const DecisionSet set = Ball(d, radius);
    Eigen::VectorXd x(d);
    sample_sphere(random, x);
    x *= radius * (1.0 - static_cast<double>(random.index(8)) * 0x1p-53);
    jitter(random, x);
    testing::ExactSum exact;  // r² − ‖x‖²
    exact.add_product(radius, radius);
    for (const double entry : x) {
      exact.add_product(-entry, entry);
    }
    ASSERT_TRUE(exact.sign() >= 0 || !contains(set, x));
    ASSERT_TRUE(exact.sign() > 0 || !contains_in_interior(set, x));
    ASSERT_TRUE(contains(set, (1.0 - 1e-14) * x));
  }
}

TEST(Membership, OfABoxIncludesItsBorderAndItsInteriorDoesNot) {
  const bool has_passed = rc::check([](double lower, double width) {
    RC_PRE(std::isfinite(lower) && lower + std::abs(width) > lower &&
           std::isfinite(lower + std::abs(width)));
    const double upper = lower + std::abs(width);
    const DecisionSet set = Box(Eigen::Vector2d(lower, -1.0), Eigen::Vector2d(upper, 1.0));
    for (const double corner : {lower, upper}) {
      RC_ASSERT(contains(set, Eigen::Vector2d(corner, 0.5)));
      RC_ASSERT(!contains_in_interior(set, Eigen::Vector2d(corner, 0.5)));
    }
    RC_ASSERT(!contains(set, Eigen::Vector2d(std::nextafter(lower, -kInfinity), 0.5)));
    RC_ASSERT(!contains(set, Eigen::Vector2d(std::nextafter(upper, kInfinity), 0.5)));
    RC_ASSERT(!contains(set, Eigen::Vector2d(lower, 1.5)));
  });
  EXPECT_TRUE(has_passed);
}

TEST(Membership, OfAPolytopeIncludesVerticesWithoutRounding) {
  Eigen::MatrixXd normals(3, 2);
  normals << -1.0, 0.0, 0.0, -1.0, 3.0, 4.0;
  const DecisionSet set = Polytope(normals, Eigen::Vector3d(0.0, 0.0, 12.0));
  EXPECT_TRUE(contains(set, Eigen::Vector2d(0.0, 0.0)));
  EXPECT_TRUE(contains(set, Eigen::Vector2d(4.0, 0.0)));
  EXPECT_TRUE(contains(set, Eigen::Vector2d(0.0, 3.0)));
  EXPECT_FALSE(contains_in_interior(set, Eigen::Vector2d(4.0, 0.0)));
  EXPECT_TRUE(contains_in_interior(set, Eigen::Vector2d(1.0, 1.0)));
  EXPECT_FALSE(contains(set, Eigen::Vector2d(4.0, std::numeric_limits<double>::denorm_min())));
}

TEST(Membership, OfArmsIsEqualityWithARow) {
  Eigen::MatrixXd features(2, 2);
  features << 0.1, 0.2, 0.3, 0.4;
  const DecisionSet set = Arms(features);
  EXPECT_TRUE(contains(set, Eigen::Vector2d(0.3, 0.4)));
  EXPECT_FALSE(contains(set, Eigen::Vector2d(0.1, 0.4)));
  EXPECT_FALSE(contains(set, Eigen::Vector2d(0.3, std::nextafter(0.4, 1.0))));
  EXPECT_FALSE(contains_in_interior(set, Eigen::Vector2d(0.3, 0.4)));
}

TEST(Membership, OfContextualArmsNeedsOnlyFiniteEntries) {
  const DecisionSet set = ContextualArms(2);
  EXPECT_TRUE(contains(set, Eigen::Vector2d(1e300, -7.0)));
  EXPECT_FALSE(contains(set, Eigen::Vector2d(kNaN, 0.0)));
  EXPECT_FALSE(contains(set, Eigen::Vector2d(0.0, kInfinity)));
  EXPECT_FALSE(contains_in_interior(set, Eigen::Vector2d(0.0, 0.0)));
}

TEST(Membership, OfANonFinitePointIsRefusedByEverySet) {
  const DecisionSet sets[] = {
      Box::symmetric(2, 1.0), Ball(2, 1.0),
      Polytope((Eigen::MatrixXd(4, 2) << 1, 0, -1, 0, 0, 1, 0, -1).finished(),
               Eigen::Vector4d::Ones()),
      Arms(Eigen::MatrixXd::Zero(1, 2)), ContextualArms(2)};
  for (const DecisionSet& set : sets) {
    for (const double bad : {kNaN, kInfinity, -kInfinity}) {
      EXPECT_FALSE(contains(set, Eigen::Vector2d(0.0, bad))) << set.index();
      EXPECT_FALSE(contains_in_interior(set, Eigen::Vector2d(bad, 0.0))) << set.index();
    }
  }
}

}  // namespace
}  // namespace foothold::geometry
