
#include <Eigen/Core>
#include <gtest/gtest.h>

#include "foothold/base/infinity.hpp"
#include "foothold/geometry/arms.hpp"
#include "foothold/geometry/ball.hpp"
#include "foothold/geometry/box.hpp"

#include "expect_error.hpp"

namespace foothold::geometry {
namespace {

using testing::expect_invalid;

TEST(Box, KeepsItsBounds) {
  const Box box(Eigen::Vector2d(-1.0, 2.0), Eigen::Vector2d(0.0, 3.0));
  EXPECT_EQ(box.dim(), 2);
  EXPECT_EQ(box.lower(), Eigen::Vector2d(-1.0, 2.0));
  EXPECT_EQ(box.upper(), Eigen::Vector2d(0.0, 3.0));
}

TEST(Box, SymmetricIsCentredAtTheOrigin) {
  const Box box = Box::symmetric(3, 0.5);
  EXPECT_EQ(box.lower(), Eigen::Vector3d::Constant(-0.5));
  EXPECT_EQ(box.upper(), Eigen::Vector3d::Constant(0.5));
}

TEST(Box, RejectsMalformedBoundsByName) {
  const Eigen::Vector2d zero = Eigen::Vector2d::Zero();
  const Eigen::Vector2d one = Eigen::Vector2d::Ones();
  expect_invalid([&] { Box(Eigen::VectorXd(0), Eigen::VectorXd(0)); }, "lower", "at least one");
  expect_invalid([&] { Box(zero, Eigen::Vector3d::Ones()); }, "upper", "size 2, got 3");
  expect_invalid([&] { Box(Eigen::Vector2d(kNaN, 0.0), one); }, "lower", "finite");
  expect_invalid([&] { Box(Eigen::Vector2d(-kInfinity, 0.0), one); }, "lower", "finite");
  expect_invalid([&] { Box(zero, Eigen::Vector2d(1.0, kNaN)); }, "upper", "finite");
  expect_invalid([&] { Box(zero, Eigen::Vector2d(1.0, 0.0)); }, "upper", "coordinate 1");
  expect_invalid([&] { Box(one, zero); }, "upper", "got 0 and lower 1");
  expect_invalid([&] { static_cast<void>(Box::symmetric(0, 1.0)); }, "dim", "got 0");
  expect_invalid([&] { static_cast<void>(Box::symmetric(2, 0.0)); }, "half_width", "got 0");
  expect_invalid([&] { static_cast<void>(Box::symmetric(2, kNaN)); }, "half_width", "nan");
}

TEST(Ball, RejectsMalformedArgumentsByName) {
  expect_invalid([] { Ball(0, 1.0); }, "dim", "at least 1, got 0");
  expect_invalid([] { Ball(-2, 1.0); }, "dim", "got -2");
  expect_invalid([] { Ball(2, 0.0); }, "radius", "got 0");
  expect_invalid([] { Ball(2, -1.0); }, "radius", "got -1");
  expect_invalid([] { Ball(2, kInfinity); }, "radius", "got inf");
  expect_invalid([] { Ball(2, kNaN); }, "radius", "got nan");
}

TEST(Arms, RejectMalformedFeaturesByName) {
  expect_invalid([] { Arms(Eigen::MatrixXd(0, 3)); }, "features", "got 0 x 3");
  expect_invalid([] { Arms(Eigen::MatrixXd(3, 0)); }, "features", "got 3 x 0");
  expect_invalid([] { Arms(Eigen::MatrixXd::Constant(2, 2, kNaN)); }, "features", "finite");
  expect_invalid([] { Arms(Eigen::MatrixXd::Constant(2, 2, kInfinity)); }, "features", "finite");
}

TEST(Arms, MayBeDuplicates) {
  const Arms arms(Eigen::MatrixXd::Ones(3, 2));
  EXPECT_EQ(arms.count(), 3);
  EXPECT_EQ(arms.dim(), 2);
}

TEST(Arms, AreFoundByTheirEntries) {
  Eigen::MatrixXd features(300, 2);
  for (Eigen::Index i = 0; i < features.rows(); ++i) {
    features.row(i) << static_cast<double>(i % 100), 0.0;  // every arm three times
  }
  features(7, 1) = -0.0;
  const Arms arms(features);
  for (Eigen::Index i = 0; i < features.rows(); ++i) {
    const Eigen::VectorXd x = features.row(i).transpose();
    EXPECT_EQ(arms.find(x), i % 100) << "the first of equal rows";
    EXPECT_EQ(arms.find(x + Eigen::Vector2d(0.0, 1e-300)), -1);
    EXPECT_EQ(arms.find(x.reverse()), i % 100 == 0 ? 0 : -1);
  }
  EXPECT_EQ(arms.find(Eigen::Vector2d(100.0, 0.0)), -1);
  EXPECT_EQ(arms.find(Eigen::Vector2d(kNaN, 0.0)), -1);
}

TEST(Arms, ShareTheirRowsWithTheirCopies) {
  const Arms arms(Eigen::MatrixXd::Ones(3, 2));
  const Arms copy =
      arms;  // NOLINT(performance-unnecessary-copy-initialization): the copy is the point
  EXPECT_EQ(copy.features().data(), arms.features().data());
}

TEST(ContextualArms, RejectAnEmptyDimension) {
  expect_invalid([] { ContextualArms(0); }, "dim", "at least 1, got 0");
}

}  // namespace
}  // namespace foothold::geometry
