#include "foothold/estimation/ridge_family.hpp"

#include <cmath>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/base/random_stream.hpp"

#include "dataset.hpp"
#include "family_definition.hpp"

namespace foothold::estimation {
namespace {

using foothold::testing::FamilyDefinition;

struct Pair {
  RidgeEstimate base;
  RidgeFamily family;
};

Pair learn(const testing::Dataset& data, const Assumptions& assumptions) {
  const Eigen::Index d = data.actions.cols();
  Pair pair{RidgeEstimate(d, assumptions), RidgeFamily(d, assumptions)};
  for (Eigen::Index i = 0; i < data.actions.rows(); ++i) {
    pair.base.observe(data.actions.row(i).transpose(), data.losses(i));
    pair.family.observe(data.actions.row(i).transpose(), data.losses(i));
  }
  return pair;
}

TEST(RidgeFamily, RadiiAreThoseOfTheDefinition) {
  for (const Eigen::Index d : {1, 2, 4, 7}) {
    for (const int count : {0, 3, 200}) {
      const testing::Dataset data =
          testing::random_dataset(count, d, /*stream=*/static_cast<std::uint64_t>(40 + d));
      const Assumptions assumptions{.noise_scale = 0.3,
                                    .norm_bound = 1.0,
                                    .action_bound = 1.0,
                                    .ridge = 0.09,
                                    .failure_prob = 0.01};
      const Pair pair = learn(data, assumptions);
      for (std::size_t i = 0; i < pair.family.size(); ++i) {
        const long double expected =
            FamilyDefinition(data.actions, data.losses, assumptions, RidgeFamily::kFactors[i])
                .radius_sq;
        ASSERT_GT(expected, 0.0L);
        const double radius = pair.family.radius(i, pair.base);
        EXPECT_GE(radius, static_cast<double>(std::sqrt(expected)) * (1.0 - 1e-15));
        EXPECT_NEAR(radius, static_cast<double>(std::sqrt(expected)), 1e-9 * radius);
      }
    }
  }
}

TEST(RidgeFamily, ItsRegionsHoldWhereverTheMixturesEventDoes) {
  // The event bounds Σ(ℓ − μᵀx)² − min_v { Σ(ℓ − vᵀx)² + λ‖v‖² }; where that holds and ‖μ‖ ≤ S,
  // every member's region contains μ, deterministically. Parameters are drawn around the estimate,
  // so that some lie inside and some outside of the event.
  const Eigen::Index d = 3;
  const testing::Dataset data = testing::random_dataset(60, d, /*stream=*/51);
  const Assumptions assumptions{.noise_scale = 0.3,
                                .norm_bound = 2.0,
                                .action_bound = 1.0,
                                .ridge = 0.09 / 4.0,
                                .failure_prob = 0.1};
  const Pair pair = learn(data, assumptions);
  const double ridge = *assumptions.ridge;
  const auto squares = [&](const Eigen::VectorXd& v) {
    return (data.losses - data.actions * v).squaredNorm();
  };
  const Eigen::VectorXd& mu_hat = pair.base.mu_hat();
  const double least = squares(mu_hat) + ridge * mu_hat.squaredNorm();
  const double noise = 0.09 * (2.0 * std::log(10.0) + pair.base.log_det_ratio());
  RandomStream random(/*seed=*/8, /*stream=*/52);
  int inside = 0;
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const double size = 0.6 * random.uniform();
    const Eigen::VectorXd mu =
        mu_hat + size * Eigen::VectorXd::NullaryExpr(d, [&] { return random.normal(); });
    if (squares(mu) - least > noise || mu.norm() > assumptions.norm_bound) {
      continue;
    }
    ++inside;
    ASSERT_TRUE(pair.base.region_contains(mu, pair.base.radius(RadiusForm::Mixture)));
    for (std::size_t i = 0; i < pair.family.size(); ++i) {
      ASSERT_TRUE(pair.family.member(i).region_contains(
          mu, pair.family.radius(i, pair.base) * (1 + 1e-12)));
    }
  }
  EXPECT_GT(inside, 200);
  EXPECT_LT(inside, 1900);
}

TEST(RidgeFamily, ALargeRidgeIsSharperInDirectionsWithoutData) {
  // d = 2, ‖μ‖ = S = 1 along e₁, which is well known: little is left for e₂.
  const Assumptions assumptions{
      .noise_scale = 0.1, .norm_bound = 1.0, .action_bound = 1.0, .ridge = 0.01};
  Pair pair{RidgeEstimate(2, assumptions), RidgeFamily(2, assumptions)};
  for (int i = 0; i < 2000; ++i) {
    pair.base.observe(Eigen::Vector2d(1.0, 0.0), 1.0);
    pair.family.observe(Eigen::Vector2d(1.0, 0.0), 1.0);
  }
  Direction e2{.high = Eigen::Vector2d(0.0, 1.0), .low = Eigen::Vector2d::Zero()};
  const double base = pair.base.radius(RadiusForm::Mixture) * pair.base.bounds(e2).width;
  const double large = pair.family.radius(1, pair.base) * pair.family.member(1).bounds(e2).width;
  EXPECT_LT(large, 0.2 * base);
}

TEST(RidgeFamily, APairThatOneMemberRefusesIsAddedToNone) {
  // λ = 1e306: the Gram matrix of 10λ stays within range, that of 100λ does not.
  RidgeFamily family(2, {.action_bound = 1.0, .ridge = 1e306});
  EXPECT_THROW(family.observe(Eigen::Vector2d(0.5, 0.5), 1.0), Error);
  for (std::size_t i = 0; i < family.size(); ++i) {
    EXPECT_EQ(family.member(i).count(), 0);
  }
}

TEST(RidgeFamily, IsSavedAndLoaded) {
  const testing::Dataset data = testing::random_dataset(20, 2, /*stream=*/61);
  const Assumptions assumptions{.noise_scale = 0.1, .action_bound = 1.0, .ridge = 0.01};
  const Pair pair = learn(data, assumptions);
  ByteWriter out;
  pair.family.save(out);
  const Bytes bytes = out.sealed();
  RidgeFamily other(2, assumptions);
  ByteReader in(bytes);
  other.load(in);
  in.finish();
  EXPECT_EQ(other.radius(0, pair.base), pair.family.radius(0, pair.base));
  EXPECT_EQ(other.member(1).mu_hat(), pair.family.member(1).mu_hat());
}

}  // namespace
}  // namespace foothold::estimation
