#include "foothold/gap/gap_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/base/random_stream.hpp"

#include "random_program.hpp"

namespace foothold::gap {
namespace {

using estimation::ConfidenceRegion;
using geometry::Arms;
using geometry::Ball;
using geometry::Box;
using geometry::Polytope;
using testing::normal_matrix;
using testing::normal_vector;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The region after `plays` noiseless losses of every row of `actions`.
ConfidenceRegion region_after(const Eigen::VectorXd& mu, const Eigen::MatrixXd& actions, int plays,
                              double noise_scale = 0.05) {
  const estimation::Assumptions assumptions{
      .noise_scale = noise_scale, .norm_bound = 1.0, .action_bound = 10.0, .ridge = 0.01};
  estimation::RidgeEstimate estimate(mu.size(), assumptions);
  for (int round = 0; round < plays; ++round) {
    for (Eigen::Index i = 0; i < actions.rows(); ++i) {
      const Eigen::VectorXd x = actions.row(i).transpose();
      estimate.observe(x, mu.dot(x));
    }
  }
  ConfidenceRegion region(mu.size());
  region.update(estimate, estimation::RadiusForm::Mixture, estimation::RootForm::Symmetric);
  return region;
}

ConfidenceRegion region_around(const Eigen::VectorXd& mu, int plays) {
  return region_after(mu, Eigen::MatrixXd::Identity(mu.size(), mu.size()), plays);
}

safety::Problem problem_on(geometry::DecisionSet set,
                           std::vector<safety::SafetyConstraint> constraints) {
  safety::Problem problem{.decision_set = std::move(set), .constraints = std::move(constraints)};
  problem.assumptions = {.noise_scale = 0.05, .norm_bound = 1.0, .action_bound = 10.0};
  return safety::resolved(std::move(problem));
}

Eigen::MatrixXd scalar(double value) {
  return Eigen::MatrixXd::Constant(1, 1, value);
}

double bound_of(const safety::Problem& problem, GapRegion kind, const ConfidenceRegion& region) {
  return GapBound(problem, kind).bound(region).value;
}

// The largest vᵀz over the region, by its definition. Independent of safety::SafeSet on purpose.
double highest(GapRegion kind, const ConfidenceRegion& region, const Eigen::VectorXd& z) {
  const double width =
      kind == GapRegion::Ellipsoid
          ? region.radius() * (region.factor_inverse() * z).norm()
          : region.l1_radius() * (region.root_inverse().transpose() * z).cwiseAbs().maxCoeff();
  return region.mu_hat().dot(z) + width;
}

// A point of the region, on its border every second time.
Eigen::VectorXd sample(GapRegion kind, const ConfidenceRegion& region, RandomStream& random) {
  const auto d = static_cast<double>(region.dim());
  Eigen::VectorXd omega = normal_vector(random, region.dim());
  omega /= kind == GapRegion::Ellipsoid ? omega.norm() : omega.lpNorm<1>();
  const double depth = random.uniform();
  omega *= random.uniform() < 0.5 ? 1.0 : std::pow(depth, 1.0 / d);
  return kind == GapRegion::Ellipsoid
             ? Eigen::VectorXd(region.mu_hat() +
                               region.radius() * region.factor_inverse().transpose() * omega)
             : Eigen::VectorXd(region.mu_hat() +
                               region.l1_radius() * region.root_inverse() * omega);
}

// min_k of what constraint k leaves at x if v is the parameter.
double room_left(const safety::Problem& problem, const Eigen::VectorXd& v,
                 const Eigen::VectorXd& x) {
  double least = kInfinity;
  for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
    const Eigen::VectorXd z = problem.constraints[k].matrix * (x - problem.centre());
    least = std::min(least, problem.room(k) - v.dot(z));
  }
  return least;
}

// Δ_v: the gap at the best of the safe arms, by enumeration.
double gap_on_arms(const safety::Problem& problem, const Eigen::MatrixXd& arms,
                   const Eigen::VectorXd& v) {
  double loss = kInfinity;
  double gap = kInfinity;
  for (Eigen::Index i = 0; i < arms.rows(); ++i) {
    const Eigen::VectorXd x = arms.row(i).transpose();
    const double room = room_left(problem, v, x);
    if (room >= 0.0 && v.dot(x) < loss) {
      loss = v.dot(x);
      gap = room;
    }
  }
  return gap;
}

// Δ_v on a convex body: the constraint binds, or the minimiser over the body is the answer.
double gap_on_body(const safety::Problem& problem, const Eigen::VectorXd& v) {
  const Eigen::VectorXd y = geometry::minimize_linear(problem.decision_set, v).point;
  return std::max(0.0, room_left(problem, v, y));
}

std::string name_of(const ::testing::TestParamInfo<GapRegion>& info) {
  return info.param == GapRegion::Ellipsoid ? "Ellipsoid" : "L1";
}

class GapBoundOf : public ::testing::TestWithParam<GapRegion> {};
INSTANTIATE_TEST_SUITE_P(Regions, GapBoundOf,
                         ::testing::Values(GapRegion::Ellipsoid, GapRegion::L1), name_of);

// On [−1, 1] with v > 0 throughout [l, u]: x* = −1 and the gap is c + b·v.
TEST_P(GapBoundOf, IntervalHasTheGapAtTheEndOfTheRegion) {
  const ConfidenceRegion region = region_around(Eigen::VectorXd::Constant(1, 0.8), 400);
  const double low = -highest(GetParam(), region, -Eigen::VectorXd::Ones(1));
  const double high = highest(GetParam(), region, Eigen::VectorXd::Ones(1));
  ASSERT_GT(low, 0.0);
  const safety::Problem rising = problem_on(Box::symmetric(1, 1.0), {{scalar(2.0), 0.5}});
  const safety::Problem falling = problem_on(Box::symmetric(1, 1.0), {{scalar(-1.0), 1.5}});
  EXPECT_NEAR(bound_of(rising, GetParam(), region), 0.5 + 2.0 * low, 1e-13);
  EXPECT_NEAR(bound_of(falling, GetParam(), region), 1.5 - high, 1e-13);
}

// Arms −1 and 0.2 with B = −1 and v > 0: arm −1 needs v ≤ c and is the better one; where it is
// unsafe for every v only arm 0.2 is left, with the gap c + 0.2 v.
TEST_P(GapBoundOf, TwoArmsOnTheLine) {
  const ConfidenceRegion region = region_around(Eigen::VectorXd::Constant(1, 0.8), 400);
  const double low = -highest(GetParam(), region, -Eigen::VectorXd::Ones(1));
  const double high = highest(GetParam(), region, Eigen::VectorXd::Ones(1));
  ASSERT_GT(low, 0.3);
  const Arms arms(Eigen::MatrixXd(Eigen::Vector2d(-1.0, 0.2)));
  const auto bound = [&](double limit) {
    return bound_of(problem_on(arms, {{scalar(-1.0), limit}}), GetParam(), region);
  };
  EXPECT_NEAR(bound(1.5), 1.5 - high, 1e-13);
  EXPECT_NEAR(bound(0.3), 0.3 + 0.2 * low, 1e-13);
  EXPECT_EQ(bound(0.8), 0.0);
}

// While the region stays inside one orthant, x* is one corner y and Δ_t = c − max vᵀBy.
TEST_P(GapBoundOf, BoxWithOneCornerIsASupportFunction) {
  const Eigen::Vector2d mu(0.7, -0.6);
  const ConfidenceRegion region = region_around(mu, 2000);
  Eigen::Matrix2d B;
  B << 0.3, 0.8, -0.5, 0.4;
  const Eigen::Vector2d corner(-1.0, 1.0);
  const safety::Problem problem = problem_on(Box::symmetric(2, 1.0), {{B, 1.5}});
  EXPECT_NEAR(bound_of(problem, GetParam(), region), 1.5 - highest(GetParam(), region, B * corner),
              1e-13);
}

TEST_P(GapBoundOf, IsZeroWhereSomeParameterMakesTheConstraintBind) {
  const Eigen::Vector2d mu(0.7, -0.6);
  const Eigen::Matrix2d B = -Eigen::Matrix2d::Identity();
  const safety::Problem problem = problem_on(Box::symmetric(2, 1.0), {{B, 1.31}});
  const GapEstimate gap = GapBound(problem, GetParam()).bound(region_around(mu, 50));
  EXPECT_EQ(gap.value, 0.0);
  EXPECT_TRUE(gap.is_complete);
}

TEST_P(GapBoundOf, NoParameterInTheRegionHasASmallerGapOnArms) {
  RandomStream random(/*seed=*/51, /*stream=*/1);
  int positive = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Eigen::Index d = 1 + trial % 4;
    Eigen::MatrixXd arms = normal_matrix(random, 6, d);
    arms.topRows(3) *= 0.2;
    std::vector<safety::SafetyConstraint> constraints;
    for (int k = 0; k <= trial % 3; ++k) {
      constraints.push_back(
          {.matrix = normal_matrix(random, d, d), .limit = 0.5 + random.uniform()});
    }
    const safety::Problem problem = problem_on(Arms(arms), constraints);
    const ConfidenceRegion region = region_around(normal_vector(random, d).normalized(), 300);
    const double bound = bound_of(problem, GetParam(), region);
    positive += bound > 0.0 ? 1 : 0;
    for (int draw = 0; draw < 500; ++draw) {
      const Eigen::VectorXd v = sample(GetParam(), region, random);
      ASSERT_GE(gap_on_arms(problem, arms, v), bound - 1e-9) << "trial " << trial;
    }
  }
  EXPECT_GE(positive, 15);
}

