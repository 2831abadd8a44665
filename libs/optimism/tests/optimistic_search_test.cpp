#include "foothold/optimism/optimistic_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "search_instances.hpp"

namespace foothold::optimism {
namespace {

using safety::Caution;
using safety::CertifiedSet;
using testing::domain_of;
using testing::loss_scale;
using testing::PlainState;
using testing::program_of;
using testing::SearchInstance;

// No pruning, no memory: every vertex of both programs, each by a new solver.
double exhaustive_minimum(const SearchInstance& instance, const safety::SafetyRule& rule,
                          const PlainState& state) {
  double best = std::numeric_limits<double>::infinity();
  for (const bool is_foothold : {false, true}) {
    if (is_foothold && rule.certified == CertifiedSet::Region) {
      continue;
    }
    const cone::ConeProgram program =
        program_of(instance.problem, rule.caution, state, is_foothold);
    for (Eigen::Index k = 0; k < 2 * instance.problem.dim(); ++k) {
      const Eigen::VectorXd v = state.vertex(k);
      cone::ConeSolver solver(1);
      solver.load(program);
      best = std::min(best, v.dot(instance.problem.centre()) + solver.solve(v, 0).value);
    }
  }
  return best;
}

using SearchCase = std::tuple<std::size_t, Caution, CertifiedSet>;

class OptimisticSearchCases : public ::testing::TestWithParam<SearchCase> {
 protected:
  SearchInstance instance_ = testing::search_instances()[std::get<0>(GetParam())];
  safety::SafetyRule rule_{.caution = std::get<1>(GetParam()),
                           .certified = std::get<2>(GetParam()),
                           .root = std::get<0>(GetParam()) % 2 == 0
                                       ? estimation::RootForm::Cholesky
                                       : estimation::RootForm::Symmetric};

