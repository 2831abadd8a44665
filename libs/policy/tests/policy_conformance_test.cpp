#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/policy/gslucb.hpp"
#include "foothold/policy/policy.hpp"
#include "foothold/policy/safe_lucb.hpp"
#include "foothold/policy/targeted.hpp"

#include "instances.hpp"

namespace foothold::policy {
namespace {

// What every policy must do on every kind of decision set. A new policy adds one
// INSTANTIATE_TEST_SUITE_P and no tests.
struct Subject {
  std::string name;
  std::function<std::unique_ptr<Policy>(const safety::Problem&)> make;
  Instance instance;
};

void PrintTo(const Subject& subject, std::ostream* out) {
  *out << subject.name;
}

std::optional<ErrorCode> code_of_error(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return std::nullopt;
}

bool is_same(const Decision& left, const Decision& right) {
  return round_of(left.id) == round_of(right.id) && left.action == right.action &&
         left.certificate.digest == right.certificate.digest &&
         left.certificate.margin() == right.certificate.margin();
}

class PolicyConformance : public ::testing::TestWithParam<Subject> {
 protected:
  std::unique_ptr<Policy> make() const { return GetParam().make(GetParam().instance.problem); }
  double loss(const Decision& decision) {
    return true_loss(GetParam().instance, decision) + 0.1 * noise_.normal();
  }
  void play(Policy& policy, int rounds) {
    for (int round = 0; round < rounds; ++round) {
      const Decision& decision = policy.ask();
      policy.tell(decision.id, loss(decision));
    }
  }
  RandomStream noise_{/*seed=*/11, /*stream=*/3};
};

TEST_P(PolicyConformance, EveryDecisionCarriesASafeCertificate) {
  const auto policy = make();
  for (int round = 0; round < 300; ++round) {
    const Decision& decision = policy->ask();
    ASSERT_TRUE(decision.certificate.is_safe());
    ASSERT_TRUE(geometry::contains(policy->problem().decision_set, decision.action));
    ASSERT_EQ(decision.certificate.constraints.size(), policy->problem().constraints.size());
    // The truth, since the seed is one of the 1 − δ.
    for (const safety::SafetyConstraint& constraint : policy->problem().constraints) {
      ASSERT_LE(GetParam().instance.parameter.dot(constraint.matrix * decision.action),
                constraint.limit);
    }
    policy->tell(decision.id, loss(decision));
  }
}

TEST_P(PolicyConformance, UnknownAndClosedRoundsAreDistinctErrors) {
  const auto policy = make();
  EXPECT_EQ(code_of_error([&] { policy->tell(DecisionId{0}, 0.0); }), ErrorCode::NotFound);
  EXPECT_EQ(code_of_error([&] { policy->abandon(DecisionId{7}); }), ErrorCode::NotFound);
  const DecisionId told = policy->ask().id;
  policy->tell(told, 0.1);
  EXPECT_EQ(code_of_error([&] { policy->tell(told, 0.1); }), ErrorCode::Conflict);
  const DecisionId abandoned = policy->ask().id;
  policy->abandon(abandoned);
  EXPECT_EQ(code_of_error([&] { policy->tell(abandoned, 0.1); }), ErrorCode::Conflict);
  EXPECT_EQ(code_of_error([&] { policy->abandon(abandoned); }), ErrorCode::Conflict);
  EXPECT_EQ(policy->estimate().count(), 1);
}

TEST_P(PolicyConformance, AFailedCallChangesNothing) {
  const auto policy = make();
  play(*policy, 20);
  const DecisionId open = policy->ask().id;
  const Bytes before = policy->snapshot();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const Eigen::Index d = policy->problem().dim();
  const std::vector<std::function<void()>> wrong_calls = {
      [&] { policy->tell(open, nan); },
      [&] { policy->tell(open, infinity); },
      [&] { policy->tell(open, -infinity); },
      [&] { policy->tell(DecisionId{1U << 20U}, 0.0); },
      [&] { policy->tell(DecisionId{0}, 0.0); },
      [&] { policy->abandon(DecisionId{0}); },
      [&] { policy->observe(Eigen::VectorXd::Zero(d + 1), 0.0); },
      [&] { policy->observe(Eigen::VectorXd::Constant(d, nan), 0.0); },
      [&] { policy->observe(Eigen::VectorXd::Constant(d, 1e9), 0.0); },
      [&] { policy->observe(Eigen::VectorXd::Zero(d), nan); },
      [&] { static_cast<void>(policy->ask(Eigen::MatrixXd::Zero(3, d))); },
      [&] { policy->restore({}, 1); },
      [&] { policy->restore(Bytes(16, std::byte{1}), 1); },
  };
  for (std::size_t call = 0; call < wrong_calls.size(); ++call) {
    EXPECT_NE(code_of_error(wrong_calls[call]), std::nullopt) << "call " << call;
    EXPECT_EQ(policy->snapshot(), before) << "call " << call;
  }
  EXPECT_EQ(code_of_error([&] { policy->tell(open, 0.1); }), std::nullopt);
}

TEST_P(PolicyConformance, TheOrderOfTellsDoesNotMatterForTheEstimate) {
  // The same set of observations in another order, some never told.
  const auto in_order = make();
  const auto shuffled = make();
  std::vector<std::pair<DecisionId, double>> losses;
  for (int round = 0; round < 400; ++round) {
    const Decision& decision = in_order->ask();
    const Decision& other = shuffled->ask();
    ASSERT_EQ(decision.action, other.action);  // no data yet: the same draws
    losses.emplace_back(decision.id, loss(decision));
  }
  RandomStream random(/*seed=*/5, /*stream=*/1);
  std::vector<std::size_t> order(losses.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random.index(i)]);
  }
  const auto is_missing = [](std::size_t index) { return index % 7 == 3; };
  for (std::size_t index = 0; index < losses.size(); ++index) {
    if (is_missing(index)) {
      in_order->abandon(losses[index].first);
    } else {
      in_order->tell(losses[index].first, losses[index].second);
    }
  }
  for (const std::size_t index : order) {
    if (!is_missing(index)) {
      shuffled->tell(losses[index].first, losses[index].second);
    }
  }
  ASSERT_EQ(in_order->estimate().count(), shuffled->estimate().count());
  EXPECT_EQ(shuffled->open_rounds(),
            losses.size() - static_cast<std::size_t>(shuffled->estimate().count()));
  const Eigen::VectorXd difference = in_order->estimate().mu_hat() - shuffled->estimate().mu_hat();
  EXPECT_LE(difference.norm(), 1e-10);
  const double radius = in_order->estimate().radius(estimation::RadiusForm::LogDet);
  EXPECT_NEAR(radius, shuffled->estimate().radius(estimation::RadiusForm::LogDet), 1e-10 * radius);
}