// Two dimensions are few enough for samples to come close to the minimum.
TEST_P(GapBoundOf, IsTheSmallestGapOfTheRegionOnPolytopes) {
  RandomStream random(/*seed=*/52, /*stream=*/1);
  int positive = 0;
  for (int trial = 0; trial < 40; ++trial) {
    Eigen::MatrixXd G(9, 2);
    G << Eigen::MatrixXd::Identity(2, 2), -Eigen::MatrixXd::Identity(2, 2),
        normal_matrix(random, 4, 2).rowwise().normalized(), Eigen::RowVector2d(2.0, 0.0);
    Eigen::VectorXd h = Eigen::VectorXd::Ones(9);
    h(8) = 2.0;
    std::vector<safety::SafetyConstraint> constraints;
    for (int k = 0; k <= trial % 2; ++k) {
      constraints.push_back(
          {.matrix = normal_matrix(random, 2, 2), .limit = 0.8 + random.uniform()});
    }
    const safety::Problem problem = problem_on(Polytope(G, h), constraints);
    const ConfidenceRegion region = region_around(0.5 * normal_vector(random, 2), 20 + 10 * trial);
    const double bound = bound_of(problem, GetParam(), region);
    double smallest = kInfinity;
    for (int draw = 0; draw < 4000; ++draw) {
      smallest = std::min(smallest, gap_on_body(problem, sample(GetParam(), region, random)));
    }
    EXPECT_GE(smallest, bound - 1e-9) << "trial " << trial;
    EXPECT_LE(smallest, bound + 0.03) << "trial " << trial;
    positive += bound > 0.0 ? 1 : 0;
  }
  EXPECT_GE(positive, 10);
}

