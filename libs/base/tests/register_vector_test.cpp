#include "foothold/base/simd/register_vector.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "foothold/base/random_stream.hpp"

namespace foothold {
namespace {

template <typename Size>
class RegisterVectorOf : public ::testing::Test {
 protected:
  static constexpr int kSize = Size::value;

  Eigen::VectorXd draw() {
    Eigen::VectorXd v(kSize);
    for (double& entry : v) {
      entry = random_.normal();
    }
    return v;
  }
  // Sums of so many products, in any order and with or without fused operations.
  static double tolerance() { return 4.0 * kSize * std::numeric_limits<double>::epsilon(); }

 private:
  RandomStream random_{/*seed=*/7, /*stream=*/kSize};
};

using Sizes = ::testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 4>,
                               std::integral_constant<int, 8>>;
TYPED_TEST_SUITE(RegisterVectorOf, Sizes);

// Against plain loops. What does not fit the CPU's registers is a view, which must do the same.
TYPED_TEST(RegisterVectorOf, AChainIsWhatLoopsCompute) {
  constexpr int size = TestFixture::kSize;
  for (int trial = 0; trial < 50; ++trial) {
    Eigen::MatrixXd M(size, size);
    for (int j = 0; j < size; ++j) {
      M.col(j) = this->draw();
    }
    const Eigen::VectorXd x = this->draw();
    Eigen::VectorXd out = Eigen::VectorXd::Zero(size);
    const Link<size> first = link<size>(x);
    const Link<size> next = multiply_link<size>(M, first, x, out);
    double dot = 0.0;
    double square = 0.0;
    double sizes = 0.0;
    for (int i = 0; i < size; ++i) {
      double entry = 0.0;
      double scale = 0.0;
      for (int j = 0; j < size; ++j) {
        entry += M(i, j) * x(j);
        scale += std::abs(M(i, j) * x(j));
      }
      EXPECT_NEAR(out(i), entry, scale * this->tolerance());
      dot += out(i) * x(i);
      square += out(i) * out(i);
      sizes += std::abs(out(i));
    }
    EXPECT_NEAR(next.dot(first), dot, 10.0 * square * this->tolerance() + this->tolerance());
    EXPECT_NEAR(next.squaredNorm(), square, square * this->tolerance());
    EXPECT_NEAR(next.template lpNorm<1>(), sizes, sizes * this->tolerance());
    EXPECT_EQ(next.size(), size);
  }
}

TYPED_TEST(RegisterVectorOf, SingleEntriesAndMultiplesCanBeChanged) {
  constexpr int size = TestFixture::kSize;
  if constexpr (kFitsRegister<size>) {
    const Eigen::VectorXd x = this->draw();
    const Eigen::VectorXd y = this->draw();
    for (int i = 0; i < size; ++i) {
      RegisterVector<size> v(x.data());
      v.set(i, 3.5);
      v.add(-2.0, y.data());
      Eigen::VectorXd out(size);
      (v - RegisterVector<size>(y.data())).store(out.data());
      for (int k = 0; k < size; ++k) {
        EXPECT_EQ(out(k), ((k == i ? 3.5 : x(k)) + -2.0 * y(k)) - y(k));
      }
    }
  } else {
    EXPECT_GT(size, Eigen::internal::packet_traits<double>::size);
  }
}

}  // namespace
}  // namespace foothold
