#include "foothold/arms/arm_scan.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "search_instances.hpp"

namespace foothold::arms {
namespace {

using testing::normal_matrix;
using testing::normal_vector;
using testing::PlainState;

struct ArmInstance {
  safety::Problem problem;
  estimation::RidgeEstimate estimate;
  Eigen::MatrixXd arms;
};

// Arms of all lengths, so that some are in the foothold, some are certified by data and some never.
ArmInstance random_instance(std::uint64_t stream, Eigen::Index d, int observations) {
  RandomStream random(/*seed=*/61, stream);
  Eigen::MatrixXd arms = normal_matrix(random, 30, d);
  for (Eigen::Index i = 0; i < arms.rows(); ++i) {
    arms.row(i) *= testing::log_uniform(random, -1.5, 0.0) / arms.row(i).norm();
  }
  safety::Problem problem{.decision_set = geometry::Arms(arms)};
  problem.constraints = {{.matrix = normal_matrix(random, d, d), .limit = 0.3}};
  problem.assumptions = {.noise_scale = 0.1, .norm_bound = 1.0};
  problem = safety::resolved(problem);
  const Eigen::VectorXd mu = 0.8 * normal_vector(random, d).normalized();
  estimation::RidgeEstimate estimate(d, problem.assumptions);
  for (int round = 0; round < observations; ++round) {
    const Eigen::VectorXd x = arms.row(static_cast<Eigen::Index>(random.index(30))).transpose();
    estimate.observe(x, mu.dot(x) + 0.1 * random.normal());
  }
  return {problem, estimate, arms};
}

double plain_loss(const PlainState& state, ArmOptimism optimism, const Eigen::VectorXd& x) {
  return optimism == ArmOptimism::L1
             ? state.optimistic_loss(x)
             : state.mu_hat.dot(x) - state.radius * (state.factor_inverse * x).norm();
}

class Scan {
 public:
  Scan(const ArmInstance& instance, ArmOptimism optimism, const safety::SafetyRule& rule = {})
      : instance_(&instance),
        region_(instance.problem.dim()),
        certifier_(instance.problem, rule),
        scan_(instance.problem, optimism) {
    region_.update(instance.estimate, rule.radius, rule.root);
  }

  const ArmChoice& choose(const Eigen::MatrixXd& arms, const std::vector<bool>& proved = {}) {
    return scan_.choose(instance_->estimate, region_, arms, proved, certifier_, certificate);
  }

  safety::Certificate certificate{};

