#include "foothold/geometry/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "kolmogorov.hpp"

namespace foothold::geometry {
namespace {

constexpr std::size_t kSampleSize = 50'000;
const double kMaxDistance = foothold::testing::max_kolmogorov_distance(kSampleSize);

template <typename Draw, typename Statistic>
std::vector<double> sample_of(Draw draw, Eigen::Index d, Statistic statistic) {
  RandomStream random(/*seed=*/2019, /*stream=*/static_cast<std::uint64_t>(d));
  Eigen::VectorXd point(d);
  std::vector<double> sample(kSampleSize);
  for (double& value : sample) {
    draw(random, point);
    value = statistic(point);
  }
  return sample;
}

TEST(SampleSphere, PointsHaveNormOne) {
  for (const Eigen::Index d : {1, 2, 3, 10}) {
    for (const double norm :
         sample_of(sample_sphere, d, [](const Eigen::VectorXd& x) { return x.norm(); })) {
      ASSERT_NEAR(norm, 1.0, 1e-15 * static_cast<double>(d + 1));
    }
  }
}

TEST(SampleSphere, ProjectionsOfTheSphereInThreeDimensionsAreUniform) {
  // Archimedes' hat-box theorem, for an axis that is not one of the coordinates'.
  const Eigen::Vector3d axis = Eigen::Vector3d(1.0, -2.0, 2.0) / 3.0;
  const auto sample =
      sample_of(sample_sphere, 3, [&](const Eigen::VectorXd& x) { return axis.dot(x); });
  EXPECT_LE(
      foothold::testing::kolmogorov_distance(sample, [](double z) { return 0.5 * (1.0 + z); }),
      kMaxDistance);
}

TEST(SampleSphere, TheAngleOnTheCircleIsUniform) {
  const auto sample =
      sample_of(sample_sphere, 2, [](const Eigen::VectorXd& x) { return std::atan2(x(1), x(0)); });
  const auto cdf = [](double angle) { return 0.5 + 0.5 * angle / std::numbers::pi; };
  EXPECT_LE(foothold::testing::kolmogorov_distance(sample, cdf), kMaxDistance);
}

TEST(SampleSphere, BothPointsOfTheSphereInOneDimensionAreEquallyLikely) {
  const auto sample = sample_of(sample_sphere, 1, [](const Eigen::VectorXd& x) { return x(0); });
  double sum = 0.0;
  for (const double value : sample) {
    ASSERT_EQ(std::abs(value), 1.0);
    sum += value;
  }
  // Hoeffding: P(|mean| > s) ≤ 2 exp(−n s²/2) < 1e-6 for s = √(2·14.6/n).
  const auto n = static_cast<double>(kSampleSize);
  EXPECT_LE(std::abs(sum / n), std::sqrt(2.0 * 14.6 / n));
}

TEST(SampleBall, TheRadiusToThePowerOfTheDimensionIsUniform) {
  for (const Eigen::Index d : {1, 2, 5}) {
    const auto sample = sample_of(sample_ball, d, [d](const Eigen::VectorXd& x) {
      return std::pow(x.norm(), static_cast<double>(d));
    });
    EXPECT_LE(foothold::testing::kolmogorov_distance(sample, [](double u) { return u; }),
              kMaxDistance);
  }
}

TEST(SampleBall, SecondMomentsAreThoseOfTheUniformBall) {
  // E xxᵀ = I/(d + 2). The mean of n terms in [−1, 1] errs by more than √(2·17/n) with
  // probability ≤ 2 exp(−17) < 1e-7 (Hoeffding), for each of the d(d + 1)/2 entries.
  constexpr Eigen::Index d = 4;
  RandomStream random(/*seed=*/2020, /*stream=*/0);
  Eigen::VectorXd point(d);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(d, d);
  for (std::size_t i = 0; i < kSampleSize; ++i) {
    sample_ball(random, point);
    sum += point * point.transpose();
  }
  const auto n = static_cast<double>(kSampleSize);
  const Eigen::MatrixXd error =
      sum / n - Eigen::MatrixXd::Identity(d, d) / (static_cast<double>(d) + 2.0);
  EXPECT_LE(error.cwiseAbs().maxCoeff(), std::sqrt(2.0 * 17.0 / n));
}

TEST(Sampling, TakesADrawForEachDimensionAndOneForTheRadius) {
  RandomStream random(/*seed=*/1, /*stream=*/0);
  Eigen::VectorXd point(7);
  sample_sphere(random, point);
  EXPECT_EQ(random.position(), 7U);
  sample_ball(random, point);
  EXPECT_EQ(random.position(), 15U);
}

TEST(Sampling, TheSameStreamGivesTheSamePoints) {
  RandomStream first(/*seed=*/5, /*stream=*/6);
  RandomStream second(/*seed=*/5, /*stream=*/6);
  Eigen::VectorXd a(3);
  Eigen::VectorXd b(3);
  sample_ball(first, a);
  sample_ball(second, b);
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace foothold::geometry
