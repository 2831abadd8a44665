#include "foothold/simulation/world/environment.hpp"

#include <cmath>
#include <numbers>
#include <set>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "foothold/base/error.hpp"

#include "paper_polytope.hpp"

namespace foothold::simulation {
namespace {

struct Moments {
  double mean = 0.0;
  double second = 0.0;
  double largest = 0.0;
};

Moments moments(config::NoiseType type, double scale) {
  constexpr int kDraws = 200000;
  RandomStream random(5, 0);
  Moments result;
  for (int i = 0; i < kDraws; ++i) {
    const double eta = draw_noise({.type = type, .scale = scale}, random);
    result.mean += eta / kDraws;
    result.second += eta * eta / kDraws;
    result.largest = std::max(result.largest, std::abs(eta));
  }
  return result;
}

// Bounds: six standard errors; Var η² is 2s⁴, 4s⁴/5 and 0 at scale s.
TEST(DrawNoise, GaussianHasItsScaleAsStandardDeviation) {
  const Moments noise = moments(config::NoiseType::Gaussian, 0.5);
  EXPECT_NEAR(noise.mean, 0.0, 6.0 * 0.5 / std::sqrt(200000.0));
  EXPECT_NEAR(noise.second, 0.25, 6.0 * std::sqrt(2.0) * 0.25 / std::sqrt(200000.0));
}

TEST(DrawNoise, UniformFillsTheIntervalWhoseDeviationIsItsScale) {
  const Moments noise = moments(config::NoiseType::Uniform, 0.5);
  EXPECT_NEAR(noise.mean, 0.0, 6.0 * 0.5 / std::sqrt(200000.0));
  EXPECT_NEAR(noise.second, 0.25, 6.0 * std::sqrt(4.0 / 5.0) * 0.25 / std::sqrt(200000.0));
  EXPECT_LE(noise.largest, 0.5 * std::numbers::sqrt3);
  EXPECT_GE(noise.largest, 0.499 * std::numbers::sqrt3);
}

TEST(DrawNoise, RademacherIsPlusOrMinusItsScale) {
  RandomStream random(5, 1);
  std::set<double> values;
  for (int i = 0; i < 100; ++i) {
    values.insert(draw_noise({.type = config::NoiseType::Rademacher, .scale = 0.5}, random));
  }
  EXPECT_EQ(values, (std::set<double>{-0.5, 0.5}));
  EXPECT_NEAR(moments(config::NoiseType::Rademacher, 0.5).mean, 0.0, 3.0 / std::sqrt(200000.0));
}

TEST(DrawNoise, TakesOneDrawPerRoundWhateverItsType) {
  for (const auto type :
       {config::NoiseType::Gaussian, config::NoiseType::Uniform, config::NoiseType::Rademacher}) {
    RandomStream random(5, 2);
    static_cast<void>(draw_noise({.type = type, .scale = 1.0}, random));
    EXPECT_EQ(random.position(), 1U);
  }
}

TEST(Environment, MarginOfThePapersOptimumIsTheGap) {
  const Environment environment(testing::paper_polytope(), testing::paper_polytope_parameter());
  EXPECT_NEAR(environment.margin(environment.best().action), 3.1568, 1e-14);
  EXPECT_NEAR(environment.mean_loss(environment.best().action), -0.944, 1e-15);
}

TEST(Environment, MarginIsOfTheTightestConstraint) {
  safety::Problem problem = testing::paper_polytope();
  problem.constraints.push_back({.matrix = Eigen::Matrix2d::Identity(), .limit = 0.5});
  const Environment environment(problem, Eigen::Vector2d(0.5, 0.25));
  // At (1, 0): first 0.9 − (0.6·0.5 + 1.8·0.25) = 0.15, second 0.5 − 0.5 = 0.
  EXPECT_EQ(environment.margin(Eigen::Vector2d(1.0, 0.0)), 0.0);
  EXPECT_NEAR(environment.margin(Eigen::Vector2d(0.0, 0.0)), 0.5, 0.0);
}

TEST(Environment, MarginHasTheSignOfTheExactValue) {
  // μᵀBx = (1 + ε)(1 − ε) + tail with ε = 2⁻³⁰: 1 − 2⁻⁶⁰ + tail, which a double rounds to 1 + tail.
  const double epsilon = 0x1p-30;
  const Eigen::MatrixXd B = Eigen::Vector2d(1.0 + epsilon, 1.0).asDiagonal();
  const safety::Problem problem{.decision_set = geometry::Box::symmetric(2, 2.0),
                                .constraints = {{.matrix = B, .limit = 1.0}}};
  const Environment environment(problem, Eigen::Vector2d(1.0, 1.0));
  EXPECT_EQ(environment.margin(Eigen::Vector2d(1.0 - epsilon, 0.0)), 0x1p-60);
  EXPECT_EQ(environment.margin(Eigen::Vector2d(1.0 - epsilon, 0x1p-60)), 0.0);
  EXPECT_EQ(environment.margin(Eigen::Vector2d(1.0 - epsilon, 0x1p-59)), -0x1p-60);
}

TEST(Environment, ComparesContextualArmsWithTheBestSafeOne) {
  const safety::Problem problem{
      .decision_set = geometry::ContextualArms(2),
      .constraints = {{.matrix = -Eigen::Matrix2d::Identity(), .limit = 0.5}},
      .assumptions = {.action_bound = 2.0}};
  const Environment environment(problem, Eigen::Vector2d(1.0, 0.0));
  // Losses −1, −0.5, −0.5 and 1; the constraint −μᵀx ≤ 0.5 excludes the first.
  Eigen::MatrixXd arms(4, 2);
  arms << -1.0, 0.0, -0.5, 0.1, -0.5, 0.2, 1.0, 0.0;
  const BestSafeAction best = environment.best_among(arms);
  EXPECT_EQ(best.action, Eigen::Vector2d(-0.5, 0.1));
  EXPECT_EQ(best.loss, -0.5);
  EXPECT_EQ(best.safety_gap, 0.0);
  EXPECT_THROW(static_cast<void>(environment.best_among(arms.topRows(1))), Error);
  EXPECT_TRUE(std::isnan(environment.best().loss));
}

}  // namespace
}  // namespace foothold::simulation
