#include <Eigen/Core>
#include <gtest/gtest.h>

#include "foothold/estimation/confidence_region.hpp"
#include "foothold/estimation/ridge_estimate.hpp"

#include "allocation_fixture.hpp"
#include "dataset.hpp"

namespace foothold::estimation {
namespace {

using foothold::testing::allocations;

class Allocation : public foothold::testing::CountsAllocations {};

TEST_P(Allocation, NeitherObservingNorBoundingAllocates) {
  const Eigen::Index d = GetParam();
  const testing::Dataset data = testing::random_dataset(300, d, /*stream=*/12);
  const Eigen::MatrixXd columns = data.actions.transpose();
  const long before_construction = allocations.load();
  RidgeEstimate estimate(d, {.action_bound = 1.0, .ridge = 1e-6});
  EXPECT_GT(allocations.load(), before_construction) << "the count must see Eigen's allocations";
  const Direction z{
      .high = Eigen::VectorXd::Ones(d), .low = Eigen::VectorXd::Zero(d), .error = 0.0};

  const long before = allocations.load();
  double sum = 0.0;
  for (Eigen::Index n = 0; n < columns.cols(); ++n) {
    estimate.observe(columns.col(n), data.losses(n));
    sum += estimate.bounds(z).width + estimate.radius(RadiusForm::Mixture);
  }
  EXPECT_EQ(allocations.load(), before);
  EXPECT_GT(sum, 0.0);
}

TEST_P(Allocation, TheFactorIsComputedAnewWithoutAllocating) {
  const Eigen::Index d = GetParam();
  GramMatrix gram(d, 1.0);
  gram.update(Eigen::VectorXd::Ones(d));
  const long before = allocations.load();
  EXPECT_TRUE(gram.refactor());
  EXPECT_EQ(allocations.load(), before);
}

TEST_P(Allocation, UpdatingARegionDoesNot) {
  const Eigen::Index d = GetParam();
  const RidgeEstimate estimate =
      testing::estimate_from(testing::random_dataset(50, d, /*stream=*/13), {});
  ConfidenceRegion region(d);
  Eigen::VectorXd v(d);
  for (const RootForm root : {RootForm::Cholesky, RootForm::Symmetric}) {
    const long before = allocations.load();
    region.update(estimate, RadiusForm::Mixture, root);
    region.vertex(2 * d - 1, v);
    EXPECT_EQ(allocations.load(), before);
  }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, Allocation, ::testing::Values(1, 2, 5, 16, 40));

}  // namespace
}  // namespace foothold::estimation
