#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "foothold/policy/gslucb.hpp"
#include "foothold/simulation/world/best_safe_action.hpp"

#include "binomial_limit.hpp"
#include "planar_sets.hpp"

namespace foothold::policy {
namespace {

using foothold::testing::planar_set;
using foothold::testing::PlanarSet;

// GSLUCB's bounds lie below the true gap at all rounds at once, in at least 1 − δ of the runs. δ
// and the ridge are such that the limit bites: with λ = S = 1 the region is so wide that nothing
// fails.
constexpr double kFailureProb = 0.2;
constexpr double kRidge = 1e-3;
constexpr double kNoiseScale = 0.1;
constexpr int kRuns = 400;
constexpr int kRounds = 300;

struct Design {
  std::string name;
  PlanarSet set;
  safety::Caution caution;
};

void PrintTo(const Design& design, std::ostream* out) {
  *out << design.name;
}

struct Counts {
  int exceeding_runs = 0;  // in which some Δ_t > Δ
  int positive_runs = 0;   // in which some Δ_t > 0: the bound says something
};

// The noise is `truth` times what the learner is told.
Counts count(const Design& design, double truth) {
  const Eigen::Matrix2d B{{0.6, 0.8}, {0.8, 0.4}};
  Counts counts;
  for (int run = 0; run < kRuns; ++run) {
    RandomStream random(/*seed=*/515, static_cast<std::uint64_t>(run));
    const double angle = 6.283185307179586 * random.uniform();
    const Eigen::Vector2d mu = 0.999 * Eigen::Vector2d(std::cos(angle), std::sin(angle));
    const safety::Problem problem{.decision_set = planar_set(design.set, random),
                                  .constraints = {{.matrix = B, .limit = 0.5}},
                                  .assumptions = {.noise_scale = kNoiseScale,
                                                  .norm_bound = 1.0,
                                                  .ridge = kRidge,
                                                  .failure_prob = kFailureProb}};
    const double gap = simulation::best_safe_action(safety::resolved(problem), mu).safety_gap;
    Gslucb policy(problem, {.caution = design.caution,
                            .gap_growth = 1.1,
                            .horizon = 1'000'000,
                            .seed = static_cast<std::uint64_t>(run)});
    double largest = 0.0;
    for (int round = 0; round < kRounds; ++round) {
      const Decision& decision = policy.ask();
      policy.tell(decision.id, mu.dot(decision.action) + truth * kNoiseScale * random.normal());
      largest = std::max(largest, policy.gap_bound());
    }
    counts.exceeding_runs += largest > gap + 1e-9 ? 1 : 0;
    counts.positive_runs += largest > 0.0 ? 1 : 0;
  }
  return counts;
}

class GapCoverage : public ::testing::TestWithParam<Design> {};

TEST_P(GapCoverage, BoundsLieBelowTheGapInMostRuns) {
  const Counts counts = count(GetParam(), /*truth=*/1.0);
  RecordProperty("exceeding_runs", counts.exceeding_runs);
  EXPECT_LE(counts.exceeding_runs, foothold::testing::binomial_limit(kRuns, kFailureProb));
  EXPECT_GT(counts.positive_runs, kRuns / 10) << "a bound that is always 0 proves nothing";
}

// The test above has teeth: with far more noise than declared it fails.
TEST_P(GapCoverage, WithNoiseFarBeyondWhatIsDeclaredTheyDoNot) {
  const Counts counts = count(GetParam(), /*truth=*/20.0);
  EXPECT_GT(counts.exceeding_runs, foothold::testing::binomial_limit(kRuns, kFailureProb));
}

INSTANTIATE_TEST_SUITE_P(
    Sets, GapCoverage,
    ::testing::Values(Design{"BoxEllipsoid", PlanarSet::Box, safety::Caution::Ellipsoid},
                      Design{"BoxL1", PlanarSet::Box, safety::Caution::L1Paper},
                      Design{"BallEllipsoid", PlanarSet::Ball, safety::Caution::Ellipsoid},
                      Design{"BallL1", PlanarSet::Ball, safety::Caution::L1Paper},
                      Design{"PolytopeEllipsoid", PlanarSet::Polytope, safety::Caution::Ellipsoid},
                      Design{"PolytopeL1", PlanarSet::Polytope, safety::Caution::L1Paper},
                      Design{"ArmsEllipsoid", PlanarSet::Arms, safety::Caution::Ellipsoid},
                      Design{"ArmsL1", PlanarSet::Arms, safety::Caution::L1Paper}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace foothold::policy
