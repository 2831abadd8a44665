#include "screen/factor_fidelity.hpp"

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "random_program.hpp"

namespace foothold::arms {
namespace {

estimation::RidgeEstimate random_estimate(RandomStream& random, Eigen::Index d, int observations) {
  estimation::RidgeEstimate estimate(
      d, {.noise_scale = 0.1, .norm_bound = 1.0, .action_bound = 1.0, .ridge = 0.01});
  for (int n = 0; n < observations; ++n) {
    estimate.observe(testing::normal_vector(random, d).normalized(), random.normal());
  }
  return estimate;
}

estimation::ConfidenceRegion region_of(const estimation::RidgeEstimate& estimate) {
  estimation::ConfidenceRegion region(estimate.dim());
  region.update(estimate, estimation::RadiusForm::Mixture, estimation::RootForm::Cholesky);
  return region;
}

// Oracle: the eigenvalues of G relative to A⁻¹, those of the pencil G v = e A⁻¹v.
TEST(FactorFidelity, HoldsWhereTheEigenvaluesSaySo) {
  RandomStream random(/*seed=*/102, /*stream=*/0);
  for (const Eigen::Index d : {1, 2, 4, 7, 32}) {
    SCOPED_TRACE(d);
    const estimation::RidgeEstimate estimate = random_estimate(random, d, 200);
    FactorFidelity fidelity(d);
    fidelity.look(estimate, region_of(estimate));
    ASSERT_TRUE(fidelity.holds());
    const Eigen::MatrixXd exact = estimate.gram().matrix().inverse();
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> pencil(fidelity.inverse(),
                                                                           exact);
    EXPECT_LE((pencil.eigenvalues().array() - 1.0).abs().maxCoeff(), FactorFidelity::kFidelity);
  }
}

TEST(FactorFidelity, FailsForTheFactorOfAnotherState) {
  RandomStream random(/*seed=*/103, /*stream=*/0);
  for (const Eigen::Index d : {1, 4, 7}) {
    SCOPED_TRACE(d);
    estimation::RidgeEstimate estimate = random_estimate(random, d, 50);
    const estimation::ConfidenceRegion region = region_of(estimate);
    estimate.observe(1e-2 * testing::normal_vector(random, d).normalized(), 0.0);
    FactorFidelity fidelity(d);
    fidelity.look(estimate, region);
    EXPECT_FALSE(fidelity.holds());
  }
}

// Oracle: F⁻ᵀF⁻¹ and its eigenvalues relative to A⁻¹ anew in every state. Most states must follow
// from the one before, or this shows nothing.
TEST(FactorFidelity, FollowsObservationsWithinItsErrors) {
  using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  RandomStream random(/*seed=*/104, /*stream=*/0);
  for (const Eigen::Index d : {17, 32}) {
    SCOPED_TRACE(d);
    estimation::RidgeEstimate estimate = random_estimate(random, d, 0);
    FactorFidelity fidelity(d);
    int followed = 0;
    for (int n = 0; n < 400; ++n) {
      const std::int64_t computation = fidelity.inverse_error().computation;
      fidelity.look(estimate, region_of(estimate));
      ASSERT_TRUE(fidelity.holds());
      followed += fidelity.inverse_error().computation == computation ? 1 : 0;
      const LongMatrix rows = estimate.gram().root_inverse().cast<long double>();
      const LongMatrix G = rows * rows.transpose();
      ASSERT_LE(static_cast<double>((G - fidelity.inverse().cast<long double>()).norm()),
                fidelity.inverse_error().norm);
      const LongMatrix A = estimate.gram().matrix().cast<long double>();
      ASSERT_LE(static_cast<double>((A * G - LongMatrix::Identity(d, d)).norm()),
                FactorFidelity::kFidelity);
      estimate.observe(testing::normal_vector(random, d).normalized(), random.normal());
    }
    EXPECT_GE(followed, 350);
  }
}

TEST(FactorFidelity, DoesNotFollowFromAnotherState) {
  RandomStream random(/*seed=*/105, /*stream=*/0);
  constexpr Eigen::Index kDim = 20;
  estimation::RidgeEstimate estimate = random_estimate(random, kDim, 50);
  FactorFidelity fidelity(kDim);
  fidelity.look(estimate, region_of(estimate));
  for (int n = 0; n < 2; ++n) {  // one observation is not looked at
    estimate.observe(testing::normal_vector(random, kDim).normalized(), random.normal());
  }
  fidelity.look(estimate, region_of(estimate));
  EXPECT_EQ(fidelity.inverse_error().computation, 2);
  const estimation::ConfidenceRegion old = region_of(estimate);
  estimate.observe(testing::normal_vector(random, kDim).normalized(), random.normal());
  fidelity.look(estimate, old);
  EXPECT_FALSE(fidelity.holds());
  fidelity.look(estimate, region_of(estimate));
  EXPECT_TRUE(fidelity.holds());
}

}  // namespace
}  // namespace foothold::arms
