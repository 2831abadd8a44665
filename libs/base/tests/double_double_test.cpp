#include "foothold/base/double_double.hpp"

#include <cmath>
#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

#include "foothold/base/random_stream.hpp"

namespace foothold {
namespace {

// Oracle: quadruple precision, 113 bits, in the compiler's software. It holds a product of two
// doubles, and a sum of two whose exponents differ by at most 60, exactly.
__extension__ using Quad = __float128;

constexpr double kUnit = 0x1p-53;
constexpr int kCases = 20'000;

Quad quad(DoubleDouble a) {
  return static_cast<Quad>(a.high) + static_cast<Quad>(a.low);
}

Quad magnitude(Quad a) {
  return a < 0 ? -a : a;
}

double random_double(RandomStream& random, int exponents) {
  const auto count = static_cast<std::uint64_t>(2 * exponents + 1);
  return std::ldexp(random.normal(), static_cast<int>(random.index(count)) - exponents);
}

// Normalised, with a low part that quadruple precision can hold beside the high one.
DoubleDouble random_pair(RandomStream& random, int exponents) {
  const double high = random_double(random, exponents);
  const double share = std::round(std::ldexp(random.uniform() - 0.5, 50)) * 0x1p-50;
  return fast_two_sum(high, std::ldexp(share, std::ilogb(high) - 52));
}

TEST(TwoSum, IsExact) {
  RandomStream random(/*seed=*/1, /*stream=*/0);
  for (int i = 0; i < kCases; ++i) {
    const double a = random_double(random, 20);
    const double b =
        i % 4 == 0 ? -a * (1.0 + random.uniform() * 0x1p-40) : random_double(random, 20);
    const DoubleDouble sum = two_sum(a, b);
    ASSERT_EQ(sum.high, a + b);
    ASSERT_TRUE(quad(sum) == static_cast<Quad>(a) + static_cast<Quad>(b)) << a << " + " << b;
  }
}

TEST(TwoSum, KeepsWhatRoundingLoses) {
  // 2⁵³ + 1 is no double.
  const DoubleDouble sum = two_sum(0x1p53, 1.0);
  EXPECT_EQ(sum.high, 0x1p53);
  EXPECT_EQ(sum.low, 1.0);
}

TEST(FastTwoSum, IsExactForTheLargerFirst) {
  RandomStream random(/*seed=*/1, /*stream=*/1);
  for (int i = 0; i < kCases; ++i) {
    double a = random_double(random, 20);
    double b = random_double(random, 20);
    if (std::abs(a) < std::abs(b)) {
      std::swap(a, b);
    }
    ASSERT_TRUE(quad(fast_two_sum(a, b)) == static_cast<Quad>(a) + static_cast<Quad>(b));
  }
}

TEST(TwoProduct, IsExact) {
  RandomStream random(/*seed=*/1, /*stream=*/2);
  for (int i = 0; i < kCases; ++i) {
    const double a = random_double(random, 200);
    const double b = random_double(random, 200);
    const DoubleDouble product = two_product(a, b);
    ASSERT_EQ(product.high, a * b);
    ASSERT_TRUE(quad(product) == static_cast<Quad>(a) * static_cast<Quad>(b)) << a << " * " << b;
  }
}

// Quadruple precision itself errs by u² / 2⁷ of the result; the bounds under test are ≥ 2u².
constexpr double kQuadUnit = kUnit * kUnit * 0x1p-6;

TEST(DoubleDouble, AddingANumberErrsByAtMostItsBound) {
  RandomStream random(/*seed=*/1, /*stream=*/3);
  for (int i = 0; i < kCases; ++i) {
    const DoubleDouble a = random_pair(random, 15);
    const double b =
        i % 2 == 0 ? random_double(random, 15) : -a.high * (1.0 + 0x1p-45 * random.normal());
    const Quad size = magnitude(quad(a)) + magnitude(b);
    const Quad error = magnitude(quad(a + b) - (quad(a) + static_cast<Quad>(b)));
    ASSERT_TRUE(error <= (2.0 * kUnit * kUnit + kQuadUnit) * size) << a.high << " + " << b;
  }
}

TEST(DoubleDouble, AddingPairsErrsByAtMostItsBound) {
  RandomStream random(/*seed=*/1, /*stream=*/4);
  for (int i = 0; i < kCases; ++i) {
    const DoubleDouble a = random_pair(random, 15);
    const DoubleDouble b =
        i % 2 == 0 ? random_pair(random, 15) : -(a * (1.0 + 0x1p-45 * random.normal()));
    const Quad size = magnitude(quad(a)) + magnitude(quad(b));
    const Quad error = magnitude(quad(a + b) - (quad(a) + quad(b)));
    ASSERT_TRUE(error <= (4.0 * kUnit * kUnit + kQuadUnit) * size) << a.high << " + " << b.high;
  }
}

TEST(DoubleDouble, MultiplyingErrsByAtMostItsBound) {
  RandomStream random(/*seed=*/1, /*stream=*/5);
  for (int i = 0; i < kCases; ++i) {
    const DoubleDouble a = random_pair(random, 100);
    const double b = random_double(random, 100);
    const Quad exact = quad(a) * static_cast<Quad>(b);
    const Quad error = magnitude(quad(a * b) - exact);
    ASSERT_TRUE(error <= (4.0 * kUnit * kUnit + kQuadUnit) * magnitude(exact));
  }
}

TEST(DoubleDouble, ResultsAreNormalised) {
  RandomStream random(/*seed=*/1, /*stream=*/6);
  for (int i = 0; i < kCases; ++i) {
    const DoubleDouble a = random_pair(random, 15);
    const DoubleDouble b = random_pair(random, 15);
    for (const DoubleDouble result : {a + b, a + b.high, a * b.high}) {
      ASSERT_LE(std::abs(result.low), kUnit * std::abs(result.high));
    }
  }
}

TEST(DoubleDouble, AGeometricSumKeepsAHundredBits) {
  // Σ 2⁻ᵏ over k = 0 … 99 is 2 − 2⁻⁹⁹: 100 bits, which a pair holds and a double does not.
  DoubleDouble sum;
  for (int k = 99; k >= 0; --k) {
    sum = sum + std::ldexp(1.0, -k);
  }
  EXPECT_EQ(sum.high, 2.0);
  EXPECT_EQ(sum.low, -0x1p-99);
}

TEST(DoubleDouble, NegationIsExactAndTheValueIsTheRoundedSum) {
  const DoubleDouble a{1.0, 0x1p-60};
  EXPECT_EQ((-a).high, -1.0);
  EXPECT_EQ((-a).low, -0x1p-60);
  EXPECT_EQ(a.value(), 1.0);
}

}  // namespace
}  // namespace foothold
