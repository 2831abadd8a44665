#include "foothold/base/digest.hpp"

#include <set>

#include <gtest/gtest.h>

namespace foothold {
namespace {

std::uint64_t digest_of(const Eigen::MatrixXd& matrix) {
  Digest digest;
  digest.add(matrix);
  return digest.value();
}

// Entries with few digits in binary differ in few bits: 5⁶ such vectors among 2⁶⁴ values have a
// chance of 7e-12 to collide if the values are as good as random.
TEST(Digest, TellsSimpleVectorsApart) {
  std::set<std::uint64_t> values;
  int count = 0;
  Eigen::VectorXd x(6);
  for (int code = 0; code < 15'625; ++code) {
    int rest = code;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      x(i) = 0.5 * static_cast<double>(rest % 5 - 2);
      rest /= 5;
    }
    values.insert(digest_of(x));
    ++count;
  }
  EXPECT_EQ(values.size(), static_cast<std::size_t>(count));
}

TEST(Digest, DependsOnTheShapeAndOnTheOrder) {
  const Eigen::Vector4d x(1.0, 2.0, 3.0, 4.0);
  EXPECT_NE(digest_of(x), digest_of(x.transpose()));
  EXPECT_NE(digest_of(x), digest_of(x.reshaped(2, 2)));
  EXPECT_NE(digest_of(x), digest_of(x.reverse()));
  EXPECT_NE(digest_of(x), digest_of(Eigen::Vector4d(2.0, 1.0, 3.0, 4.0)));
  EXPECT_NE(digest_of(x), digest_of(x.head<3>()));
  EXPECT_NE(digest_of(Eigen::VectorXd::Zero(2)), digest_of(Eigen::VectorXd::Zero(3)));
}

TEST(Digest, DoesNotDependOnWhereAMatrixLies) {
  Eigen::MatrixXd frame = Eigen::MatrixXd::Constant(5, 4, 7.0);
  const Eigen::Matrix2d inner{{1.0, -2.0}, {0.25, 1e300}};
  frame.block(1, 1, 2, 2) = inner;
  Digest digest;
  digest.add(frame.block(1, 1, 2, 2));
  EXPECT_EQ(digest.value(), digest_of(inner));
}

TEST(Digest, GoesOnFromItsValue) {
  Digest whole;
  whole.add(Eigen::Vector2d(1.0, 2.0));
  Digest rest(whole.value());
  whole.add(3.0);
  rest.add(3.0);
  EXPECT_EQ(whole.value(), rest.value());
}

}  // namespace
}  // namespace foothold
