#include "foothold/base/rounding.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "foothold/base/random_stream.hpp"

namespace foothold::rounding {
namespace {

// Oracle: quadruple precision, 113 bits. Squares of doubles are exact in it, and a sum of a
// few dozen of them errs by 2⁻¹⁰⁷ relatively: far below the allowances under test, ≥ 2⁻⁵².
__extension__ using Quad = __float128;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Quad squared_norm(const Eigen::VectorXd& v, double scale) {
  Quad sum = 0;
  for (const double entry : v) {
    const Quad scaled = static_cast<Quad>(entry) * static_cast<Quad>(scale);
    sum += scaled * scaled;
  }
  return sum;
}

// Whether ‖v‖ ≤ bound, and the bound exceeds it by a relative 2·(n + 8)·u at most; `scale`
// keeps the squares in range.
void expect_tight_upper_bound(const Eigen::VectorXd& v, double bound, double scale = 1.0) {
  const Quad exact = squared_norm(v, scale);
  const Quad scaled = static_cast<Quad>(bound) * static_cast<Quad>(scale);
  EXPECT_TRUE(scaled * scaled >= exact * (1 + static_cast<Quad>(kUnit)));
  const double allowance = 2.0 * (static_cast<double>(v.size()) + 8.0) * kUnit;
  EXPECT_TRUE(scaled * scaled <= exact * (1 + 2 * static_cast<Quad>(allowance)));
}

Eigen::VectorXd random_vector(RandomStream& random, Eigen::Index size, int exponents) {
  return Eigen::VectorXd::NullaryExpr(size, [&] {
    const auto count = static_cast<std::uint64_t>(2 * exponents + 1);
    return std::ldexp(random.normal(), static_cast<int>(random.index(count)) - exponents);
  });
}

TEST(Gamma, IsTheClosedForm) {
  // k·u/(1 − k·u) in quadruple precision.
  for (const double k : {0.0, 1.0, 7.0, 1e6}) {
    const Quad product = static_cast<Quad>(k) * 0x1p-53;
    const auto expected = static_cast<double>(product / (1 - product));
    EXPECT_NEAR(gamma(k), expected, 2.0 * kUnit * expected);
  }
}

TEST(Up, CoversTheErrorOfASumOfPositiveTerms) {
  RandomStream random(/*seed=*/2, /*stream=*/0);
  for (int i = 0; i < 5000; ++i) {
    const auto n = static_cast<int>(1 + random.index(30));
    double sum = 0.0;
    Quad exact = 0;
    for (int k = 0; k < n; ++k) {
      const double term = random.uniform() * random.uniform();
      sum += term;
      exact += static_cast<Quad>(term);
    }
    ASSERT_TRUE(static_cast<Quad>(up(sum, n)) >= exact);
    ASSERT_TRUE(static_cast<Quad>(up(-sum, n)) >= -exact);
  }
}

TEST(Up, CoversTheErrorOfAProduct) {
  RandomStream random(/*seed=*/2, /*stream=*/1);
  for (int i = 0; i < 5000; ++i) {
    double product = 1.0;
    Quad exact = 1;
    for (int k = 0; k < 4; ++k) {
      const double factor = 0.5 + random.uniform();
      product *= factor;
      exact *= static_cast<Quad>(factor);
    }
    ASSERT_TRUE(static_cast<Quad>(up(product, 4.0)) >= exact);
    ASSERT_LE(up(product, 4.0), product * (1.0 + 16.0 * kUnit));
  }
}

TEST(Up, CoversUnderflow) {
  EXPECT_GT(up(0.0), 0.0);
  EXPECT_GT(up(-std::numeric_limits<double>::denorm_min()), 0.0);
}

TEST(Up, KeepsNanAndInfinity) {
  EXPECT_TRUE(std::isnan(up(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_EQ(up(kInfinity), kInfinity);
}

TEST(NormUpper, IsATightUpperBound) {
  RandomStream random(/*seed=*/2, /*stream=*/2);
  for (int i = 0; i < 5000; ++i) {
    const auto n = static_cast<Eigen::Index>(1 + random.index(40));
    const Eigen::VectorXd v = random_vector(random, n, i % 2 == 0 ? 0 : 60);
    expect_tight_upper_bound(v, norm_upper(v));
  }
}

TEST(NormUpperCoarse, LiesBetweenTheNormAndTheSumOfSizes) {
  RandomStream random(/*seed=*/2, /*stream=*/4);
  for (int i = 0; i < 2000; ++i) {
    const auto n = static_cast<Eigen::Index>(1 + random.index(40));
    const Eigen::VectorXd v = random_vector(random, n, i % 2 == 0 ? 0 : 60);
    Quad sum = 0;
    for (Eigen::Index k = 0; k < n; ++k) {
      sum += static_cast<Quad>(std::abs(v(k)));
    }
    const double bound = rounding::norm_upper_coarse(v);
    ASSERT_TRUE(static_cast<Quad>(bound) >= sum);
    ASSERT_LE(bound, static_cast<double>(sum) * (1.0 + 200.0 * kUnit));
  }
  EXPECT_FALSE(std::isfinite(rounding::norm_upper_coarse(Eigen::Vector2d(1.0, kInfinity))));
}

TEST(IsFinite, FindsEveryEntryThatIsNot) {
  for (const double bad : {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    for (Eigen::Index i = 0; i < 9; ++i) {
      Eigen::VectorXd v = Eigen::VectorXd::Constant(9, std::numeric_limits<double>::max());
      EXPECT_TRUE(rounding::is_finite(v));
      v(i) = bad;
      EXPECT_FALSE(rounding::is_finite(v));
    }
  }
}

TEST(NormUpper, NeitherOverflowsNorUnderflowsOnTheWay) {
  RandomStream random(/*seed=*/2, /*stream=*/3);
  for (const int exponent : {-1000, -600, 600, 1000}) {
    for (int i = 0; i < 200; ++i) {
      const Eigen::VectorXd v = random_vector(random, 8, 5) * std::ldexp(1.0, exponent);
      expect_tight_upper_bound(v, norm_upper(v), std::ldexp(1.0, -exponent));
    }
  }
}

TEST(NormUpper, BoundsSubnormalVectors) {
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_GE(norm_upper(Eigen::Vector2d(least, -least)), 2.0 * least);
}

TEST(NormUpper, OfAPythagoreanTripleIsItsHypotenuseBarelyExceeded) {
  const double bound = norm_upper(Eigen::Vector2d(3.0, -4.0));
  EXPECT_GE(bound, 5.0);
  EXPECT_LE(bound, 5.0 * (1.0 + 20.0 * kUnit));
}

TEST(NormUpper, OfNothingAndOfZeroIsZero) {
  EXPECT_EQ(norm_upper(Eigen::VectorXd(0)), 0.0);
  EXPECT_EQ(norm_upper(Eigen::Vector3d::Zero()), 0.0);
}

TEST(NormUpper, OfANonFiniteEntryIsNoFiniteNumber) {
  for (const double bad : {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_FALSE(std::isfinite(norm_upper(Eigen::Vector3d(1.0, bad, 2.0))));
  }
}

TEST(NormUpper, OfAVectorTooLongForADoubleIsInfinite) {
  const double largest = std::numeric_limits<double>::max();
  EXPECT_EQ(norm_upper(Eigen::Vector2d(largest, largest)), kInfinity);
}

}  // namespace
}  // namespace foothold::rounding
