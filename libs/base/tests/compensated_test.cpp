#include "foothold/base/simd/compensated.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "foothold/base/random_stream.hpp"

namespace foothold {
namespace {

// 113 bits: the oracle's own error is far below the bounds at hand.
using Quad = __float128;

constexpr double kOracleUnit = 0x1p-112;

// Entries of very different sizes, so that partial sums cancel.
Eigen::MatrixXd random_matrix(RandomStream& random, Eigen::Index rows, Eigen::Index cols) {
  return Eigen::MatrixXd::NullaryExpr(rows, cols, [&] {
    return random.normal() * std::ldexp(1.0, static_cast<int>(random.index(40)) - 20);
  });
}

Quad absolute_value(Quad value) {
  return value < 0 ? -value : value;
}

class Compensated : public ::testing::TestWithParam<Eigen::Index> {};

TEST_P(Compensated, ProductErrsByNoMoreThanItSays) {
  const Eigen::Index d = GetParam();
  RandomStream random(/*seed=*/5, /*stream=*/0);
  for (int repetition = 0; repetition < 50; ++repetition) {
    const bool has_low = repetition % 2 == 0;
    const Eigen::MatrixXd M = random_matrix(random, d, d);
    const Eigen::MatrixXd M_low =
        M.unaryExpr([&](double entry) { return entry * 0x1p-53 * (2.0 * random.uniform() - 1.0); });
    const Eigen::VectorXd x = random_matrix(random, d, 1);
    Eigen::VectorXd high = random_matrix(random, d, 1);
    // Nearly −Mx, as in a residual: what is left is far smaller than its parts.
    if (repetition % 3 == 0) {
      high = -(M * x);
    }
    Eigen::VectorXd low = high * 0x1p-54;
    const Eigen::VectorXd high_before = high;
    const Eigen::VectorXd low_before = low;
    with_fixed_dim(repetition % 5 == 0 ? 0 : d, [&](auto fixed) {
      if (has_low) {
        add_product<fixed.value>(M, M_low, x, high, low);
      } else {
        add_product<fixed.value>(M, x, high, low);
      }
    });
    for (Eigen::Index i = 0; i < d; ++i) {
      Quad exact = static_cast<Quad>(high_before(i)) + static_cast<Quad>(low_before(i));
      Quad sizes = absolute_value(high_before(i));
      for (Eigen::Index j = 0; j < d; ++j) {
        const Quad entry =
            static_cast<Quad>(M(i, j)) + (has_low ? static_cast<Quad>(M_low(i, j)) : Quad{0});
        exact += entry * static_cast<Quad>(x(j));
        sizes += absolute_value(static_cast<Quad>(M(i, j)) * static_cast<Quad>(x(j)));
      }
      const Quad error =
          absolute_value(static_cast<Quad>(high(i)) + static_cast<Quad>(low(i)) - exact);
      const auto terms = static_cast<double>(d);
      EXPECT_LE(static_cast<double>(error),
                (compensated_error(d) + 2.0 * terms * kOracleUnit) * static_cast<double>(sizes) +
                    (2.0 * terms + 2.0) * rounding::kUnit * std::abs(low_before(i)));
    }
  }
}

TEST_P(Compensated, DotErrsByNoMoreThanItSays) {
  const Eigen::Index d = GetParam();
  RandomStream random(/*seed=*/5, /*stream=*/1);
  for (int repetition = 0; repetition < 200; ++repetition) {
    const Eigen::VectorXd x = random_matrix(random, d, 1);
    const Eigen::VectorXd y = random_matrix(random, d, 1);
    Quad exact = 0;
    Quad sizes = 0;
    for (Eigen::Index i = 0; i < d; ++i) {
      const Quad product = static_cast<Quad>(x(i)) * static_cast<Quad>(y(i));
      exact += product;
      sizes += absolute_value(product);
    }
    const DoubleDouble sum = with_fixed_dim(repetition % 5 == 0 ? 0 : d, [&](auto fixed) {
      return compensated_dot<fixed.value>(x, y);
    });
    const Quad error =
        absolute_value(static_cast<Quad>(sum.high) + static_cast<Quad>(sum.low) - exact);
    EXPECT_LE(static_cast<double>(error),
              (compensated_error(d) + 2.0 * static_cast<double>(d) * kOracleUnit) *
                  static_cast<double>(sizes));
  }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, Compensated,
                         ::testing::Values(1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 64));

TEST(CompensatedDot, KeepsWhatAPlainSumLoses) {
  // (2⁶⁰ + 1)·1 − 2⁶⁰·1 in parts: a plain sum gives 0.
  const Eigen::Vector3d x(0x1p60, 1.0, -0x1p60);
  EXPECT_EQ(compensated_dot(x, Eigen::Vector3d::Ones()).value(), 1.0);
}

TEST(CompensatedDot, OfNothingIsZero) {
  EXPECT_EQ(compensated_dot(Eigen::VectorXd(0), Eigen::VectorXd(0)).value(), 0.0);
}

}  // namespace
}  // namespace foothold