  void expect_sound(const OptimisticChoice& choice, const PlainState& state) const {
    const Eigen::VectorXd u = choice.action - instance_.problem.centre();
    for (std::size_t k = 0; k < instance_.problem.constraints.size(); ++k) {
      const Eigen::VectorXd z = instance_.problem.constraints[k].matrix * u;
      const double bound = choice.is_foothold ? instance_.problem.assumptions.norm_bound * z.norm()
                                              : state.caution_bound(rule_.caution, z);
      EXPECT_LE(bound, instance_.problem.room(k) * (1.0 + 1e-11));
    }
    const double scale = loss_scale(instance_, state);
    // At the best vertex and action, no other vertex is more optimistic about the action.
    EXPECT_NEAR(choice.optimistic_loss, state.optimistic_loss(choice.action), 1e-9 * scale);
    EXPECT_LE(choice.dual_bound, choice.optimistic_loss + 1e-12 * scale);
    EXPECT_GE(choice.dual_bound, choice.optimistic_loss - 1e-9 * scale);
    EXPECT_GE(choice.solves, 1);
  }
};

TEST_P(OptimisticSearchCases, EqualTheExhaustiveSearchOverAllVertices) {
  for (const int observations : {0, 3, 40, 600}) {
    SCOPED_TRACE(observations);
    const estimation::RidgeEstimate estimate = testing::learn(instance_, observations);
    const PlainState state(estimate, rule_);
    estimation::ConfidenceRegion region(instance_.problem.dim());
    region.update(estimate, rule_.radius, rule_.root);
    OptimisticSearch search(instance_.problem, rule_);
    const OptimisticChoice& choice = search.choose(region);
    expect_sound(choice, state);
    EXPECT_NEAR(choice.optimistic_loss, exhaustive_minimum(instance_, rule_, state),
                1e-9 * loss_scale(instance_, state));
  }
}

TEST_P(OptimisticSearchCases, StayExactOverARunOfWarmRounds) {
  estimation::RidgeEstimate estimate = testing::learn(instance_, 5);
  estimation::ConfidenceRegion region(instance_.problem.dim());
  OptimisticSearch search(instance_.problem, rule_);
  safety::Certifier certifier(instance_.problem, rule_);
  safety::Certificate certificate;
  RandomStream random(/*seed=*/51, /*stream=*/0);
  for (int round = 0; round < 120; ++round) {
    SCOPED_TRACE(round);
    region.update(estimate, rule_.radius, rule_.root);
    const OptimisticChoice& choice = search.choose(region);
    const PlainState state(estimate, rule_);
    expect_sound(choice, state);
    if (round % 20 == 19) {
      EXPECT_NEAR(choice.optimistic_loss, exhaustive_minimum(instance_, rule_, state),
                  1e-9 * loss_scale(instance_, state));
    }
    Eigen::VectorXd x = choice.action;
    const safety::Evidence evidence =
        choice.is_foothold ? safety::Evidence::Prior : safety::Evidence::Region;
    ASSERT_TRUE(certifier.certify_scaled(estimate, region, x, evidence, certificate));
    EXPECT_LE((x - choice.action).norm(), 1e-10 * (1.0 + choice.action.norm()));
    estimate.observe(x, instance_.mu.dot(x) + 0.1 * random.normal());
  }
}

std::string case_name(const ::testing::TestParamInfo<SearchCase>& info) {
  static const std::vector<SearchInstance> instances = testing::search_instances();
  static const char* const cautions[] = {"Ellipsoid", "L1Exact", "L1Paper"};
  const auto& [index, caution, certified] = info.param;
  return instances[index].name + cautions[static_cast<int>(caution)] +
         (certified == CertifiedSet::Union ? "Union" : "Region");
}

INSTANTIATE_TEST_SUITE_P(
    Instances, OptimisticSearchCases,
    ::testing::Combine(::testing::Range<std::size_t>(0, testing::search_instances().size()),
                       ::testing::Values(Caution::Ellipsoid, Caution::L1Exact, Caution::L1Paper),
                       ::testing::Values(CertifiedSet::Region, CertifiedSet::Union)),
    case_name);

// Oracle without any solver: a fine grid on the box, and the definition of what is certified.
TEST(OptimisticSearch, NoPointOfAFineGridIsCertifiedAndMoreOptimistic) {
  for (const char* name : {"Box2", "BallSeveral", "Polytope2", "BaselineBox"}) {
    SCOPED_TRACE(name);
    const std::vector<SearchInstance> instances = testing::search_instances();
    const auto found = std::find_if(instances.begin(), instances.end(),
                                    [name](const SearchInstance& i) { return i.name == name; });
    const safety::Problem& problem = found->problem;
    const safety::SafetyRule rule;
    const estimation::RidgeEstimate estimate = testing::learn(*found, 30);
    const PlainState state(estimate, rule);
    estimation::ConfidenceRegion region(2);
    region.update(estimate, rule.radius, rule.root);
    OptimisticSearch search(problem, rule);
    const OptimisticChoice& choice = search.choose(region);
    const cone::ConeProgram domain = domain_of(problem);
    double best = std::numeric_limits<double>::infinity();
    constexpr int kSteps = 600;
    for (int i = 0; i <= kSteps; ++i) {
      for (int j = 0; j <= kSteps; ++j) {
        const Eigen::Vector2d share(static_cast<double>(i) / kSteps,
                                    static_cast<double>(j) / kSteps);
        const Eigen::VectorXd u = domain.lower + share.cwiseProduct(domain.upper - domain.lower);
        const Eigen::VectorXd x = problem.centre() + u;
        if (!geometry::contains(problem.decision_set, x)) {
          continue;
        }
        bool is_in_region = true;
        bool is_in_foothold = true;
        for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
          const Eigen::VectorXd z = problem.constraints[k].matrix * u;
          is_in_region &= state.caution_bound(rule.caution, z) <= problem.room(k);
          is_in_foothold &= problem.assumptions.norm_bound * z.norm() <= problem.room(k);
        }
        if (is_in_region || is_in_foothold) {
          best = std::min(best, state.optimistic_loss(x));
        }
      }
    }
    const double scale = loss_scale(*found, state);
    EXPECT_GE(best, choice.dual_bound - 1e-12 * scale);
    EXPECT_NEAR(best, choice.optimistic_loss, 0.02 * scale) << "the grid comes close";
  }
}

TEST(OptimisticSearch, AUnionIsNeverWorseThanItsRegion) {
  for (const SearchInstance& instance : testing::search_instances()) {
    SCOPED_TRACE(instance.name);
    const estimation::RidgeEstimate estimate = testing::learn(instance, 4);
    estimation::ConfidenceRegion region(instance.problem.dim());
    safety::SafetyRule rule{.certified = CertifiedSet::Region};
    region.update(estimate, rule.radius, rule.root);
    OptimisticSearch alone(instance.problem, rule);
    rule.certified = CertifiedSet::Union;
    OptimisticSearch both(instance.problem, rule);
    const double scale = loss_scale(instance, PlainState(estimate, rule));
    EXPECT_LE(both.choose(region).optimistic_loss,
              alone.choose(region).optimistic_loss + 1e-9 * scale);
    EXPECT_FALSE(alone.choose(region).is_foothold);
  }
}

TEST(OptimisticSearch, SolvesFewVerticesOnceItIsWarm) {
  const SearchInstance instance = testing::search_instances()[3];  // 12 vertices, 24 with the union
  const safety::SafetyRule rule;
  estimation::RidgeEstimate estimate = testing::learn(instance, 200);
  estimation::ConfidenceRegion region(instance.problem.dim());
  OptimisticSearch search(instance.problem, rule);
  int solves = 0;
  for (int round = 0; round < 20; ++round) {
    region.update(estimate, rule.radius, rule.root);
    solves = search.choose(region).solves;
    estimate.observe(0.99 * search.choose(region).action, 0.0);
  }
  EXPECT_LE(solves, 12);
}

TEST(OptimisticSearch, GoesOnBitForBitFromASnapshot) {
  for (const SearchInstance& instance : testing::search_instances()) {
    SCOPED_TRACE(instance.name);
    const safety::SafetyRule rule;
    const estimation::RidgeEstimate early = testing::learn(instance, 20);
    const estimation::RidgeEstimate late = testing::learn(instance, 25);
    estimation::ConfidenceRegion region(instance.problem.dim());
    region.update(early, rule.radius, rule.root);
    OptimisticSearch search(instance.problem, rule);
    search.choose(region);
    ByteWriter out;
    search.save(out);
    const Bytes bytes = out.sealed();
    ByteReader in(bytes);
    OptimisticSearch other(instance.problem, rule);
    other.restore(in);
    in.finish();
    region.update(late, rule.radius, rule.root);
    const OptimisticChoice expected = search.choose(region);
    const OptimisticChoice& choice = other.choose(region);
    EXPECT_EQ(choice.action, expected.action);
    EXPECT_EQ(choice.optimistic_loss, expected.optimistic_loss);
    EXPECT_EQ(choice.dual_bound, expected.dual_bound);
    EXPECT_EQ(choice.solves, expected.solves);
  }
}

}  // namespace
}  // namespace foothold::optimism
