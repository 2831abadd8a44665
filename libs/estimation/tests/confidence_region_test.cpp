#include "foothold/estimation/confidence_region.hpp"

#include <cmath>
#include <string>
#include <tuple>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include "foothold/geometry/sampling.hpp"

#include "dataset.hpp"

namespace foothold::estimation {
namespace {

constexpr double kTolerance = 1e-10;

class Region : public ::testing::TestWithParam<std::tuple<int, RootForm>> {
 protected:
  Region()
      : dim_(std::get<0>(GetParam())),
        root_(std::get<1>(GetParam())),
        estimate_(testing::estimate_from(testing::random_dataset(40, dim_, /*stream=*/20),
                                         {.noise_scale = 0.5, .ridge = 0.25})),
        region_(dim_) {
    region_.update(estimate_, RadiusForm::Mixture, root_);
  }

  // A summed directly: λI + XᵀX.
  [[nodiscard]] Eigen::MatrixXd gram() const {
    const Eigen::MatrixXd X = testing::random_dataset(40, dim_, /*stream=*/20).actions;
    return 0.25 * Eigen::MatrixXd::Identity(dim_, dim_) + X.transpose() * X;
  }

  Eigen::Index dim_;
  RootForm root_;
  RidgeEstimate estimate_;
  ConfidenceRegion region_;
};

TEST_P(Region, TakesOverTheStateOfTheEstimate) {
  EXPECT_TRUE(region_.is_usable());
  EXPECT_EQ(region_.mu_hat(), estimate_.mu_hat());
  EXPECT_EQ(region_.radius(), estimate_.radius(RadiusForm::Mixture));
  EXPECT_DOUBLE_EQ(region_.l1_radius(), std::sqrt(static_cast<double>(dim_)) * region_.radius());
}

TEST_P(Region, RootIsARootOfTheInverse) {
  // H⁻¹H⁻ᵀ = (HᵀH)⁻¹ = A⁻¹, hence H⁻¹H⁻ᵀA = I.
  const Eigen::MatrixXd& R = region_.root_inverse();
  const Eigen::MatrixXd product = R * R.transpose() * gram();
  EXPECT_LE((product - Eigen::MatrixXd::Identity(dim_, dim_)).norm(), kTolerance);
}

TEST_P(Region, FactorInverseGivesTheDualNorm) {
  const Eigen::VectorXd z = Eigen::VectorXd::LinSpaced(dim_, -1.0, 2.0);
  const double expected = std::sqrt(z.dot(gram().fullPivLu().solve(z)));
  EXPECT_NEAR((region_.factor_inverse() * z).norm(), expected, kTolerance * expected);
}

TEST_P(Region, VerticesLieOnTheBorderInTheNormOfTheRoot) {
  const Eigen::MatrixXd H = region_.root_inverse().inverse();
  Eigen::VectorXd v(dim_);
  for (Eigen::Index k = 0; k < 2 * dim_; ++k) {
    region_.vertex(k, v);
    const Eigen::VectorXd image = H * (v - region_.mu_hat());
    EXPECT_NEAR(image.lpNorm<1>(), region_.l1_radius(), kTolerance * region_.l1_radius());
    // The vertex is ±√dβ times axis k/2.
    EXPECT_NEAR(image(k / 2), (k % 2 == 0 ? 1.0 : -1.0) * region_.l1_radius(),
                kTolerance * region_.l1_radius());
  }
}

TEST_P(Region, VerticesLieOnOrBeyondTheEllipsoid) {
  // ‖v − μ̂‖_A = ‖H(v − μ̂)‖₂ = √dβ at every vertex.
  const Eigen::MatrixXd A = gram();
  Eigen::VectorXd v(dim_);
  for (Eigen::Index k = 0; k < 2 * dim_; ++k) {
    region_.vertex(k, v);
    const Eigen::VectorXd step = v - region_.mu_hat();
    const double norm = std::sqrt(step.dot(A * step));
    EXPECT_NEAR(norm, region_.l1_radius(), kTolerance * norm);
  }
}

TEST_P(Region, TheEllipsoidLiesInTheL1Region) {
  // Points on the border of C: μ̂ + βG⁻ᵀw with A = GGᵀ and ‖w‖ = 1.
  const Eigen::LLT<Eigen::MatrixXd> factor(gram());
  const Eigen::MatrixXd H = region_.root_inverse().inverse();
  RandomStream random(/*seed=*/21, /*stream=*/0);
  Eigen::VectorXd w(dim_);
  for (int i = 0; i < 500; ++i) {
    geometry::sample_sphere(random, w);
    const Eigen::VectorXd step = region_.radius() * factor.matrixU().solve(w);
    EXPECT_LE((H * step).lpNorm<1>(), region_.l1_radius() * (1.0 + kTolerance));
    EXPECT_TRUE(estimate_.region_contains(region_.mu_hat() + 0.999 * step, region_.radius()));
    EXPECT_FALSE(estimate_.region_contains(region_.mu_hat() + 1.001 * step, region_.radius()));
  }
}

INSTANTIATE_TEST_SUITE_P(DimensionsAndRoots, Region,
                         ::testing::Combine(::testing::Values(1, 2, 3, 8),
                                            ::testing::Values(RootForm::Symmetric,
                                                              RootForm::Cholesky)));

TEST(ConfidenceRegion, SymmetricRootAgreesWithTheMatrixFunction) {
  for (const Eigen::Index d : {1, 2, 5, 20}) {
    const RidgeEstimate estimate =
        testing::estimate_from(testing::random_dataset(30, d, /*stream=*/22), {.ridge = 0.1});
    ConfidenceRegion region(d);
    region.update(estimate, RadiusForm::Paper, RootForm::Symmetric);
    // A^{-1/2} is the one symmetric positive definite G with GAG = I.
    const Eigen::MatrixXd& G = region.root_inverse();
    const Eigen::MatrixXd& A = estimate.gram().matrix();
    EXPECT_LE((G * A * G - Eigen::MatrixXd::Identity(d, d)).norm(), kTolerance);
    EXPECT_LE((G - G.transpose()).norm(), kTolerance);
    EXPECT_EQ(G.llt().info(), Eigen::Success);
  }
}

TEST(ConfidenceRegion, OfNoDataIsABallAroundTheOrigin) {
  // A = 4I: H⁻¹ = I/2, so the vertices are ±√2β/2 along the axes.
  const RidgeEstimate estimate(2, {.action_bound = 1.0, .ridge = 4.0});
  for (const RootForm root : {RootForm::Symmetric, RootForm::Cholesky}) {
    ConfidenceRegion region(2);
    region.update(estimate, RadiusForm::LogDet, root);
    EXPECT_LE((region.root_inverse() - 0.5 * Eigen::Matrix2d::Identity()).norm(), 1e-15);
    Eigen::VectorXd v(2);
    region.vertex(3, v);
    EXPECT_DOUBLE_EQ(v(1), -std::sqrt(2.0) * region.radius() / 2.0);
    EXPECT_DOUBLE_EQ(v(0), 0.0);
  }
}

TEST(ConfidenceRegion, IsNotUsableBeforeItsFirstState) {
  EXPECT_FALSE(ConfidenceRegion(2).is_usable());
}

TEST(ConfidenceRegion, IsNotUsableIfTheRadiusIsBeyondAllBounds) {
  // ‖x‖²/λ = 1e600: the logarithm of the determinant is not finite, so neither is the radius.
  RidgeEstimate estimate(2, {.action_bound = 1e150, .ridge = 1e-300});
  ConfidenceRegion region(2);
  region.update(estimate, RadiusForm::Mixture, RootForm::Cholesky);
  EXPECT_TRUE(region.is_usable());
  estimate.observe(Eigen::Vector2d(0.9e150, 0.0), 1.0);
  region.update(estimate, RadiusForm::Mixture, RootForm::Cholesky);
  EXPECT_FALSE(region.is_usable());
}

}  // namespace
}  // namespace foothold::estimation
