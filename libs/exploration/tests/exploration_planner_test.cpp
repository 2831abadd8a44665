#include "foothold/exploration/exploration_planner.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "foothold/estimation/ridge_estimate.hpp"

namespace foothold::exploration {
namespace {

// One dimension, so that everything can be written out: B = 1, A a number.
class OnALine : public ::testing::Test {
 protected:
  static safety::Problem problem(double limit) {
    return safety::resolved(
        {.decision_set = geometry::Box::symmetric(1, 1.0),
         .constraints = {{.matrix = Eigen::MatrixXd::Identity(1, 1), .limit = limit}},
         .assumptions = {.noise_scale = 0.1, .norm_bound = 1.0, .ridge = 1.0}});
  }
  // After n exact losses μ·x at x.
  static estimation::ConfidenceRegion region(const safety::Problem& problem, double mu, double x,
                                             int n) {
    estimation::RidgeEstimate estimate(1, problem.assumptions);
    for (int i = 0; i < n; ++i) {
      estimate.observe(Eigen::VectorXd::Constant(1, x), mu * x);
    }
    estimation::ConfidenceRegion region(1);
    region.update(estimate, estimation::RadiusForm::Mixture, estimation::RootForm::Cholesky);
    return region;
  }
};

TEST_F(OnALine, ArmsAreCertifiedByTheSmallerOfTheTwoBounds) {
  const safety::Problem p = problem(0.5);
  ExplorationPlanner planner(p, {}, /*are_rays=*/false);
  // Columns: known safe (0.4 ≤ 0.5), unknown, certified by the data (μ̂ < 0).
  const Eigen::MatrixXd offsets{{0.4, -1.0, 1.0}};
  const auto state = region(p, -0.9, 0.4, 400);
  planner.begin(state, offsets, Eigen::VectorXd::Zero(1), {.remaining = 100.0, .weight = 1.0});
  EXPECT_EQ(planner.scales(), Eigen::Vector3d(1.0, 0.0, 1.0));
  EXPECT_EQ(planner.exploit_arm(), 2);
}

TEST_F(OnALine, RaysAreCertifiedUpToTheirBound) {
  const safety::Problem p = problem(0.5);
  ExplorationPlanner planner(p, {}, /*are_rays=*/true);
  const auto state = region(p, 0.3, 0.4, 40);
  const Eigen::MatrixXd offsets{{1.0, -1.0}};
  planner.begin(state, offsets, Eigen::VectorXd::Zero(1), {.remaining = 100.0, .weight = 1.0});
  const double A = 1.0 + 40 * 0.16;
  const double bound = state.mu_hat()(0) + state.radius() / std::sqrt(A);
  ASSERT_GT(bound, 0.5);
  EXPECT_NEAR(planner.scales()(0), std::max(0.5 / bound, 0.5), 1e-12);
  EXPECT_EQ(planner.scales()(1), 1.0);  // μ̂ᵀz + βw < 0.5 on the other side
}

TEST_F(OnALine, ATargetIsWorthItOnlyIfEnoughTimeRemains) {
  // μ = 0.3: arm −1, whose safety is unknown, loses 0.3 less a round than arm −0.2, the only
  // teacher, and needs several rounds to be certified.
  const safety::Problem p = problem(0.5);
  ExplorationPlanner planner(p, {}, /*are_rays=*/false);
  const auto state = region(p, 0.3, 0.2, 5);
  const Eigen::MatrixXd offsets{{-1.0, -0.2}};
  for (const double remaining : {0.0, 100'000.0}) {
    planner.begin(state, offsets, Eigen::VectorXd::Zero(1),
                  {.remaining = remaining, .weight = 1.0});
    const ExplorationPlan plan = planner.best(2);
    EXPECT_EQ(plan.target, remaining > 10.0 ? 0 : -1);
    if (plan.target >= 0) {
      EXPECT_EQ(plan.teacher, 1);
      EXPECT_EQ(plan.cost, 0.0);  // the teacher is what one would play anyway
      EXPECT_GT(plan.plays, 1.0);
    }
  }
}

TEST_F(OnALine, ActionsProvedUnsafeOrWorseAreNoTargets) {
  const safety::Problem p = problem(0.5);
  ExplorationPlanner planner(p, {}, /*are_rays=*/false);
  const Eigen::MatrixXd offsets{{-1.0, 1.0, 0.2}};
  // μ = −0.9: arm −1 violates (0.9 > 0.5) and has the worst loss; arm 1 is certified and the best.
  const auto state = region(p, -0.9, 0.4, 4000);
  planner.begin(state, offsets, Eigen::VectorXd::Zero(1), {.remaining = 1e6, .weight = 2.0});
  EXPECT_EQ(planner.scales()(1), 1.0);
  EXPECT_EQ(planner.best(3).target, -1);
}

TEST_F(OnALine, TheBestTeacherIsTheLongestCertifiedAction) {
  const safety::Problem p = problem(0.5);
  ExplorationPlanner planner(p, {}, /*are_rays=*/false);
  const Eigen::MatrixXd offsets{{0.1, -0.45, 0.3, 2.0}};
  const auto state = region(p, 0.0, 0.1, 1);
  planner.begin(state, offsets, Eigen::VectorXd::Zero(1), {.remaining = 10.0, .weight = 1.0});
  EXPECT_EQ(planner.best_teacher(Eigen::VectorXd::Ones(1)), 1);
}

}  // namespace
}  // namespace foothold::exploration
