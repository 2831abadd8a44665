#include "foothold/simulation/world/best_safe_action.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/base/random_stream.hpp"

#include "clp_oracle.hpp"
#include "paper_polytope.hpp"

namespace foothold::simulation {
namespace {

Eigen::VectorXd normals(Eigen::Index size, RandomStream& random) {
  return Eigen::VectorXd::NullaryExpr(size, [&] { return random.normal(); });
}

std::vector<safety::SafetyConstraint> random_constraints(Eigen::Index dim, int count,
                                                         RandomStream& random) {
  std::vector<safety::SafetyConstraint> constraints;
  for (int k = 0; k < count; ++k) {
    const Eigen::MatrixXd matrix =
        Eigen::MatrixXd::NullaryExpr(dim, dim, [&] { return random.normal(); });
    constraints.push_back({.matrix = matrix, .limit = 0.05 + random.uniform()});
  }
  return constraints;
}

// Oracle: Clp on min { μᵀx : Gx ≤ h, μᵀB_k x ≤ c_k }.
double loss_by_clp(const Eigen::MatrixXd& G, const Eigen::VectorXd& h,
                   const std::vector<safety::SafetyConstraint>& constraints,
                   const Eigen::VectorXd& mu) {
  const Eigen::Index rows = G.rows() + static_cast<Eigen::Index>(constraints.size());
  Eigen::MatrixXd all(rows, mu.size());
  Eigen::VectorXd upper(rows);
  all.topRows(G.rows()) = G;
  upper.head(h.size()) = h;
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    const Eigen::Index row = G.rows() + static_cast<Eigen::Index>(k);
    all.row(row) = (constraints[k].matrix.transpose() * mu).transpose();
    upper(row) = constraints[k].limit;
  }
  return testing::minimize_by_clp(all, upper, mu).value;
}

// Oracle: the dual max { −r‖μ + Σ λ_k q_k‖ − cᵀλ : λ ≥ 0 }, by nested golden-section
// search on the concave function, one coordinate after the other.
double ball_dual(const Eigen::MatrixXd& Q, const Eigen::VectorXd& c, double r,
                 const Eigen::VectorXd& v, Eigen::Index k) {
  if (k == Q.rows()) {
    return -r * v.norm();
  }
  const auto value = [&](double weight) {
    return ball_dual(Q, c, r, v + weight * Q.row(k).transpose(), k + 1) - weight * c(k);
  };
  // −r‖v + λq‖ − cλ ≤ −cλ, so that beyond r‖v‖/c a weight is worse than none.
  double low = 0.0;
  double high = r * (v.norm() + 1.0) / c(k) + 1.0;
  for (int i = 0; i < 90; ++i) {
    const double left = high - (high - low) / 1.618033988749895;
    const double right = low + (high - low) / 1.618033988749895;
    (value(left) < value(right) ? low : high) = value(left) < value(right) ? left : right;
  }
  return std::max(value(0.5 * (low + high)), value(0.0));
}

double worst_excess(const safety::Problem& problem, const Eigen::VectorXd& mu,
                    const Eigen::VectorXd& x) {
  double excess = -std::numeric_limits<double>::infinity();
  for (const safety::SafetyConstraint& constraint : problem.constraints) {
    excess = std::max(excess, mu.dot(constraint.matrix * x) - constraint.limit);
  }
  return excess;
}

TEST(BestSafeAction, OfThePapersPolytopeIsTheCornerWithItsGap) {
  const BestSafeAction best =
      best_safe_action(testing::paper_polytope(), testing::paper_polytope_parameter());
  EXPECT_LE((best.action - Eigen::Vector2d(-1.0, -1.0)).norm(), 1e-14);
  EXPECT_NEAR(best.loss, -0.944, 1e-14);
  EXPECT_NEAR(best.safety_gap, 3.1568, 1e-13);
}

TEST(BestSafeAction, OnRandomBoxesAgreesWithClp) {
  RandomStream random(1, 1);
  for (int trial = 0; trial < 100; ++trial) {
    const Eigen::Index d = 1 + trial % 6;
    const Eigen::VectorXd lower = -(normals(d, random).cwiseAbs().array() + 0.1).matrix();
    const Eigen::VectorXd upper = (normals(d, random).cwiseAbs().array() + 0.1).matrix();
    const safety::Problem problem{.decision_set = geometry::Box(lower, upper),
                                  .constraints = random_constraints(d, 1 + trial % 4, random)};
    const Eigen::VectorXd mu = normals(d, random);

    const BestSafeAction best = best_safe_action(problem, mu);

    Eigen::MatrixXd G(2 * d, d);
    G << Eigen::MatrixXd::Identity(d, d), -Eigen::MatrixXd::Identity(d, d);
    Eigen::VectorXd h(2 * d);
    h << upper, -lower;
    EXPECT_NEAR(best.loss, loss_by_clp(G, h, problem.constraints, mu), 1e-8);
    EXPECT_LE(worst_excess(problem, mu, best.action), 1e-10);
    EXPECT_TRUE((best.action.array() >= lower.array()).all());
    EXPECT_TRUE((best.action.array() <= upper.array()).all());
    EXPECT_NEAR(best.safety_gap, std::max(0.0, -worst_excess(problem, mu, best.action)), 1e-9);
  }
}

TEST(BestSafeAction, OnRandomPolytopesAgreesWithClp) {
  RandomStream random(2, 1);
  for (int trial = 0; trial < 50; ++trial) {
    const Eigen::Index d = 2 + trial % 4;
    // A cube cut by random half-spaces that keep the origin inside.
    Eigen::MatrixXd G(2 * d + 3, d);
    Eigen::VectorXd h(G.rows());
    G << Eigen::MatrixXd::Identity(d, d), -Eigen::MatrixXd::Identity(d, d),
        Eigen::MatrixXd::NullaryExpr(3, d, [&] { return random.normal(); });
    h << Eigen::VectorXd::Ones(2 * d),
        Eigen::VectorXd::NullaryExpr(3, [&] { return 0.2 + random.uniform(); });
    const safety::Problem problem{.decision_set = geometry::Polytope(G, h),
                                  .constraints = random_constraints(d, 2, random)};
    const Eigen::VectorXd mu = normals(d, random);

    const BestSafeAction best = best_safe_action(problem, mu);

    EXPECT_NEAR(best.loss, loss_by_clp(G, h, problem.constraints, mu), 1e-8);
    EXPECT_LE(worst_excess(problem, mu, best.action), 1e-10);
    EXPECT_LE((G * best.action - h).maxCoeff(), 1e-10);
  }
}

TEST(BestSafeAction, OnRandomBallsReachesTheDualBound) {
  RandomStream random(3, 1);
  for (int trial = 0; trial < 60; ++trial) {
    const Eigen::Index d = 1 + trial % 5;
    const int m = 1 + trial % 2;
    const double r = 0.5 + random.uniform();
    const safety::Problem problem{.decision_set = geometry::Ball(d, r),
                                  .constraints = random_constraints(d, m, random)};
    const Eigen::VectorXd mu = normals(d, random);

    const BestSafeAction best = best_safe_action(problem, mu);

    Eigen::MatrixXd Q(m, d);
    Eigen::VectorXd c(m);
    for (int k = 0; k < m; ++k) {
      const safety::SafetyConstraint& constraint = problem.constraints[static_cast<std::size_t>(k)];
      Q.row(k) = (constraint.matrix.transpose() * mu).transpose();
      c(k) = constraint.limit;
    }
    // Feasible and no worse than a lower bound on the optimum: optimal.
    EXPECT_LE(best.action.norm(), r * (1.0 + 1e-10));
    EXPECT_LE(worst_excess(problem, mu, best.action), 1e-9);
    EXPECT_NEAR(best.loss, ball_dual(Q, c, r, mu, 0), 1e-6);
  }
}

TEST(BestSafeAction, OnABallWithManyConstraintsBeatsEveryFeasibleSample) {
  RandomStream random(4, 1);
  const safety::Problem problem{.decision_set = geometry::Ball(3, 1.0),
                                .constraints = random_constraints(3, 12, random)};
  const Eigen::VectorXd mu = normals(3, random);
  const BestSafeAction best = best_safe_action(problem, mu);
  EXPECT_LE(best.action.norm(), 1.0 + 1e-10);
  EXPECT_LE(worst_excess(problem, mu, best.action), 1e-9);
  for (int i = 0; i < 20000; ++i) {
    const Eigen::VectorXd x = normals(3, random).normalized() * std::cbrt(random.uniform());
    if (worst_excess(problem, mu, x) <= 0.0) {
      ASSERT_GE(mu.dot(x), best.loss - 1e-9);
    }
  }
}

TEST(BestSafeAction, OnABallWithAnInactiveConstraintIsTheFarPoint) {
  // q = Bᵀμ = μ, so that the constraint μᵀx ≤ 1 is slack at x* = −rμ/‖μ‖, Δ = 1 + r‖μ‖.
  const Eigen::Vector2d mu(0.6, -0.8);
  const safety::Problem problem{
      .decision_set = geometry::Ball(2, 2.0),
      .constraints = {{.matrix = Eigen::Matrix2d::Identity(), .limit = 1.0}}};
  const BestSafeAction best = best_safe_action(problem, mu);
  EXPECT_LE((best.action + 2.0 * mu).norm(), 1e-14);
  EXPECT_NEAR(best.safety_gap, 3.0, 1e-14);
}

TEST(BestSafeAction, AgainstTheLossHasGapZero) {
  // B = −I: −μᵀx ≤ c limits the loss from below, and x* lies on the constraint.
  const Eigen::Vector2d mu(0.6, 0.3);
  const std::vector<safety::SafetyConstraint> constraints{
      {.matrix = -Eigen::Matrix2d::Identity(), .limit = 0.25}};
  for (const geometry::DecisionSet& set : {geometry::DecisionSet(geometry::Box::symmetric(2, 1.0)),
                                           geometry::DecisionSet(geometry::Ball(2, 1.0))}) {
    const BestSafeAction best =
        best_safe_action({.decision_set = set, .constraints = constraints}, mu);
    EXPECT_NEAR(best.loss, -0.25, 1e-12);
    EXPECT_EQ(best.safety_gap, 0.0);
  }
}

TEST(BestSafeAction, OfAZeroMatrixIsUnconstrained) {
  const Eigen::Vector2d mu(0.6, -0.8);
  const safety::Problem problem{.decision_set = geometry::Box::symmetric(2, 1.0),
                                .constraints = {{.matrix = Eigen::Matrix2d::Zero(), .limit = 0.5}}};
  const BestSafeAction best = best_safe_action(problem, mu);
  EXPECT_NEAR(best.loss, -1.4, 1e-14);
  EXPECT_EQ(best.safety_gap, 0.5);
}

TEST(BestSafeAction, OfArmsSkipsTheUnsafeOnesAndTakesTheFirstOfEquals) {
  Eigen::MatrixXd features(4, 2);
  features << -1.0, 0.0,  // loss −1, value 1 > 0.5
      -0.25, 0.0,         // loss −0.25
      -0.25, 0.0,         // the same
      0.5, 0.5;
  const safety::Problem problem{
      .decision_set = geometry::Arms(features),
      .constraints = {{.matrix = -Eigen::Matrix2d::Identity(), .limit = 0.5}}};
  const BestSafeAction best = best_safe_action(problem, Eigen::Vector2d(1.0, 0.0));
  EXPECT_EQ(best.action, Eigen::Vector2d(-0.25, 0.0));
  EXPECT_EQ(best.loss, -0.25);
  EXPECT_EQ(best.safety_gap, 0.25);
}

TEST(BestSafeAction, RefusesWhatHasNoAnswer) {
  const safety::SafetyConstraint constraint{.matrix = Eigen::Matrix2d::Identity(), .limit = 0.5};
  const Eigen::Vector2d mu(1.0, 0.0);
  const safety::Problem unsafe_arms{.decision_set = geometry::Arms(Eigen::MatrixXd::Identity(1, 2)),
                                    .constraints = {constraint}};
  EXPECT_THROW(static_cast<void>(best_safe_action(unsafe_arms, mu)), Error);

  const safety::Problem contextual{.decision_set = geometry::ContextualArms(2),
                                   .constraints = {constraint}};
  EXPECT_THROW(static_cast<void>(best_safe_action(contextual, mu)), Error);

  safety::Problem box{.decision_set = geometry::Box::symmetric(2, 1.0),
                      .constraints = {constraint}};
  EXPECT_THROW(static_cast<void>(best_safe_action(box, Eigen::Vector3d(1.0, 0.0, 0.0))), Error);
  EXPECT_THROW(static_cast<void>(best_safe_action(box, Eigen::Vector2d(NAN, 0.0))), Error);
  box.baseline = safety::Baseline{.action = Eigen::Vector2d(0.9, 0.0), .margin = 0.1};
  EXPECT_THROW(static_cast<void>(best_safe_action(box, mu)), Error);
}

TEST(BestSafeAction, StartsFromABaselineThatIsSafe) {
  // The origin violates −x₁ ≤ −0.2; the baseline (0.5, 0) does not. Best: x₁ = 0.2, x₂ = −1.
  const safety::Problem problem{
      .decision_set = geometry::Box::symmetric(2, 1.0),
      .constraints = {{.matrix = -Eigen::Matrix2d::Identity(), .limit = -0.2}},
      .baseline = safety::Baseline{.action = Eigen::Vector2d(0.5, 0.0), .margin = 0.3}};
  const BestSafeAction best = best_safe_action(problem, Eigen::Vector2d(1.0, 0.0));
  EXPECT_NEAR(best.loss, 0.2, 1e-14);
}

}  // namespace
}  // namespace foothold::simulation