TEST_P(GapBoundOf, TendsToTheGapAsTheRegionShrinks) {
  const Eigen::Vector3d mu(0.5, -0.4, 0.3);
  RandomStream random(/*seed=*/53, /*stream=*/1);
  const Eigen::MatrixXd arms = normal_matrix(random, 8, 3);
  const Eigen::MatrixXd B = 0.3 * normal_matrix(random, 3, 3);
  for (const safety::Problem& problem :
       {problem_on(Arms(arms), {{B, 0.7}}), problem_on(Box::symmetric(3, 1.0), {{B, 0.7}})}) {
    const double gap = std::holds_alternative<Arms>(problem.decision_set)
                           ? gap_on_arms(problem, arms, mu)
                           : gap_on_body(problem, mu);
    ASSERT_GT(gap, 0.05);
    double last = -1.0;
    for (const int plays : {1, 60, 3600}) {
      const ConfidenceRegion region =
          region_after(mu, 9.0 * Eigen::Matrix3d::Identity(), plays, /*noise_scale=*/0.01);
      const double bound = bound_of(problem, GetParam(), region);
      EXPECT_LE(bound, gap);
      EXPECT_GE(bound, last);
      last = bound;
    }
    EXPECT_NEAR(last, gap, 0.05 * gap);
  }
}

