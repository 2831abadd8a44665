#include "foothold/simulation/play/unsafe_lucb.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/base/random_stream.hpp"
#include "foothold/policy/policy.hpp"

#include "paper_polytope.hpp"

namespace foothold::simulation {
namespace {

static_assert(!std::is_base_of_v<policy::Policy, UnsafeLucb>, "nothing that serves may hold one");

safety::Problem arms_problem(const Eigen::MatrixXd& features) {
  return safety::resolved(
      {.decision_set = geometry::Arms(features),
       .constraints = {{.matrix = Eigen::MatrixXd::Identity(features.cols(), features.cols())}},
       .assumptions = {.noise_scale = 0.1}});
}

TEST(UnsafeLucb, MinimisesTheOptimisticLossOfArms) {
  RandomStream random(3, 0);
  const Eigen::MatrixXd features =
      0.4 * Eigen::MatrixXd::NullaryExpr(12, 3, [&] { return random.normal(); });
  UnsafeLucb learner(arms_problem(features));
  // Oracle: A and b summed here, A⁻¹ by LU.
  Eigen::Matrix3d A = learner.estimate().ridge() * Eigen::Matrix3d::Identity();
  Eigen::Vector3d b = Eigen::Vector3d::Zero();
  for (int round = 0; round < 200; ++round) {
    const Eigen::VectorXd chosen = learner.choose();
    const double radius = learner.estimate().radius(estimation::RadiusForm::Mixture);
    const Eigen::Matrix3d inverse = A.inverse();
    const auto optimistic_loss = [&](const Eigen::VectorXd& x) {
      return (inverse * b).dot(x) - radius * std::sqrt(x.dot(inverse * x));
    };
    double best = std::numeric_limits<double>::infinity();
    for (const auto& arm : features.rowwise()) {
      best = std::min(best, optimistic_loss(arm.transpose()));
    }
    EXPECT_NEAR(optimistic_loss(chosen), best, 1e-9 * (1.0 + std::abs(best)));
    const double loss = 0.7 * chosen(0) - 0.2 * chosen(2) + 0.1 * random.normal();
    learner.observe(chosen, loss);
    A += chosen * chosen.transpose();
    b += loss * chosen;
  }
}

TEST(UnsafeLucb, MinimisesOverTheVerticesOfTheRegionOnABox) {
  safety::Problem problem = safety::resolved(testing::paper_polytope());
  UnsafeLucb learner(problem, {.radius = estimation::RadiusForm::Paper});
  EXPECT_EQ(learner.options().optimism, policy::Optimism::L1Cholesky);
  RandomStream random(4, 0);
  const Eigen::VectorXd mu = testing::paper_polytope_parameter();
  for (int round = 0; round < 100; ++round) {
    const Eigen::VectorXd chosen = learner.choose();
    // On a box min vᵀx = −‖v‖₁; the vertices are μ̂ ± √d β F^{-T}eᵢ.
    const Eigen::MatrixXd& F = learner.estimate().gram().factor();
    const Eigen::MatrixXd steps = std::sqrt(2.0) *
                                  learner.estimate().radius(estimation::RadiusForm::Paper) *
                                  F.transpose().inverse();
    double best = 0.0;
    double reached = std::numeric_limits<double>::infinity();
    for (Eigen::Index i = 0; i < 2; ++i) {
      for (const double sign : {-1.0, 1.0}) {
        const Eigen::VectorXd v = learner.estimate().mu_hat() + sign * steps.col(i);
        best = std::min(best, -v.lpNorm<1>());
        reached = std::min(reached, v.dot(chosen));
      }
    }
    EXPECT_NEAR(reached, best, 1e-12);
    learner.observe(chosen, mu.dot(chosen) + 0.1 * random.normal());
  }
}

TEST(UnsafeLucb, IgnoresTheConstraint) {
  // The best arm violates; it is played once the data show that it is best.
  Eigen::MatrixXd features(2, 1);
  features << -1.0, 0.1;
  safety::Problem problem = arms_problem(features);
  problem.constraints[0] = {.matrix = -Eigen::MatrixXd::Identity(1, 1), .limit = 0.2};
  UnsafeLucb learner(problem);
  for (int round = 0; round < 50; ++round) {
    const Eigen::VectorXd x = learner.choose();
    learner.observe(x, 0.9 * x(0));
  }
  EXPECT_EQ(learner.choose()(0), -1.0);
}

TEST(UnsafeLucb, AmongContextualArmsThatStayTheSameIsTheLearnerOfFixedArms) {
  Eigen::MatrixXd features(3, 2);
  features << 0.3, 0.4, -0.2, 0.9, 0.5, -0.6;
  const safety::Problem fixed = arms_problem(features);
  safety::Problem contextual = fixed;
  contextual.decision_set = geometry::ContextualArms(2);
  UnsafeLucb one(fixed);
  UnsafeLucb other(contextual);
  const Eigen::Vector2d mu(0.3, -0.7);
  for (int round = 0; round < 30; ++round) {
    const Eigen::VectorXd x = one.choose();
    ASSERT_EQ(other.choose(features), x) << round;
    one.observe(x, mu.dot(x));
    other.observe(x, mu.dot(x));
  }
}

TEST(UnsafeLucb, RefusesWhatItCannotSearch) {
  safety::Problem contextual{.decision_set = geometry::ContextualArms(2),
                             .constraints = {{.matrix = Eigen::Matrix2d::Identity()}},
                             .assumptions = {.action_bound = 1.0}};
  EXPECT_THROW(UnsafeLucb(safety::resolved(contextual), {.optimism = policy::Optimism::L1}), Error);
  EXPECT_THROW(UnsafeLucb(safety::resolved(testing::paper_polytope()),
                          {.optimism = policy::Optimism::Ellipsoid}),
               Error);
}

}  // namespace
}  // namespace foothold::simulation
