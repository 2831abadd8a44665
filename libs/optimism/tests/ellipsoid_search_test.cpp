#include "foothold/optimism/ellipsoid_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "foothold/base/error.hpp"

#include "search_instances.hpp"

namespace foothold::optimism {
namespace {

using safety::Caution;
using safety::CertifiedSet;
using testing::loss_scale;
using testing::normal_vector;
using testing::PlainState;
using testing::SearchInstance;

// The objective and the certified set from their definitions, without any solver.
struct Oracle {
  const SearchInstance& instance;
  const safety::SafetyRule& rule;
  const PlainState& state;

  [[nodiscard]] double objective(const Eigen::VectorXd& x) const {
    return state.mu_hat.dot(x) - state.radius * (state.factor_inverse * x).norm();
  }

  [[nodiscard]] bool is_certified(const Eigen::VectorXd& u, bool by_foothold) const {
    const safety::Problem& problem = instance.problem;
    for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
      const Eigen::VectorXd z = problem.constraints[k].matrix * u;
      const double bound = by_foothold ? problem.assumptions.norm_bound * z.norm()
                                       : state.caution_bound(rule.caution, z);
      if (!(bound <= problem.room(k))) {
        return false;
      }
    }
    return geometry::contains(problem.decision_set, problem.centre() + u);
  }

  // Where the ray from the centre leaves the set, by bisection: the sets are star-shaped.
  [[nodiscard]] Eigen::VectorXd border(const Eigen::VectorXd& direction, bool by_foothold) const {
    double inside = 0.0;
    double outside = 2.0 * *geometry::norm_bound(instance.problem.decision_set) / direction.norm();
    for (int step = 0; step < 50; ++step) {
      const double middle = 0.5 * (inside + outside);
      (is_certified(middle * direction, by_foothold) ? inside : outside) = middle;
    }
    return instance.problem.centre() + inside * direction;
  }

  // The smaller of the objectives at the borders of the sets. The objective is concave on the
  // ray, so that only its ends matter.
  [[nodiscard]] double at_border(const Eigen::VectorXd& direction) const {
    const double at_centre = objective(instance.problem.centre());
    const double value = std::min(at_centre, objective(border(direction, false)));
    return rule.certified == CertifiedSet::Region
               ? value
               : std::min(value, objective(border(direction, true)));
  }