// μᵀB(y − x₀) ≤ m on D₀ is μᵀBu ≤ m on D₀ − x₀, and x₀ does not change which action is best.
TEST_P(GapBoundOf, BaselineIsATranslation) {
  RandomStream random(/*seed=*/54, /*stream=*/1);
  const Eigen::Vector2d x0(0.4, -0.3);
  const Eigen::Vector2d lower(-1.0, -0.8);
  const Eigen::Vector2d upper(0.9, 1.2);
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::Matrix2d B = normal_matrix(random, 2, 2);
    const ConfidenceRegion region = region_around(0.6 * normal_vector(random, 2), 100);
    const safety::Problem moved = problem_on(Box(lower - x0, upper - x0), {{B, 1.2}});
    safety::Problem problem = moved;
    problem.decision_set = Box(lower, upper);
    problem.constraints.front().limit = 3.0;
    problem.baseline = safety::Baseline{.action = x0, .margin = 1.2};
    EXPECT_NEAR(bound_of(safety::resolved(problem), GetParam(), region),
                bound_of(moved, GetParam(), region), 1e-12);
  }
}

TEST_P(GapBoundOf, SeveralConstraintsGiveTheSmallestOfTheirGapsOnABody) {
  RandomStream random(/*seed=*/55, /*stream=*/1);
  const Eigen::MatrixXd first = normal_matrix(random, 3, 3);
  const Eigen::MatrixXd second = normal_matrix(random, 3, 3);
  const Box box = Box::symmetric(3, 1.0);
  const ConfidenceRegion region = region_around(Eigen::Vector3d(0.5, 0.5, -0.5), 500);
  const double both = bound_of(problem_on(box, {{first, 4.0}, {second, 5.0}}), GetParam(), region);
  EXPECT_GT(both, 0.0);
  EXPECT_EQ(both, std::min(bound_of(problem_on(box, {{first, 4.0}}), GetParam(), region),
                           bound_of(problem_on(box, {{second, 5.0}}), GetParam(), region)));
}

TEST_P(GapBoundOf, CopiesOfArmsChangeNothing) {
  RandomStream random(/*seed=*/56, /*stream=*/1);
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::MatrixXd arms = normal_matrix(random, 5, 3);
    Eigen::MatrixXd doubled(10, 3);
    doubled << arms, arms;
    const Eigen::MatrixXd B = normal_matrix(random, 3, 3);
    const ConfidenceRegion region = region_around(normal_vector(random, 3).normalized(), 200);
    EXPECT_NEAR(bound_of(problem_on(Arms(arms), {{B, 1.0}}), GetParam(), region),
                bound_of(problem_on(Arms(doubled), {{B, 1.0}}), GetParam(), region), 1e-12);
  }
}

// Every arm is unsafe for every parameter: all sets are empty, and nothing is known of the gap.
TEST_P(GapBoundOf, IsZeroIfNoArmIsEverSafe) {
  const ConfidenceRegion region = region_around(Eigen::VectorXd::Constant(1, 0.8), 400);
  const Arms arms(Eigen::MatrixXd(Eigen::Vector2d(1.0, 2.0)));
  const GapEstimate gap =
      GapBound(problem_on(arms, {{scalar(1.0), 0.01}}), GetParam()).bound(region);
  EXPECT_EQ(gap.value, 0.0);
  EXPECT_TRUE(gap.is_complete);
}

