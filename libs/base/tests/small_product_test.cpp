#include "foothold/base/simd/small_product.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "foothold/base/random_stream.hpp"
#include "foothold/base/rounding.hpp"

namespace foothold {
namespace {

// Any order of d products and sums errs by at most γ_d of the sum of their sizes; one unit more for
// the rounding of that sum.
TEST(SmallProduct, ErrsByNoMoreThanRoundingInEveryDimension) {
  RandomStream random(/*seed=*/6, /*stream=*/0);
  for (Eigen::Index d = 1; d <= 40; ++d) {
    const Eigen::MatrixXd M = Eigen::MatrixXd::NullaryExpr(d, d, [&] { return random.normal(); });
    const Eigen::VectorXd x = Eigen::VectorXd::NullaryExpr(d, [&] { return random.normal(); });
    Eigen::VectorXd out = Eigen::VectorXd::Constant(d, 1e300);
    multiply(M, x, out);
    for (Eigen::Index i = 0; i < d; ++i) {
      __float128 exact = 0;
      double size = 0.0;
      for (Eigen::Index j = 0; j < d; ++j) {
        exact += static_cast<__float128>(M(i, j)) * x(j);
        size += std::abs(M(i, j) * x(j));
      }
      const auto error = static_cast<double>(static_cast<__float128>(out(i)) - exact);
      EXPECT_LE(std::abs(error), rounding::gamma(static_cast<double>(d) + 1.0) * size);
    }
  }
}

}  // namespace
}  // namespace foothold
