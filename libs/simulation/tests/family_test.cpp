#include "foothold/simulation/world/family.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/geometry/sampling.hpp"
#include "foothold/safety/known_safe_set.hpp"
#include "foothold/simulation/batch/runner.hpp"
#include "foothold/simulation/world/best_safe_action.hpp"

#include "clp_oracle.hpp"

namespace foothold::simulation {
namespace {

config::FamilyConfig paper_family() {
  return {.type = "k-armed"};
}

const Eigen::MatrixXd& features(const Instance& instance) {
  return std::get<geometry::Arms>(instance.problem.decision_set).features();
}

TEST(DrawInstance, HasThePapersRanges) {
  for (std::int64_t run = 0; run < 200; ++run) {
    const Instance instance = draw_instance(paper_family(), 7, run);
    const safety::SafetyConstraint& constraint = instance.problem.constraints.at(0);
    EXPECT_NEAR(instance.parameter.norm(), 1.0, 1e-14);
    EXPECT_LE(instance.parameter.norm(), 1.0);
    EXPECT_EQ(features(instance).rows(), 15);
    EXPECT_EQ(features(instance).cols(), 4);
    EXPECT_LE(features(instance).rowwise().norm().maxCoeff(), 1.0);
    EXPECT_GE(constraint.matrix.minCoeff(), 0.0);
    EXPECT_LE(constraint.matrix.maxCoeff(), 0.5);
    EXPECT_GT(constraint.limit, 0.0);
    EXPECT_LT(constraint.limit, 1.0);
    EXPECT_EQ(instance.problem.assumptions.action_bound, 1.0);
    EXPECT_NO_THROW(safety::validate(instance.problem));
  }
}

TEST(DrawInstance, PutsItsFirstArmsIntoTheFoothold) {
  for (std::int64_t run = 0; run < 200; ++run) {
    const Instance instance = draw_instance(paper_family(), 7, run);
    const safety::Problem problem = safety::resolved(instance.problem);
    const safety::KnownSafeSet foothold(problem, safety::Sampler::Uniform);
    ASSERT_GE(foothold.safe_arms().size(), 5U);
    for (Eigen::Index arm = 0; arm < 5; ++arm) {
      EXPECT_EQ(foothold.safe_arms().at(static_cast<std::size_t>(arm)), arm) << run;
    }
  }
}

TEST(DrawInstance, IsAFunctionOfSeedAndRun) {
  const Instance first = draw_instance(paper_family(), 7, 3);
  EXPECT_EQ(features(first), features(draw_instance(paper_family(), 7, 3)));
  EXPECT_NE(features(first), features(draw_instance(paper_family(), 7, 4)));
  EXPECT_NE(features(first), features(draw_instance(paper_family(), 8, 3)));
}

TEST(DrawInstance, ExcludesTheBestArmInAFewPerCentOfTheDraws) {
  // About 3 % are known from an independent simulation: between 1 and 6 % of 2000 draws is ten
  // standard errors wide.
  int active = 0;
  for (std::int64_t run = 0; run < 2000; ++run) {
    const Instance instance = draw_instance(paper_family(), 11, run);
    const double unconstrained = (features(instance) * instance.parameter).minCoeff();
    const double constrained = best_safe_action(instance.problem, instance.parameter).loss;
    active += constrained > unconstrained + 1e-12 ? 1 : 0;
  }
  EXPECT_GE(active, 20);
  EXPECT_LE(active, 120);
}

TEST(DrawInstance, WithAnActiveConstraintMakesTheBestArmUnsafe) {
  config::FamilyConfig family = paper_family();
  family.constraint_active = true;
  for (std::int64_t run = 0; run < 20; ++run) {
    const Instance instance = draw_instance(family, 7, run);
    const double unconstrained = (features(instance) * instance.parameter).minCoeff();
    EXPECT_GT(best_safe_action(instance.problem, instance.parameter).loss, unconstrained + 1e-12);
  }
}

TEST(DrawInstance, RefusesBadKeysByName) {
  const auto field_of = [](config::FamilyConfig family) -> std::string {
    try {
      static_cast<void>(draw_instance(family, 0, 0));
    } catch (const Error& error) {
      return error.field();
    }
    return "";
  };
  EXPECT_EQ(field_of({.type = "k-legged"}), "family.type");
  EXPECT_EQ(field_of({.type = "k-armed", .dim = 0}), "family.dim");
  EXPECT_EQ(field_of({.type = "k-armed", .arms = 0}), "family.arms");
  EXPECT_EQ(field_of({.type = "k-armed", .arms = 3, .safe_arms = 4}), "family.safe_arms");
  EXPECT_EQ(field_of({.type = "k-armed", .norm_bound = 0.5}), "family.norm_bound");
  EXPECT_EQ(field_of({.type = "k-armed", .gap = 0.1}), "family.gap");
  EXPECT_EQ(field_of({.type = "box", .gap = -0.1}), "family.gap");
  EXPECT_EQ(field_of({.type = "box", .constraint_active = true, .gap = 0.1}), "family.gap");
  EXPECT_EQ(field_of({.type = "polytope", .dim = 3, .rows = 5}), "family.rows");
  EXPECT_EQ(field_of({.type = "contextual", .safe_arms = 0}), "family.safe_arms");
  EXPECT_EQ(field_of({.type = "contextual", .min_gap = 0.1}), "family.constraint_active");
  // Every arm is in the foothold, so that the best one is always safe.
  EXPECT_EQ(
      field_of({.type = "k-armed", .dim = 1, .arms = 1, .safe_arms = 1, .constraint_active = true}),
      "family.constraint_active");
}

TEST(DrawInstance, PolytopesHaveTheirRowsAndAreNeitherThinNorLong) {
  for (const Eigen::Index d : {1, 2, 5}) {
    for (const Eigen::Index rows : {2 * d, 4 * d}) {
      const Instance instance = draw_instance({.type = "polytope", .dim = d, .rows = rows}, 7, 0);
      const auto& polytope = std::get<geometry::Polytope>(instance.problem.decision_set);
      const Eigen::MatrixXd& G = polytope.normals();
      ASSERT_EQ(G.rows(), rows);
      EXPECT_LE((G.rowwise().norm().array() - 1.0).abs().maxCoeff(), 1e-14);
      EXPECT_TRUE((G.topRows(d) * G.topRows(d).transpose()).isIdentity(1e-13));
      EXPECT_EQ(G.topRows(d), -G.middleRows(d, d));
      EXPECT_GE(polytope.offsets().minCoeff(), 0.5);
      EXPECT_LE(polytope.offsets().maxCoeff(), 1.0);
    }
  }
  const Instance by_default = draw_instance({.type = "polytope", .dim = 3}, 7, 0);
  EXPECT_EQ(std::get<geometry::Polytope>(by_default.problem.decision_set).normals().rows(), 9);
}

TEST(DrawInstance, PolytopesPointNowhereInParticular) {
  // A uniform unit vector g has E g_i g_j = δ_ij/3 in three dimensions; Var g_i² = 4/45 and
  // Var g_i g_j = 1/15. Six standard errors of 500 draws, for a side of the box and for a cut.
  constexpr int kDraws = 500;
  for (const Eigen::Index row : {1, 7}) {
    Eigen::Matrix3d mean = Eigen::Matrix3d::Zero();
    for (std::int64_t run = 0; run < kDraws; ++run) {
      const Instance instance = draw_instance({.type = "polytope", .dim = 3, .rows = 8}, 3, run);
      const Eigen::Vector3d g =
          std::get<geometry::Polytope>(instance.problem.decision_set).normals().row(row);
      mean += g * g.transpose() / kDraws;
    }
    const double bound = 6.0 * std::sqrt(4.0 / 45.0 / kDraws);
    EXPECT_LE((mean - Eigen::Matrix3d::Identity() / 3.0).cwiseAbs().maxCoeff(), bound) << row;
  }
}

// The rows of a box or a polytope.
std::pair<Eigen::MatrixXd, Eigen::VectorXd> rows_of(const geometry::DecisionSet& set) {
  if (const auto* polytope = std::get_if<geometry::Polytope>(&set)) {
    return {polytope->normals(), polytope->offsets()};
  }
  const auto& box = std::get<geometry::Box>(set);
  Eigen::MatrixXd G(2 * box.dim(), box.dim());
  G << Eigen::MatrixXd::Identity(box.dim(), box.dim()),
      -Eigen::MatrixXd::Identity(box.dim(), box.dim());
  Eigen::VectorXd h(2 * box.dim());
  h << box.upper(), -box.lower();
  return {G, h};
}

TEST(DrawInstance, HasThePrescribedGapByClp) {
  for (const char* type : {"box", "polytope"}) {
    for (const double gap : {0.0, 1e-9, 0.05, 1.5}) {
      for (std::int64_t run = 0; run < 10; ++run) {
        const Instance instance =
            draw_instance({.type = type, .dim = 1 + run % 6, .gap = gap}, 5, run);
        const Eigen::VectorXd& mu = instance.parameter;
        const safety::SafetyConstraint& constraint = instance.problem.constraints.front();
        const Eigen::VectorXd q = constraint.matrix.transpose() * mu;
        const auto [G, h] = rows_of(instance.problem.decision_set);
        Eigen::MatrixXd all(G.rows() + 1, G.cols());
        all << G, q.transpose();
        Eigen::VectorXd upper(h.size() + 1);
        upper << h, constraint.limit;
        // The limit leaves a quarter at least of what the unconstrained optimum would take.
        EXPECT_GT(constraint.limit, 0.0);
        const double taken = q.dot(testing::minimize_by_clp(G, h, mu).point);
        const double slack =
            constraint.limit - q.dot(testing::minimize_by_clp(all, upper, mu).point);
        EXPECT_NEAR(slack, gap, 1e-12) << type << " run " << run;
        if (gap == 0.0) {
          EXPECT_LE(constraint.limit, 0.751 * taken);
          EXPECT_GE(constraint.limit, 0.249 * taken);
        }
      }
    }
  }
}

TEST(DrawInstance, OnBallsHasThePrescribedGapInClosedForm) {
  // The unconstrained optimum is −μ. If it is unsafe, the constraint binds.
  for (const double gap : {0.0, 0.3}) {
    for (std::int64_t run = 0; run < 20; ++run) {
      const Instance instance = draw_instance({.type = "ball", .dim = 3, .gap = gap}, 5, run);
      const Eigen::VectorXd& mu = instance.parameter;
      const safety::SafetyConstraint& constraint = instance.problem.constraints.front();
      const double slack = constraint.limit + mu.dot(constraint.matrix * mu);
      if (gap > 0.0) {
        EXPECT_NEAR(slack, gap, 1e-14);
      } else {
        EXPECT_LT(slack, 0.0);
      }
      EXPECT_NEAR(best_safe_action(instance.problem, mu).safety_gap, gap, 1e-13);
    }
  }
}

TEST(DrawInstance, OfSixtyFourDimensionsIsAValidProblem) {
  for (const char* type : {"box", "ball"}) {
    const Instance instance = draw_instance({.type = type, .dim = 64, .gap = 0.2}, 5, 0);
    EXPECT_NO_THROW(safety::validate(instance.problem)) << type;
    EXPECT_NEAR(best_safe_action(instance.problem, instance.parameter).safety_gap, 0.2, 1e-12);
  }
}

TEST(DrawInstance, OfSixtyFourDimensionsIsPlayedSafely) {
  // The first round only: in so many dimensions the early ones take a tenth of a second each.
  const ExperimentResult result =
      run_experiment({.horizon = 1,
                      .runs = 1,
                      .seed = 5,
                      .family = config::FamilyConfig{.type = "box", .dim = 64, .gap = 0.0},
                      .policies = {{.name = "targeted"},
                                   {.name = "lucb", .algorithm = policy::Algorithm::SafeLucb}}},
                     {.threads = 1});
  for (const PolicyResult& policy : result.policies) {
    EXPECT_EQ(policy.runs.at(0).violations, 0) << policy.name;
    EXPECT_GT(policy.runs.at(0).min_margin, 0.0) << policy.name;
    EXPECT_GT(policy.runs.at(0).final_regret, 0.0) << policy.name;
    EXPECT_EQ(policy.runs.at(0).safety_gap, 0.0) << policy.name;
  }
}

// Oracle: rejection from the unit ball, where it is feasible.
std::vector<Eigen::VectorXd> by_rejection(const Eigen::MatrixXd& B, double r, std::size_t count) {
  RandomStream random(99, 99);
  std::vector<Eigen::VectorXd> draws;
  Eigen::VectorXd x(B.cols());
  while (draws.size() < count) {
    geometry::sample_ball(random, x);
    if ((B * x).norm() <= r) {
      draws.push_back(x);
    }
  }
  return draws;
}

// Largest distance between the empirical distribution functions of two samples of one size.
double kolmogorov_distance(std::vector<double> a, std::vector<double> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  double distance = 0.0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    (a[i] <= b[j] ? i : j) += 1;
    const double difference = std::abs(static_cast<double>(i) - static_cast<double>(j));
    distance = std::max(distance, difference / static_cast<double>(a.size()));
  }
  return distance;
}

TEST(BallSectionSampler, HasTheDistributionOfRejectionFromTheBall) {
  constexpr std::size_t kDraws = 20000;
  Eigen::MatrixXd B(3, 3);
  B << 0.9, 0.3, 0.1, 0.2, 0.5, 0.0, 0.1, 0.0, 0.2;
  for (const double r : {0.15, 0.4, 0.8, 5.0}) {
    const BallSectionSampler sampler(B, r);
    RandomStream random(12, 0);
    const std::vector<Eigen::VectorXd> expected = by_rejection(B, r, kDraws);
    std::vector<Eigen::VectorXd> drawn;
    for (std::size_t i = 0; i < kDraws; ++i) {
      drawn.push_back(sampler.sample(random));
    }
    // Two-sample Kolmogorov–Smirnov: above 2.2√(2/n) with probability 1.2e-4 each.
    for (const auto& statistic : std::vector<double (*)(const Eigen::VectorXd&)>{
             [](const Eigen::VectorXd& x) { return x(0); },
             [](const Eigen::VectorXd& x) { return x(2); },
             [](const Eigen::VectorXd& x) { return x.norm(); }}) {
      std::vector<double> a;
      std::vector<double> b;
      for (std::size_t i = 0; i < kDraws; ++i) {
        a.push_back(statistic(drawn[i]));
        b.push_back(statistic(expected[i]));
      }
      EXPECT_LE(kolmogorov_distance(a, b), 2.2 * std::sqrt(2.0 / kDraws)) << r;
    }
  }
}

TEST(BallSectionSampler, DrawsFromTinySectionsWithoutWaiting) {
  RandomStream random(13, 0);
  for (const Eigen::Index d : {1, 2, 4, 8}) {
    const Eigen::MatrixXd B =
        Eigen::MatrixXd::NullaryExpr(d, d, [&] { return 0.5 * random.uniform(); });
    const BallSectionSampler sampler(B, 1e-9);
    const std::uint64_t before = random.position();
    for (int i = 0; i < 1000; ++i) {
      const Eigen::VectorXd x = sampler.sample(random);
      EXPECT_LE((B * x).norm(), 1e-9);
      EXPECT_LE(x.norm(), 1.0);
    }
    // At least one draw in 2^{d/2} hits; each takes d + 1 numbers. Twice that is far out.
    const double draws =
        static_cast<double>(random.position() - before) / static_cast<double>(d + 1);
    EXPECT_LE(draws, 2.0 * 1000.0 * std::pow(2.0, 0.5 * static_cast<double>(d)));
  }
}

TEST(BallSectionSampler, TakesSingularAndZeroMatrices) {
  RandomStream random(14, 0);
  Eigen::MatrixXd singular = Eigen::MatrixXd::Zero(3, 3);
  singular(0, 0) = 1.0;
  const BallSectionSampler slab(singular, 0.01);
  const BallSectionSampler ball(Eigen::MatrixXd::Zero(3, 3), 0.01);
  double slab_extent = 0.0;
  double ball_extent = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const Eigen::VectorXd x = slab.sample(random);
    EXPECT_LE(std::abs(x(0)), 0.01);
    slab_extent = std::max(slab_extent, std::abs(x(1)));
    ball_extent = std::max(ball_extent, ball.sample(random).norm());
  }
  EXPECT_GE(slab_extent, 0.9);
  EXPECT_GE(ball_extent, 0.9);
}

}  // namespace
}  // namespace foothold::simulation