TEST_P(PolicyConformance, ARestoredPolicyDecidesAsTheOriginalBitForBit) {
  const auto original = make();
  play(*original, 137);
  const DecisionId late = original->ask().id;  // an open round is part of the state
  const Bytes bytes = original->snapshot();
  const auto restored = make();
  restored->restore(bytes, 1);
  original->restore(bytes, 1);
  EXPECT_EQ(restored->snapshot(), original->snapshot());
  for (int round = 0; round < 1000; ++round) {
    const Decision left = original->ask();
    const Decision& right = restored->ask();
    ASSERT_TRUE(is_same(left, right)) << "round " << round;
    const double told = loss(left);
    original->tell(left.id, told);
    restored->tell(right.id, told);
    if (round == 500) {
      original->tell(late, 0.25);
      restored->tell(late, 0.25);
    }
  }
  EXPECT_EQ(original->snapshot(), restored->snapshot());
}

TEST_P(PolicyConformance, ADamagedSnapshotIsRefusedWhereverTheDamageIs) {
  const auto policy = make();
  play(*policy, 30);
  const Bytes bytes = policy->snapshot();
  for (std::size_t position = 0; position < bytes.size(); position += 61) {
    Bytes damaged = bytes;
    damaged[position] ^= std::byte{0x10};
    EXPECT_EQ(code_of_error([&] { policy->restore(damaged, 1); }), ErrorCode::InvalidArgument);
    const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(position));
    EXPECT_EQ(code_of_error([&] { policy->restore(cut, 1); }), ErrorCode::InvalidArgument);
  }
  EXPECT_EQ(policy->snapshot(), bytes);
}