  // Border points in random directions, then descents from random linearisations.
  [[nodiscard]] double sampled_minimum(RandomStream& random, int rays, int descents) const {
    const Eigen::Index d = instance.problem.dim();
    double best = std::numeric_limits<double>::infinity();
    for (int ray = 0; ray < rays; ++ray) {
      best = std::min(best, at_border(normal_vector(random, d)));
    }
    const int sets = rule.certified == CertifiedSet::Union ? 2 : 1;
    for (int descent = 0; descent < descents; ++descent) {
      const cone::ConeProgram program =
          testing::program_of(instance.problem, rule.caution, state, descent % sets == 1);
      cone::ConeSolver solver(1);
      solver.load(program);
      Eigen::VectorXd omega = normal_vector(random, d).normalized();
      for (int step = 0; step < 3; ++step) {
        const Eigen::VectorXd v =
            state.mu_hat - state.radius * state.factor_inverse.transpose() * omega;
        const Eigen::VectorXd x = instance.problem.centre() + solver.solve(v, 0).u;
        best = std::min(best, objective(x));
        omega = (state.factor_inverse * x).normalized();
      }
    }
    return best;
  }
};

struct RandomCase {
  SearchInstance instance;
  safety::SafetyRule rule{};
  int observations = 0;
};

RandomCase random_case(std::uint64_t number) {
  RandomStream random(/*seed=*/81, number);
  const auto pick = [&random](int count) { return static_cast<int>(random.uniform() * count); };
  const Eigen::Index d = 1 + pick(6);
  const int shape = pick(3);
  Eigen::VectorXd x0;
  if (pick(4) == 0) {
    x0 = 0.3 * normal_vector(random, d).normalized();
  }
  const geometry::DecisionSet set = shape == 0
                                        ? geometry::DecisionSet(geometry::Box::symmetric(d, 1.0))
                                    : shape == 1 ? geometry::DecisionSet(geometry::Ball(d, 1.0))
                                                 : geometry::DecisionSet(testing::some_polytope(d));
  static const int observations[] = {0, 1, 2, 5, 10, 30, 100, 400};
  RandomCase result{.instance =
                        testing::make_instance("Random", set, 1 + pick(3), 1000 + number, x0)};
  result.rule.caution = static_cast<Caution>(pick(3));
  result.rule.certified = static_cast<CertifiedSet>(pick(2));
  result.rule.root = static_cast<estimation::RootForm>(pick(2));
  result.observations = observations[pick(8)];
  return result;
}

class EllipsoidSearchCases : public ::testing::TestWithParam<int> {};

constexpr int kCasesPerTest = 20;

TEST_P(EllipsoidSearchCases, AreProvedWithinTheGapAndAboveL1) {
  int proved = 0;
  for (int i = 0; i < kCasesPerTest; ++i) {
    const auto number = static_cast<std::uint64_t>(GetParam() * kCasesPerTest + i);
    SCOPED_TRACE(number);
    const RandomCase test = random_case(number);
    const safety::Problem& problem = test.instance.problem;
    const estimation::RidgeEstimate estimate = testing::learn(test.instance, test.observations);
    const PlainState state(estimate, test.rule);
    const Oracle oracle{test.instance, test.rule, state};
    const double scale = loss_scale(test.instance, state);
    estimation::ConfidenceRegion region(problem.dim());
    region.update(estimate, test.rule.radius, test.rule.root);

    EllipsoidSearch search(problem, test.rule, {.gap = 1e-6, .nodes = 300});
    const OptimisticChoice& choice = search.choose(region);
    const Eigen::VectorXd u = (1.0 - 1e-10) * (choice.action - problem.centre());
    EXPECT_TRUE(oracle.is_certified(u, choice.is_foothold));
    EXPECT_NEAR(choice.optimistic_loss, oracle.objective(choice.action), 1e-10 * scale);
    EXPECT_LE(choice.dual_bound, choice.optimistic_loss);
    const double size = std::abs(state.mu_hat.dot(choice.action)) +
                        state.radius * (state.factor_inverse * choice.action).norm();
    const bool is_proved = choice.optimistic_loss - choice.dual_bound <= 1.001e-6 * size;
    EXPECT_TRUE(is_proved || choice.nodes >= 300);
    proved += is_proved ? 1 : 0;

    RandomStream random(/*seed=*/82, number);
    const double sampled = oracle.sampled_minimum(random, /*rays=*/100, /*descents=*/12);
    EXPECT_GE(sampled, choice.dual_bound - 1e-9 * scale);
    EllipsoidSearch hasty(problem, test.rule, {.gap = 1e-6, .nodes = 1});
    const OptimisticChoice& first = hasty.choose(region);
    EXPECT_GE(sampled, first.dual_bound - 1e-9 * scale);
    EXPECT_LE(first.nodes, 4 * problem.dim());
    EXPECT_LE(first.dual_bound, choice.optimistic_loss + 1e-9 * scale);

    OptimisticSearch l1(problem, test.rule);
    const OptimisticChoice& wider = l1.choose(region);
    EXPECT_LE(wider.optimistic_loss, first.dual_bound + 1e-9 * scale);
    EXPECT_LE(wider.optimistic_loss, choice.dual_bound + 1e-9 * scale);
    EXPECT_GE(oracle.objective(wider.action), choice.dual_bound - 1e-9 * scale);
  }
  EXPECT_GE(proved, kCasesPerTest / 3) << "most are, with a mere 300 cells";
}

// A thousand problems; under a sanitizer, where each takes twenty times as long, a sample of them.
#ifdef FOOTHOLD_SANITIZED
constexpr int kTests = 3;
#else
constexpr int kTests = 50;
#endif

INSTANTIATE_TEST_SUITE_P(Random, EllipsoidSearchCases, ::testing::Range(0, kTests));

// The certified set is an interval, and a concave function smallest at one of its ends.
TEST(EllipsoidSearch, OnALineTakesTheBetterEnd) {
  for (std::uint64_t stream = 0; stream < 40; ++stream) {
    SCOPED_TRACE(stream);
    const SearchInstance instance =
        testing::make_instance("Line", geometry::Box::symmetric(1, 1.0), 1, 2000 + stream);
    const safety::SafetyRule rule;
    const estimation::RidgeEstimate estimate =
        testing::learn(instance, static_cast<int>(stream % 8) * 5);
    const PlainState state(estimate, rule);
    const Oracle oracle{instance, rule, state};
    estimation::ConfidenceRegion region(1);
    region.update(estimate, rule.radius, rule.root);
    EllipsoidSearch search(instance.problem, rule, {});
    const OptimisticChoice& choice = search.choose(region);
    const double expected = std::min(oracle.at_border(Eigen::VectorXd::Constant(1, 1.0)),
                                     oracle.at_border(Eigen::VectorXd::Constant(1, -1.0)));
    EXPECT_NEAR(choice.optimistic_loss, expected, 1e-9 * loss_scale(instance, state));
    EXPECT_NEAR(choice.dual_bound, expected, 1e-9 * loss_scale(instance, state));
  }
}

// In the plane the border is a curve: all its local minima on a grid of directions, each
// searched on finer and finer grids.
double minimum_in_the_plane(const Oracle& oracle) {
  constexpr int kGrid = 400;
  constexpr double kStep = 2.0 * std::numbers::pi / kGrid;
  const auto value = [&](double angle) {
    return oracle.at_border(Eigen::Vector2d(std::cos(angle), std::sin(angle)));
  };
  std::vector<double> values(kGrid);
  for (int i = 0; i < kGrid; ++i) {
    values[static_cast<std::size_t>(i)] = value(i * kStep);
  }
  const double cut = *std::min_element(values.begin(), values.end());
  const double range = *std::max_element(values.begin(), values.end()) - cut;
  double best = cut;
  for (int i = 0; i < kGrid; ++i) {
    const auto at = [&](int k) { return values[static_cast<std::size_t>((k + kGrid) % kGrid)]; };
    if (at(i) > at(i - 1) || at(i) > at(i + 1) || at(i) > cut + 0.1 * range) {
      continue;
    }
    double centre = i * kStep;
    double lowest = at(i);
    for (double step = kStep / 8.0; step > 1e-10; step /= 4.0) {
      const double start = centre;
      for (int k = -8; k <= 8; ++k) {
        const double candidate = value(start + k * step);
        if (candidate < lowest) {
          lowest = candidate;
          centre = start + k * step;
        }
      }
    }
    best = std::min(best, lowest);
  }
  return best;
}

TEST(EllipsoidSearch, InThePlaneAgreesWithAGridOfDirections) {
  for (const char* name : {"Box2", "BallSeveral", "Polytope2", "BaselineBall", "BaselineBox"}) {
    const std::vector<SearchInstance> instances = testing::search_instances();
    const auto found = std::find_if(instances.begin(), instances.end(),
                                    [name](const SearchInstance& i) { return i.name == name; });
    for (const int observations : {0, 4, 30, 300}) {
      SCOPED_TRACE(name + std::to_string(observations));
      const safety::SafetyRule rule;
      const estimation::RidgeEstimate estimate = testing::learn(*found, observations);
      const PlainState state(estimate, rule);
      estimation::ConfidenceRegion region(2);
      region.update(estimate, rule.radius, rule.root);
      EllipsoidSearch search(found->problem, rule, {.gap = 1e-8});
      const OptimisticChoice& choice = search.choose(region);
      const double expected = minimum_in_the_plane({*found, rule, state});
      EXPECT_NEAR(choice.optimistic_loss, expected, 1e-6 * loss_scale(*found, state));
    }
  }
}

// With limits that nothing reaches the certified set is the box, and a concave function is smallest
// at one of its corners.
TEST(EllipsoidSearch, OverABoxAgreesWithTheEnumerationOfItsCorners) {
  for (const Eigen::Index d : {1, 2, 3, 5, 7}) {
    for (const int observations : {0, 3, 20, 200}) {
      SCOPED_TRACE(std::to_string(d) + " " + std::to_string(observations));
      SearchInstance instance = testing::make_instance("Box", geometry::Box::symmetric(d, 1.0), 1,
                                                       3000 + static_cast<std::uint64_t>(d));
      instance.problem.constraints.front().limit = 1e4;
      const safety::SafetyRule rule;
      const estimation::RidgeEstimate estimate = testing::learn(instance, observations);
      const PlainState state(estimate, rule);
      const Oracle oracle{instance, rule, state};
      double expected = std::numeric_limits<double>::infinity();
      for (unsigned corner = 0; corner < (1U << d); ++corner) {
        Eigen::VectorXd x(d);
        for (Eigen::Index j = 0; j < d; ++j) {
          x(j) = ((corner >> j) & 1U) != 0 ? 1.0 : -1.0;
        }
        expected = std::min(expected, oracle.objective(x));
      }
      estimation::ConfidenceRegion region(d);
      region.update(estimate, rule.radius, rule.root);
      EllipsoidSearch search(instance.problem, rule, {.nodes = 1000});
      const OptimisticChoice& choice = search.choose(region);
      EXPECT_NEAR(choice.optimistic_loss, expected, 1e-12 * loss_scale(instance, state));
      EXPECT_LE(choice.dual_bound, expected + 1e-12 * loss_scale(instance, state));
    }
  }
}

TEST(EllipsoidSearch, AWarmSearchProvesWhatAColdOneDoes) {
  for (const SearchInstance& instance : testing::search_instances()) {
    SCOPED_TRACE(instance.name);
    const SearchLimits limits{.gap = 1e-5, .nodes = 500};
    const safety::SafetyRule rule;
    estimation::RidgeEstimate estimate = testing::learn(instance, 5);
    estimation::ConfidenceRegion region(instance.problem.dim());
    EllipsoidSearch warm(instance.problem, rule, limits);
    RandomStream random(/*seed=*/83, /*stream=*/0);
    for (int round = 0; round < 8; ++round) {
      region.update(estimate, rule.radius, rule.root);
      const OptimisticChoice& choice = warm.choose(region);
      EllipsoidSearch cold(instance.problem, rule, limits);
      const OptimisticChoice& other = cold.choose(region);
      const double scale = loss_scale(instance, PlainState(estimate, rule));
      EXPECT_LE(choice.dual_bound, other.optimistic_loss + 1e-9 * scale);
      EXPECT_LE(other.dual_bound, choice.optimistic_loss + 1e-9 * scale);
      const Eigen::VectorXd centre = instance.problem.centre();
      const Eigen::VectorXd x = centre + 0.999 * (choice.action - centre);
      estimate.observe(x, instance.mu.dot(x) + 0.1 * random.normal());
    }
  }
}

TEST(EllipsoidSearch, InManyDimensionsStopsAtTheLimitWithAGapBelowThatOfL1) {
  for (const Eigen::Index d : {10, 20}) {
    const SearchInstance instance = testing::make_instance("Many", geometry::Ball(d, 1.0), 1, 4000);
    const safety::SafetyRule rule;
    const estimation::RidgeEstimate estimate = testing::learn(instance, 40);
    estimation::ConfidenceRegion region(d);
    region.update(estimate, rule.radius, rule.root);
    EllipsoidSearch search(instance.problem, rule, {.nodes = 150});
    const OptimisticChoice& choice = search.choose(region);
    OptimisticSearch l1(instance.problem, rule);
    const double scale = loss_scale(instance, PlainState(estimate, rule));
    EXPECT_GE(choice.dual_bound, l1.choose(region).optimistic_loss - 1e-9 * scale);
    EXPECT_LE(choice.nodes, 152);
  }
}

TEST(EllipsoidSearch, GoesOnBitForBitFromASnapshot) {
  for (const SearchInstance& instance : testing::search_instances()) {
    SCOPED_TRACE(instance.name);
    const safety::SafetyRule rule;
    const SearchLimits limits{.nodes = 200};
    estimation::ConfidenceRegion region(instance.problem.dim());
    region.update(testing::learn(instance, 20), rule.radius, rule.root);
    EllipsoidSearch search(instance.problem, rule, limits);
    search.choose(region);
    ByteWriter out;
    search.save(out);
    const Bytes bytes = out.sealed();
    ByteReader in(bytes);
    EllipsoidSearch other(instance.problem, rule, limits);
    other.restore(in);
    in.finish();
    region.update(testing::learn(instance, 25), rule.radius, rule.root);
    const OptimisticChoice expected = search.choose(region);
    const OptimisticChoice& choice = other.choose(region);
    EXPECT_EQ(choice.action, expected.action);
    EXPECT_EQ(choice.optimistic_loss, expected.optimistic_loss);
    EXPECT_EQ(choice.dual_bound, expected.dual_bound);
    EXPECT_EQ(choice.solves, expected.solves);
    EXPECT_EQ(choice.nodes, expected.nodes);
  }
}

TEST(EllipsoidSearch, RefusesLimitsThatMakeNoSense) {
  EXPECT_NO_THROW(validate(SearchLimits{.gap = 0.0, .nodes = 1}));
  EXPECT_THROW(validate(SearchLimits{.gap = -1e-9}), Error);
  EXPECT_THROW(validate(SearchLimits{.gap = std::nan("")}), Error);
  EXPECT_THROW(validate(SearchLimits{.gap = std::numeric_limits<double>::infinity()}), Error);
  EXPECT_THROW(validate(SearchLimits{.nodes = 0}), Error);
}

}  // namespace
}  // namespace foothold::optimism
