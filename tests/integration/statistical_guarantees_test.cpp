// The promise of the library, tested as a statistician would: over many independent runs the
// parameter stays in the region, and no action violates a constraint, in at least 1 − δ of them.

#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "foothold/base/random_stream.hpp"
#include "foothold/policy/safe_lucb.hpp"

#include "binomial_limit.hpp"
#include "planar_sets.hpp"

namespace foothold::policy {
namespace {

using foothold::testing::binomial_limit;
using foothold::testing::draw_arms;
using foothold::testing::planar_set;
using foothold::testing::PlanarSet;

constexpr int kRuns = 2000;
constexpr int kRounds = 100;
constexpr double kFailureProb = 0.2;  // δ
// A small ridge: with λ = S = 1 the term √λ S alone would cover the parameter for ever.
constexpr double kRidge = 1e-3;
constexpr double kNoiseScale = 0.5;  // R
constexpr double kLimit = 0.5;       // c

enum class Region { Ellipsoid, L1Symmetric, L1Cholesky };
enum class Noise { Gaussian, Uniform, Rademacher };

struct Design {
  PlanarSet set;
  Region region;
  estimation::RadiusForm radius;
  Noise noise;
};

// 15 designs in which every pair of levels of any two factors occurs: with q = 0, 1, 2 and s the
// set, region = s + q, radius = s + 2q, noise = q (mod 3).
std::vector<Design> pairwise_designs() {
  std::vector<Design> designs;
  for (int q = 0; q < 3; ++q) {
    for (int s = 0; s < 5; ++s) {
      designs.push_back({static_cast<PlanarSet>(s), static_cast<Region>((s + q) % 3),
                         static_cast<estimation::RadiusForm>((s + 2 * q) % 3),
                         static_cast<Noise>(q)});
    }
  }
  return designs;
}

// Noise whose sub-Gaussian scale is exactly `scale`. A uniform variable on [−a, a] has scale a/√3:
// sinh(x)/x ≤ exp(x²/6) term by term.
double draw(Noise noise, double scale, RandomStream& random) {
  switch (noise) {
    case Noise::Gaussian:
      return scale * random.normal();
    case Noise::Uniform:
      return scale * std::sqrt(3.0) * (2.0 * random.uniform() - 1.0);
    case Noise::Rademacher:
      return random.uniform() < 0.5 ? scale : -scale;
  }
  return 0.0;
}

PolicyOptions options_of(const Design& design) {
  const bool is_finite = design.set == PlanarSet::Arms || design.set == PlanarSet::Contextual;
  PolicyOptions options{.radius = design.radius};
  switch (design.region) {
    case Region::Ellipsoid:
      options.caution = safety::Caution::Ellipsoid;
      options.optimism = is_finite ? Optimism::Ellipsoid : Optimism::L1Cholesky;
      break;
    case Region::L1Symmetric:
      options.caution = safety::Caution::L1Paper;
      options.optimism = Optimism::L1;
      break;
    case Region::L1Cholesky:
      options.caution = safety::Caution::L1Exact;
      options.optimism = Optimism::L1Cholesky;
      break;
  }
  return options;
}

struct Counts {
  int uncovered_runs = 0;
  int violating_runs = 0;
};

// `declared` is the noise scale the learner is told; the truth is kNoiseScale.
Counts count_failures(const Design& design, double declared, int runs) {
  const Eigen::Matrix2d B{{0.6, 1.8}, {1.8, 0.4}};
  Counts counts;
  for (int run = 0; run < runs; ++run) {
    RandomStream random(/*seed=*/20190, static_cast<std::uint64_t>(run));
    const double angle = 6.283185307179586 * random.uniform();
    const Eigen::Vector2d mu(std::cos(angle), std::sin(angle));
    safety::Problem problem{.decision_set = planar_set(design.set, random),
                            .constraints = {{.matrix = B, .limit = kLimit}},
                            .assumptions = {.noise_scale = declared,
                                            .norm_bound = 1.0,
                                            .ridge = kRidge,
                                            .failure_prob = kFailureProb}};
    if (design.set == PlanarSet::Contextual) {
      problem.assumptions.action_bound = 1.0 + 1e-12;
    }
    PolicyOptions options = options_of(design);
    options.seed = static_cast<std::uint64_t>(run);
    options.warmup = {.schedule = Schedule::Rounds, .rounds = 20};
    SafeLucb policy(problem, options);
    bool is_covered = true;
    bool is_violating = false;
    for (int round = 0; round < kRounds; ++round) {
      const Decision& decision =
          design.set == PlanarSet::Contextual ? policy.ask(draw_arms(random)) : policy.ask();
      is_violating = is_violating || mu.dot(B * decision.action) > kLimit;
      policy.tell(decision.id, mu.dot(decision.action) + draw(design.noise, kNoiseScale, random));
      is_covered = is_covered &&
                   policy.estimate().region_contains(mu, policy.estimate().radius(design.radius));
    }
    counts.uncovered_runs += is_covered ? 0 : 1;
    counts.violating_runs += is_violating ? 1 : 0;
  }
  return counts;
}

std::string name_of(const ::testing::TestParamInfo<Design>& info) {
  static const char* const kSets[] = {"Box", "Ball", "Polytope", "Arms", "Contextual"};
  static const char* const kRegions[] = {"Ellipsoid", "L1Symmetric", "L1Cholesky"};
  static const char* const kRadii[] = {"Paper", "LogDet", "Mixture"};
  static const char* const kNoises[] = {"Gaussian", "Uniform", "Rademacher"};
  const Design& design = info.param;
  return std::string(kSets[static_cast<int>(design.set)]) +
         kRegions[static_cast<int>(design.region)] + kRadii[static_cast<int>(design.radius)] +
         kNoises[static_cast<int>(design.noise)];
}

TEST(StatisticalDesign, EveryPairOfLevelsOccurs) {
  std::set<std::pair<int, int>> pairs[6];
  for (const Design& design : pairwise_designs()) {
    const int levels[] = {static_cast<int>(design.set), static_cast<int>(design.region),
                          static_cast<int>(design.radius), static_cast<int>(design.noise)};
    int index = 0;
    for (int first = 0; first < 4; ++first) {
      for (int second = first + 1; second < 4; ++second) {
        pairs[index++].emplace(levels[first], levels[second]);
      }
    }
  }
  const std::size_t expected[] = {15, 15, 15, 9, 9, 9};
  for (int index = 0; index < 6; ++index) {
    EXPECT_EQ(pairs[index].size(), expected[index]);
  }
}

TEST(StatisticalDesign, TheBinomialLimitIsThatOfTheTables) {
  // P(Binomial(10, 0.5) > 9) = 1/1024 and P(> 10) = 0: the limit at 1e-6 is 10. For n = 2000,
  // p = 0.2 the normal approximation gives 400 + 4.75·√320 + ½ ≈ 485.5, a little less than exact.
  EXPECT_EQ(binomial_limit(10, 0.5), 10);
  EXPECT_NEAR(binomial_limit(2000, 0.2), 487, 4);
}

class StatisticalGuarantees : public ::testing::TestWithParam<Design> {};

TEST_P(StatisticalGuarantees, RegionsCoverAndActionsAreSafeInMostRuns) {
  const Counts counts = count_failures(GetParam(), kNoiseScale, kRuns);
  RecordProperty("uncovered_runs", counts.uncovered_runs);
  RecordProperty("violating_runs", counts.violating_runs);
  EXPECT_LE(counts.uncovered_runs, binomial_limit(kRuns, kFailureProb));
  EXPECT_LE(counts.violating_runs, binomial_limit(kRuns, kFailureProb));
}

// The test above has teeth: with R declared three times too small it fails.
TEST_P(StatisticalGuarantees, WithNoiseDeclaredThreeTimesTooSmallCoverageFails) {
  const Counts counts = count_failures(GetParam(), kNoiseScale / 3.0, kRuns);
  RecordProperty("uncovered_runs", counts.uncovered_runs);
  EXPECT_GT(counts.uncovered_runs, binomial_limit(kRuns, kFailureProb));
}

INSTANTIATE_TEST_SUITE_P(Pairwise, StatisticalGuarantees, ::testing::ValuesIn(pairwise_designs()),
                         name_of);

}  // namespace
}  // namespace foothold::policy
