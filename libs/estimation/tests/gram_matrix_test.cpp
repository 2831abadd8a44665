#include "foothold/estimation/gram_matrix.hpp"

#include <cmath>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <gtest/gtest.h>

#include "foothold/base/byte_stream.hpp"
#include "foothold/base/error.hpp"
#include "foothold/base/random_stream.hpp"

namespace foothold::estimation {
namespace {

// Oracle: quadruple precision with its 113 bits. A product of doubles has 106, so a sum of n
// of them errs by at most n·2⁻¹¹³ relative to the largest entry.
__extension__ using Quad = __float128;

std::vector<Eigen::VectorXd> random_actions(Eigen::Index dim, int count, std::uint64_t stream) {
  RandomStream random(/*seed=*/31, stream);
  std::vector<Eigen::VectorXd> actions;
  for (int n = 0; n < count; ++n) {
    actions.emplace_back(Eigen::VectorXd::NullaryExpr(dim, [&] { return random.normal(); }));
  }
  return actions;
}

GramMatrix gram_of(Eigen::Index dim, double ridge, const std::vector<Eigen::VectorXd>& actions) {
  GramMatrix gram(dim, ridge);
  for (const Eigen::VectorXd& x : actions) {
    gram.update(x);
  }
  return gram;
}

double largest(const Eigen::MatrixXd& matrix) {
  return matrix.cwiseAbs().maxCoeff();
}

TEST(GramMatrix, StartsAsTheRidgeTimesTheIdentity) {
  const GramMatrix gram(3, 4.0);
  EXPECT_EQ(gram.matrix(), 4.0 * Eigen::Matrix3d::Identity());
  EXPECT_EQ(gram.matrix_low(), Eigen::Matrix3d::Zero());
  EXPECT_EQ(gram.factor(), 2.0 * Eigen::Matrix3d::Identity());
  EXPECT_EQ(gram.representation_error(), 0.0);
  EXPECT_TRUE(gram.is_usable());
}

TEST(GramMatrix, HoldsTheSumInDoubledPrecisionWithinItsOwnErrorBound) {
  constexpr Eigen::Index kDim = 4;
  const auto actions = random_actions(kDim, /*count=*/5'000, /*stream=*/0);
  const GramMatrix gram = gram_of(kDim, 0.1, actions);
  for (Eigen::Index i = 0; i < kDim; ++i) {
    for (Eigen::Index j = 0; j < kDim; ++j) {
      Quad sum = i == j ? Quad(0.1) : Quad(0);
      for (const Eigen::VectorXd& x : actions) {
        sum += static_cast<Quad>(x(i)) * static_cast<Quad>(x(j));
      }
      const Quad held =
          static_cast<Quad>(gram.matrix()(i, j)) + static_cast<Quad>(gram.matrix_low()(i, j));
      const double error = std::abs(static_cast<double>(held - sum));
      const double oracle_error = 5'000 * 0x1p-112 * largest(gram.matrix());
      EXPECT_LE(error, gram.representation_error() + oracle_error);
      EXPECT_LE(std::abs(gram.matrix_low()(i, j)), 0x1p-52 * std::abs(gram.matrix()(i, j)));
    }
  }
  // About n·2⁻¹⁰³ of the largest entry: nothing a double could show.
  EXPECT_LE(gram.representation_error(), 5'000 * 0x1p-102 * largest(gram.matrix()));
  EXPECT_EQ(gram.updates(), 5'000.0);
}

TEST(GramMatrix, IsExactlySymmetric) {
  const GramMatrix gram = gram_of(5, 0.3, random_actions(5, 200, 1));
  EXPECT_EQ(gram.matrix(), gram.matrix().transpose());
  EXPECT_EQ(gram.matrix_low(), gram.matrix_low().transpose());
}

class GramMatrixFactor : public ::testing::TestWithParam<int> {};

TEST_P(GramMatrixFactor, AgreesWithACholeskyFactorisationOfTheSum) {
  const Eigen::Index d = GetParam();
  const GramMatrix gram = gram_of(d, 0.5, random_actions(d, 300, 2));
  const Eigen::MatrixXd expected = Eigen::LLT<Eigen::MatrixXd>(gram.matrix()).matrixL();
  EXPECT_LE(largest(gram.factor() - expected), 1e-12 * largest(expected));
  EXPECT_EQ(largest(gram.factor().triangularView<Eigen::StrictlyUpper>().toDenseMatrix()), 0.0);
  EXPECT_GT(gram.factor().diagonal().minCoeff(), 0.0);
}

TEST_P(GramMatrixFactor, IsTheSameWhenComputedAnew) {
  const Eigen::Index d = GetParam();
  GramMatrix gram = gram_of(d, 0.5, random_actions(d, 300, 3));
  const Eigen::MatrixXd updated = gram.factor();
  EXPECT_TRUE(gram.refactor());
  EXPECT_TRUE(gram.is_usable());
  EXPECT_LE(largest(gram.factor() - updated), 1e-12 * largest(updated));
}

TEST_P(GramMatrixFactor, HasAnInverseThatIsUpdatedWithIt) {
  // 127 updates since the inverse was last computed from the factor, and one.
  for (const int count : {255, 257}) {
    const Eigen::Index d = GetParam();
    const GramMatrix gram = gram_of(d, 0.5, random_actions(d, count, 6));
    const Eigen::MatrixXd L = Eigen::LLT<Eigen::MatrixXd>(gram.matrix()).matrixL();
    const Eigen::MatrixXd expected = L.transpose().fullPivLu().inverse();
    EXPECT_LE(largest(gram.root_inverse() - expected), 1e-12 * largest(expected));
    EXPECT_EQ(largest(gram.root_inverse().triangularView<Eigen::StrictlyLower>().toDenseMatrix()),
              0.0);
  }
}

// Oracle: the inverses before and after in long double, 11 bits more. Ridges from far below the
// actions, where the first of them multiply the determinant by 1e9, to far above.
TEST_P(GramMatrixFactor, SaysWhatItsInverseLost) {
  using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const Eigen::Index d = GetParam();
  for (const double ridge : {1e-6, 0.5, 1e4}) {
    SCOPED_TRACE(ridge);
    GramMatrix gram(d, ridge);
    EXPECT_FALSE(gram.has_rotated());
    int rotations = 0;
    for (const Eigen::VectorXd& x : random_actions(d, 300, 7)) {
      const LongMatrix before = gram.root_inverse().cast<long double>();
      gram.update(x);
      if (!gram.has_rotated()) {
        continue;
      }
      ++rotations;
      EXPECT_EQ(gram.added(), x);
      const LongMatrix after = gram.root_inverse().cast<long double>();
      const LongMatrix v = gram.removed().cast<long double>();
      const LongMatrix G = before * before.transpose();
      const LongMatrix error = after * after.transpose() - (G - v * v.transpose());
      EXPECT_LE(static_cast<double>(error.norm()),
                gram.rotation_share() * static_cast<double>(G.trace()));
    }
    EXPECT_GE(rotations, 297 - 30);  // not the first nor every 128th, nor where F⁻¹ is not trusted
  }
}

// Beyond tr(A)tr(A⁻¹) = 1e10 the rotations are found in another way. Oracle: A itself, which the
// factor must reproduce to some n·d roundings for every condition.
TEST_P(GramMatrixFactor, IsAsGoodWhereTheInverseIsNotTrusted) {
  const Eigen::Index d = GetParam();
  for (const double ridge : {1e-14, 1e-9, 1e-6}) {
    SCOPED_TRACE(ridge);
    GramMatrix gram(d, ridge);
    for (const Eigen::VectorXd& x : random_actions(d, 200, 8)) {
      gram.update(x);
      const Eigen::MatrixXd product = gram.factor() * gram.factor().transpose();
      EXPECT_LE(largest(product - gram.matrix()),
                200.0 * static_cast<double>(d) * 0x1p-53 * largest(gram.matrix()));
    }
    EXPECT_TRUE(gram.is_usable());
  }
}

TEST_P(GramMatrixFactor, GoesOnBitForBitFromASnapshot) {
  const Eigen::Index d = GetParam();
  const auto actions = random_actions(d, 60, 5);
  for (const std::ptrdiff_t known : {0, 1, 17, 30, 41}) {
    GramMatrix original = gram_of(d, 0.7, {actions.begin(), actions.begin() + known});
    ByteWriter out;
    original.save(out);
    const Bytes bytes = out.sealed();
    GramMatrix restored(d, 0.7);
    ByteReader in(bytes);
    restored.load(in);
    in.finish();
    for (auto x = actions.begin() + known; x != actions.end(); ++x) {
      EXPECT_EQ(restored.trace(), original.trace());
      EXPECT_EQ(restored.inverse_trace(), original.inverse_trace());
      EXPECT_EQ(restored.largest(), original.largest());
      EXPECT_EQ(restored.product_error(), original.product_error());
      original.update(*x);
      restored.update(*x);
    }
    EXPECT_EQ(restored.matrix(), original.matrix());
    EXPECT_EQ(restored.matrix_low(), original.matrix_low());
    EXPECT_EQ(restored.factor(), original.factor());
    EXPECT_EQ(restored.root_inverse(), original.root_inverse());
    EXPECT_EQ(restored.updates(), original.updates());
    EXPECT_EQ(restored.is_usable(), original.is_usable());
  }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, GramMatrixFactor,
                         ::testing::Values(1, 2, 4, 5, 8, 12, 16, 33));

TEST(GramMatrix, KeepsAFactorOfAllUpdatesOverManyRounds) {
  // ‖A − FFᵀ‖ ≲ n·u‖A‖ for n orthogonal transformations.
  const GramMatrix gram = gram_of(3, 1e-3, random_actions(3, 20'000, 4));
  const Eigen::MatrixXd product = gram.factor() * gram.factor().transpose();
  EXPECT_LE(largest(product - gram.matrix()), 20'000 * 0x1p-53 * largest(gram.matrix()));
}

TEST(GramMatrix, KeepsItsFactorIfItIsNotPositiveDefiniteInFloatingPoint) {
  // (1, 1)(1, 1)ᵀ + 1e-20·I is singular to working precision; the updated factor is not.
  GramMatrix gram(2, 1e-20);
  gram.update(Eigen::Vector2d(1.0, 1.0));
  const Eigen::MatrixXd updated = gram.factor();
  EXPECT_FALSE(gram.refactor());
  EXPECT_TRUE(gram.is_usable());
  EXPECT_EQ(gram.factor(), updated);
}

TEST(GramMatrix, TakesAFreshFactorOnceItIsPositiveDefinite) {
  GramMatrix gram(2, 1e-20);
  gram.update(Eigen::Vector2d(1.0, 1.0));
  EXPECT_FALSE(gram.refactor());
  gram.update(Eigen::Vector2d(1.0, -1.0));
  EXPECT_TRUE(gram.refactor());
  EXPECT_TRUE(gram.is_usable());
}

TEST(GramMatrix, IsNotUsableAfterAnOverflow) {
  GramMatrix gram(2, 1.0);
  gram.update(Eigen::Vector2d(1e200, 1.0));
  EXPECT_FALSE(gram.is_usable());
}

TEST(GramMatrix, RefusesASnapshotOfAnotherDimension) {
  ByteWriter out;
  GramMatrix(3, 1.0).save(out);
  const Bytes bytes = out.sealed();
  GramMatrix other(2, 1.0);
  ByteReader in(bytes);
  EXPECT_THROW(other.load(in), Error);
}

}  // namespace
}  // namespace foothold::estimation