// Six rows meet in the apex (0, 0, 1) of a pyramid over a hexagon, of which one is doubled.
TEST_P(GapBoundOf, HandlesDegenerateVertices) {
  Eigen::MatrixXd G(9, 3);
  Eigen::VectorXd h = Eigen::VectorXd::Ones(9);
  for (int i = 0; i < 6; ++i) {
    const double angle = i * std::acos(-1.0) / 3.0;
    G.row(i) << std::cos(angle), std::sin(angle), 1.0;
  }
  G.row(6) << 0.0, 0.0, -1.0;
  h(6) = 0.2;
  G.row(7) = 3.0 * G.row(2);
  h(7) = 3.0;
  G.row(8) << 0.0, 0.0, 1.0;  // touches the apex only
  const Eigen::Vector3d apex(0.0, 0.0, 1.0);
  RandomStream random(/*seed=*/57, /*stream=*/1);
  for (int trial = 0; trial < 20; ++trial) {
    const safety::Problem problem =
        problem_on(Polytope(G, h), {{normal_matrix(random, 3, 3), 1.2}});
    // Around −apex the apex is optimal for the whole region.
    const ConfidenceRegion inside =
        region_after(-0.8 * apex, 9.0 * Eigen::Matrix3d::Identity(), 40);
    const double expected =
        1.2 - highest(GetParam(), inside, problem.constraints.front().matrix * apex);
    EXPECT_NEAR(bound_of(problem, GetParam(), inside), std::max(0.0, expected), 1e-12);
    // Wide regions reach other vertices.
    const ConfidenceRegion wide = region_around(0.3 * normal_vector(random, 3), 5);
    const double bound = bound_of(problem, GetParam(), wide);
    for (int draw = 0; draw < 500; ++draw) {
      ASSERT_GE(gap_on_body(problem, sample(GetParam(), wide, random)), bound - 1e-9);
    }
  }
}

// 0 ∈ C reaches all 2^d orthants, which a small limit does not allow.
TEST_P(GapBoundOf, GivesUpAtTheSizeLimit) {
  const Eigen::Index d = 6;
  const safety::Problem problem =
      problem_on(Box::symmetric(d, 1.0), {{0.01 * Eigen::MatrixXd::Identity(d, d), 5.0}});
  const ConfidenceRegion region = region_around(Eigen::VectorXd::Zero(d), 10);
  const GapEstimate all = GapBound(problem, GetParam()).bound(region);
  EXPECT_TRUE(all.is_complete);
  EXPECT_EQ(all.vertices, 64);
  EXPECT_GT(all.value, 4.0);
  const GapEstimate some = GapBound(problem, GetParam(), {.max_vertices = 63}).bound(region);
  EXPECT_FALSE(some.is_complete);
  EXPECT_EQ(some.value, 0.0);
}

// Coordinates whose sign is certain do not branch: 2 of 10 are open here.
TEST_P(GapBoundOf, VisitsOnlyOrthantsThatTheRegionReaches) {
  const Eigen::Index d = 10;
  Eigen::VectorXd mu = Eigen::VectorXd::Constant(d, 0.3);
  mu.head(2).setConstant(1e-4);
  const safety::Problem problem =
      problem_on(Box::symmetric(d, 1.0), {{Eigen::MatrixXd::Identity(d, d), 5.0}});
  const GapEstimate gap = GapBound(problem, GetParam())
                              .bound(region_after(mu, 9.0 * Eigen::MatrixXd::Identity(d, d), 250));
  EXPECT_TRUE(gap.is_complete);
  EXPECT_LE(gap.vertices, 4 + 4 * (d - 2));
}

