#include <Eigen/Core>
#include <gtest/gtest.h>

#include "foothold/base/random_stream.hpp"
#include "foothold/safety/certifier.hpp"
#include "foothold/safety/known_safe_set.hpp"
#include "foothold/safety/safe_set.hpp"

#include "allocation_fixture.hpp"

namespace foothold::safety {
namespace {

using foothold::testing::allocations;

class Allocation : public foothold::testing::CountsAllocations {};

TEST_P(Allocation, CertificatesAfterTheFirstDoNot) {
  const Eigen::Index d = GetParam();
  const Problem problem =
      resolved({.decision_set = geometry::Box::symmetric(d, 1.0),
                .constraints = {{.matrix = Eigen::MatrixXd::Identity(d, d), .limit = 0.5},
                                {.matrix = Eigen::MatrixXd::Ones(d, d), .limit = 0.5}}});
  estimation::RidgeEstimate estimate(d, problem.assumptions);
  estimate.observe(Eigen::VectorXd::Constant(d, 0.5), 0.25);
  for (const Caution caution : {Caution::Ellipsoid, Caution::L1Exact, Caution::L1Paper}) {
    estimation::ConfidenceRegion region(d);
    region.update(estimate, estimation::RadiusForm::Mixture, estimation::RootForm::Cholesky);
    Certifier certifier(problem, {.caution = caution});
    Certificate certificate;
    Eigen::VectorXd x = Eigen::VectorXd::Constant(d, 0.9);
    const long before_first = allocations.load();
    certifier.certify(estimate, region, x, Evidence::Either, certificate);
    EXPECT_GT(allocations.load(), before_first) << "the count must see them";

    const long before = allocations.load();
    certifier.certify(estimate, region, x, Evidence::Either, certificate);
    const bool is_safe =
        certifier.certify_scaled(estimate, region, x, Evidence::Either, certificate);
    EXPECT_EQ(allocations.load(), before);
    EXPECT_TRUE(is_safe);
  }
}

TEST_P(Allocation, QuestionsToTheSafeSetDoNot) {
  const Eigen::Index d = GetParam();
  const Problem problem =
      resolved({.decision_set = geometry::Box::symmetric(d, 1.0),
                .constraints = {{.matrix = Eigen::MatrixXd::Identity(d, d), .limit = 0.5},
                                {.matrix = Eigen::MatrixXd::Ones(d, d), .limit = 0.5}}});
  const estimation::RidgeEstimate estimate(d, problem.assumptions);
  estimation::ConfidenceRegion region(d);
  region.update(estimate, estimation::RadiusForm::Mixture, estimation::RootForm::Cholesky);
  const Eigen::MatrixXd offsets = Eigen::MatrixXd::Constant(d, 2, 0.3);
  cone::Cone cone{.a = Eigen::VectorXd::Zero(d), .M = Eigen::MatrixXd::Zero(d, d)};
  SafeSet set(problem);
  const long before = allocations.load();
  for (const Caution caution : {Caution::L1Exact, Caution::L1Paper}) {
    set.set_rule({.caution = caution});
    set.update(region);
    EXPECT_GT(set.ray_scale(offsets.col(1)).best(), 0.0);
    EXPECT_GT(set.upper_bound(1, offsets.col(1)), set.lower_bound(1, offsets.col(1)));
  }
  set.set_cone(1, cone);
  EXPECT_EQ(allocations.load(), before);
}

TEST_P(Allocation, DrawsFromTheFootholdDoNot) {
  const Eigen::Index d = GetParam();
  const Problem problem =
      resolved({.decision_set = geometry::Ball(d, 1.0),
                .constraints = {{.matrix = Eigen::MatrixXd::Identity(d, d), .limit = 0.5}}});
  const KnownSafeSet set(problem, Sampler::Uniform);
  RandomStream random(/*seed=*/1, /*stream=*/1);
  Eigen::VectorXd x(d);
  const long before = allocations.load();
  set.sample(random, x);
  EXPECT_EQ(allocations.load(), before);
}

INSTANTIATE_TEST_SUITE_P(Dimensions, Allocation, ::testing::Values(1, 2, 5, 16, 40));

}  // namespace
}  // namespace foothold::safety