 private:
  const ArmInstance* instance_;
  estimation::ConfidenceRegion region_;
  safety::Certifier certifier_;
  ArmScan scan_;
};

class ArmScanOptimism : public ::testing::TestWithParam<ArmOptimism> {};

TEST_P(ArmScanOptimism, ChoosesTheMostOptimisticOfAllCertifiedArms) {
  int certified = 0;
  int refused = 0;
  for (std::uint64_t problem = 0; problem < 40; ++problem) {
    SCOPED_TRACE(problem);
    const safety::SafetyRule rule{.certified = problem % 2 == 0 ? safety::CertifiedSet::Union
                                                                : safety::CertifiedSet::Region};
    const auto d = static_cast<Eigen::Index>(1 + problem % 5);
    const ArmInstance instance = random_instance(problem, d, static_cast<int>(problem) * 10);
    const PlainState state(instance.estimate, rule);
    Eigen::Index expected = -1;
    double best = std::numeric_limits<double>::infinity();
    for (Eigen::Index i = 0; i < instance.arms.rows(); ++i) {
      const Eigen::VectorXd x = instance.arms.row(i).transpose();
      const bool is_safe = safety::certify(instance.problem, rule, instance.estimate, x).is_safe();
      ++(is_safe ? certified : refused);
      const double loss = plain_loss(state, GetParam(), x);
      if (is_safe && loss < best) {
        best = loss;
        expected = i;
      }
    }
    Scan scan(instance, GetParam(), rule);
    const ArmChoice& choice = scan.choose(instance.arms);
    EXPECT_EQ(choice.arm, expected);
    if (expected >= 0) {
      EXPECT_NEAR(choice.optimistic_loss, best, 1e-12 * (1.0 + std::abs(best)));
      EXPECT_EQ(choice.dual_bound, choice.optimistic_loss);
      EXPECT_TRUE(scan.certificate.is_safe());
      EXPECT_EQ(scan.certificate.digest, instance.estimate.digest());
    }
  }
  EXPECT_GT(certified, 100);
  EXPECT_GT(refused, 100);
}

TEST_P(ArmScanOptimism, TakesTheFirstAmongEqualArms) {
  const ArmInstance instance = random_instance(7, 3, 50);
  Scan scan(instance, GetParam());
  const Eigen::Index single = scan.choose(instance.arms).arm;
  ASSERT_GE(single, 0);
  Eigen::MatrixXd doubled(2 * instance.arms.rows(), 3);
  doubled << instance.arms, instance.arms;
  EXPECT_EQ(scan.choose(doubled).arm, single);
}

TEST_P(ArmScanOptimism, TrustsAnArmThatWasProvedBefore) {
  const ArmInstance instance = random_instance(8, 3, 50);
  const PlainState state(instance.estimate, safety::SafetyRule{});
  // An arm far outside every bound, with by far the lowest loss.
  Eigen::MatrixXd arms = instance.arms;
  Eigen::VectorXd far =
      -instance.problem.assumptions.action_bound.value() * instance.estimate.mu_hat().normalized();
  far *= plain_loss(state, GetParam(), far) < plain_loss(state, GetParam(), -far) ? 1.0 : -1.0;
  arms.row(12) = far.transpose();
  Scan scan(instance, GetParam());
  std::vector<bool> proved(static_cast<std::size_t>(arms.rows()), false);
  const ArmChoice without = scan.choose(arms, proved);
  ASSERT_NE(without.arm, 12);
  Digest128 digest = scan.certificate.digest;
  ++digest.low;
  scan.certificate.digest = digest;
  proved[12] = true;
  const ArmChoice& with = scan.choose(arms, proved);
  EXPECT_EQ(with.arm, 12);
  EXPECT_LT(with.optimistic_loss, without.optimistic_loss);
  EXPECT_TRUE(scan.certificate.digest == digest) << "the certificate belongs to the earlier proof";
}

TEST_P(ArmScanOptimism, SaysSoIfNoArmIsCertified) {
  ArmInstance instance = random_instance(9, 2, 0);
  instance.problem.decision_set = geometry::ContextualArms(2);
  Scan scan(instance, GetParam());
  // S‖Bx‖ > c for both, and there are no data.
  const Eigen::Matrix2d inverse = instance.problem.constraints.front().matrix.inverse();
  Eigen::MatrixXd arms(2, 2);
  arms.row(0) = (0.31 * inverse.col(0)).transpose();
  arms.row(1) = (0.5 * inverse.col(1)).transpose();
  EXPECT_EQ(scan.choose(arms).arm, -1);
  arms.row(1) = (0.29 * inverse.col(1)).transpose();
  EXPECT_EQ(scan.choose(arms).arm, 1);
}

INSTANTIATE_TEST_SUITE_P(Regions, ArmScanOptimism,
                         ::testing::Values(ArmOptimism::Ellipsoid, ArmOptimism::L1),
                         [](const auto& instance) {
                           return instance.param == ArmOptimism::L1 ? "L1" : "Ellipsoid";
                         });

TEST(ArmScan, TakesAnotherNumberOfArmsEachTime) {
  const ArmInstance instance = random_instance(10, 3, 20);
  Scan scan(instance, ArmOptimism::L1);
  for (const Eigen::Index count : {30, 1, 7, 30}) {
    const ArmChoice& choice = scan.choose(instance.arms.topRows(count));
    EXPECT_LT(choice.arm, count);
  }
}

// The bound of every arm is above its limit by too little for single precision to tell, so that
// certificates are refused; then by so much that no arm is left to be looked at.
TEST(ArmScan, NoArmIsLeftAfterRefusals) {
  Eigen::MatrixXd arms(300, 2);
  for (Eigen::Index i = 0; i < arms.rows(); ++i) {
    const double angle = 0.5 + 0.5 * static_cast<double>(i) / 300.0;
    arms.row(i) << std::cos(angle), std::sin(angle);
  }
  safety::Problem problem{.decision_set = geometry::Arms(arms)};
  problem.assumptions = {.noise_scale = 0.1, .norm_bound = 1.0, .ridge = 0.1};
  problem.constraints = {{.matrix = Eigen::MatrixXd::Identity(2, 2), .limit = 1.0}};
  problem = safety::resolved(problem);
  estimation::RidgeEstimate estimate(2, problem.assumptions);
  const safety::SafetyRule rule{.certified = safety::CertifiedSet::Region};
  problem.constraints[0].limit = estimate.radius(rule.radius) / std::sqrt(0.1) * (1.0 - 1e-9);
  estimation::ConfidenceRegion region(2);
  safety::Certifier certifier(problem, rule);
  safety::Certificate certificate;
  ArmScan scan(problem, ArmOptimism::Ellipsoid);
  const Eigen::MatrixXd& fixed = std::get<geometry::Arms>(problem.decision_set).features();
  for (int round = 0; round < 4; ++round) {
    region.update(estimate, rule.radius, rule.root);
    EXPECT_EQ(scan.choose(estimate, region, fixed, {}, certifier, certificate).arm, -1);
    estimate.observe(fixed.row(0).transpose(), 30.0);
  }
}

}  // namespace
}  // namespace foothold::arms