// g(v) = vᵀHv/‖v‖ falls by at most 2‖H‖ρ; ρ is the largest semi-axis, or the farthest vertex.
TEST_P(GapBoundOf, BallIsTheClosedForm) {
  Eigen::Matrix2d B;
  B << 1.0, 0.4, -0.2, -0.5;
  const Eigen::Matrix2d H = 0.5 * (B + B.transpose());
  const safety::Problem problem = problem_on(Ball(2, 1.5), {{B, 1.0}});
  const ConfidenceRegion region =
      region_after(Eigen::Vector2d(0.8, 0.1), 9.0 * Eigen::Matrix2d::Identity(), 250);
  const Eigen::Vector2d& mu_hat = region.mu_hat();
  // A is a multiple of I here, and √λ_min(A) = 1/‖F⁻¹‖.
  const double radius = GetParam() == GapRegion::L1 ? region.l1_radius() : region.radius();
  const double rho = radius * region.factor_inverse()(0, 0);
  const double expected =
      1.0 + 1.5 * mu_hat.dot(B * mu_hat) / mu_hat.norm() - 2.0 * 1.5 * H.operatorNorm() * rho;
  ASSERT_GT(expected, 0.0);
  EXPECT_NEAR(bound_of(problem, GetParam(), region), expected, 1e-10);
}

TEST_P(GapBoundOf, NoParameterInTheRegionHasASmallerGapOnABall) {
  RandomStream random(/*seed=*/58, /*stream=*/1);
  for (int trial = 0; trial < 40; ++trial) {
    const Eigen::Index d = 1 + trial % 4;
    safety::Problem problem = problem_on(Ball(d, 1.2), {{normal_matrix(random, d, d), 1.5}});
    if (trial % 2 == 1) {
      problem.baseline =
          safety::Baseline{.action = Eigen::VectorXd::Constant(d, 0.3), .margin = 1.4};
    }
    const ConfidenceRegion region = region_around(0.4 * normal_vector(random, d), 1 + 40 * trial);
    const double bound = bound_of(problem, GetParam(), region);
    for (int draw = 0; draw < 500; ++draw) {
      ASSERT_GE(gap_on_body(problem, sample(GetParam(), region, random)), bound - 1e-9);
    }
  }
}

// H ⪰ 0: vᵀBy(v) ≤ 0 for every v, so the gap is at least c, even without data (μ̂ = 0).
TEST_P(GapBoundOf, BallWithAPositiveFormNeedsNoData) {
  const safety::Problem problem = problem_on(Ball(3, 1.0), {{Eigen::Matrix3d::Identity(), 0.7}});
  EXPECT_NEAR(bound_of(problem, GetParam(), region_around(Eigen::Vector3d::Zero(), 0)), 0.7, 1e-9);
}

TEST_P(GapBoundOf, ContextualArmsAreTreatedLikeFixedOnes) {
  RandomStream random(/*seed=*/59, /*stream=*/1);
  const Eigen::MatrixXd arms = normal_matrix(random, 5, 2);
  const Eigen::MatrixXd B = normal_matrix(random, 2, 2);
  const ConfidenceRegion region = region_around(Eigen::Vector2d(0.6, 0.6), 300);
  const safety::Problem contextual = problem_on(geometry::ContextualArms(2), {{B, 1.0}});
  GapBound bound(contextual, GetParam());
  EXPECT_EQ(bound.bound(region, arms).value,
            bound_of(problem_on(Arms(arms), {{B, 1.0}}), GetParam(), region));
  EXPECT_THROW(static_cast<void>(bound.bound(region)), Error);
  EXPECT_THROW(static_cast<void>(bound.bound(region, Eigen::MatrixXd::Ones(2, 3))), Error);
  EXPECT_THROW(static_cast<void>(bound.bound(region, Eigen::MatrixXd(0, 2))), Error);
}

TEST_P(GapBoundOf, RegionThatCannotBeUsedGivesNothing) {
  const safety::Problem problem =
      problem_on(Box::symmetric(2, 1.0), {{Eigen::Matrix2d::Zero(), 1.0}});
  const GapEstimate gap = GapBound(problem, GetParam()).bound(ConfidenceRegion(2));
  EXPECT_EQ(gap.value, 0.0);
  EXPECT_FALSE(gap.is_complete);
}

TEST(GapOptions, RefuseALimitThatIsNotPositive) {
  EXPECT_THROW(validate(GapOptions{.max_vertices = 0}), Error);
}

}  // namespace
}  // namespace foothold::gap