TEST_P(PolicyConformance, SameCallsGiveTheSameDecisions) {
  const auto first = make();
  const auto second = make();
  for (int round = 0; round < 200; ++round) {
    const Decision left = first->ask();
    const Decision& right = second->ask();
    ASSERT_TRUE(is_same(left, right));
    const double told = loss(left);
    first->tell(left.id, told);
    second->tell(right.id, told);
  }
}

TEST_P(PolicyConformance, LoggedDataCountLikeToldOnes) {
  const auto told = make();
  const auto logged = make();
  for (int round = 0; round < 50; ++round) {
    const Decision& decision = told->ask();
    const double value = loss(decision);
    logged->observe(decision.action, value);
    told->tell(decision.id, value);
  }
  EXPECT_EQ(told->estimate().digest(), logged->estimate().digest());
  EXPECT_EQ(logged->rounds(), 0U);
}

TEST_P(PolicyConformance, ASnapshotOfAnotherProblemIsAConflict) {
  const auto policy = make();
  safety::Problem other = GetParam().instance.problem;
  other.constraints.front().limit *= 1.5;
  const Bytes bytes = GetParam().make(other)->snapshot();
  EXPECT_EQ(code_of_error([&] { policy->restore(bytes, 1); }), ErrorCode::Conflict);
}

struct Variant {
  std::string name;
  PolicyOptions options;
};

// Every variant on every kind of set.
template <typename PolicyType>
std::vector<Subject> subjects(const std::vector<Variant>& variants) {
  std::vector<Subject> result;
  for (const Instance& instance : all_instances()) {
    for (const Variant& variant : variants) {
      result.push_back({variant.name + "On" + instance.name,
                        [options = variant.options](const safety::Problem& problem) {
                          return std::make_unique<PolicyType>(problem, options);
                        },
                        instance});
    }
  }
  return result;
}

const auto kName = [](const auto& test) { return test.param.name; };
const WarmupOptions kShortWarmup{.schedule = Schedule::Rounds, .rounds = 25};

INSTANTIATE_TEST_SUITE_P(
    SafeLucb, PolicyConformance,
    ::testing::ValuesIn(subjects<SafeLucb>(
        {{"Default", {}},
         {"Paper",
          {.optimism = Optimism::L1,
           .caution = safety::Caution::L1Paper,
           .certified = safety::CertifiedSet::Region,
           .radius = estimation::RadiusForm::Paper,
           .warmup = kShortWarmup}},
         {"L1Exact",
          {.optimism = Optimism::L1Cholesky,
           .caution = safety::Caution::L1Exact,
           .radius = estimation::RadiusForm::LogDet,
           .warmup = kShortWarmup}},
         {"Nested", {.nested = true, .warmup = kShortWarmup}},
         {"RidgeFamily", {.ridge_family = true}},
         {"Exact", {.optimism = Optimism::Ellipsoid, .search = {.gap = 1e-4, .nodes = 200}}},
         {"RarelySwitching", {.warmup = kShortWarmup, .rarely_switching = 0.5}}})),
    kName);

INSTANTIATE_TEST_SUITE_P(
    Gslucb, PolicyConformance,
    ::testing::ValuesIn(subjects<Gslucb>({{"Default", {.gap_growth = 1.2, .horizon = 150}},
                                          {"Paper",
                                           {.optimism = Optimism::L1,
                                            .caution = safety::Caution::L1Paper,
                                            .radius = estimation::RadiusForm::Paper,
                                            .gap_growth = 1.5,
                                            .horizon = 400}}})),
    kName);

INSTANTIATE_TEST_SUITE_P(Targeted, PolicyConformance,
                         ::testing::ValuesIn(subjects<Targeted>(
                             {{"Default", {}},
                              {"KnownHorizon", {.horizon = 1000}},
                              {"WideNet", {.exploration = 50.0}},
                              {"Thompson", {.exploit = Exploit::Thompson}},
                              {"RegionOnly", {.certified = safety::CertifiedSet::Region}},
                              {"RarelySwitching", {.rarely_switching = 1.0}},
                              {"RidgeFamily", {.ridge_family = true}},
                              {"Nested", {.nested = true}}})),
                         kName);

}  // namespace
}  // namespace foothold::policy
