#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/base/random_stream.hpp"
#include "foothold/policy/gslucb.hpp"
#include "foothold/policy/make.hpp"

#include "instances.hpp"

namespace foothold::policy {
namespace {

struct ReplaySubject {
  std::string name;
  Algorithm algorithm{};
  PolicyOptions options{};
  Instance instance;
};

void PrintTo(const ReplaySubject& subject, std::ostream* out) {
  *out << subject.name;
}

// One line of a log.
struct LogEntry {
  Decision decision{};
  std::vector<std::pair<DecisionId, double>> told{};
};

class Replay : public ::testing::TestWithParam<ReplaySubject> {
 protected:
  [[nodiscard]] std::unique_ptr<Learner> make() const {
    return policy::make(GetParam().algorithm, GetParam().instance.problem, GetParam().options);
  }
  // Plays with losses that come late and out of order; every seventh never comes.
  std::vector<LogEntry> play(Policy& policy, int rounds) {
    std::vector<LogEntry> log;
    std::vector<std::pair<DecisionId, double>> open;
    for (int round = 0; round < rounds; ++round) {
      LogEntry entry{.decision = policy.ask()};
      if (round % 7 != 3) {
        open.emplace_back(entry.decision.id,
                          true_loss(GetParam().instance, entry.decision) + 0.1 * random_.normal());
      }
      while (!open.empty() && random_.uniform() < 0.6) {
        const std::size_t place = random_.index(open.size());
        policy.tell(open[place].first, open[place].second);
        entry.told.push_back(open[place]);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(place));
      }
      log.push_back(entry);
    }
    return log;
  }
  static void replay(Policy& policy, const std::vector<LogEntry>& log) {
    for (const LogEntry& entry : log) {
      const Decision& adopted = policy.adopt(entry.decision);
      ASSERT_EQ(adopted.id, entry.decision.id);
      ASSERT_EQ(adopted.action, entry.decision.action);
      for (const auto& [id, loss] : entry.told) {
        policy.tell(id, loss);
      }
    }
  }

  RandomStream random_{/*seed=*/31, /*stream=*/4};
};

TEST_P(Replay, ALogLeadsToTheStateOfTheRunThatWroteIt) {
  const auto original = make();
  const std::vector<LogEntry> log = play(*original, 250);
  const auto first = make();
  replay(*first, log);
  const auto second = make();
  replay(*second, log);
  // Warm starts depend on what was solved, and a replay solves nothing.
  EXPECT_EQ(first->snapshot(WarmStarts::Drop), original->snapshot(WarmStarts::Drop));
  EXPECT_EQ(first->snapshot(), second->snapshot());
  EXPECT_EQ(first->open_rounds(), original->open_rounds());
}

TEST_P(Replay, ADecisionOfAnotherStateNeedsThePresentOneToCertifyIt) {
  const auto original = make();
  const std::vector<LogEntry> log = play(*original, 120);
  const auto other = make();
  int accepted = 0;
  int refused = 0;
  for (const LogEntry& entry : log) {
    Decision decision = entry.decision;
    decision.id = make_id(0, other->rounds());
    const Bytes before = other->snapshot();
    try {
      const Decision& adopted = other->adopt(decision);
      EXPECT_TRUE(adopted.certificate.is_safe());
      EXPECT_TRUE(other->certify(adopted.action).is_safe() ||
                  adopted.certificate.digest == decision.certificate.digest);
      ++accepted;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::Conflict);
      EXPECT_EQ(error.field(), "certificate");
      EXPECT_EQ(other->snapshot(), before);
      ++refused;
    }
  }
  EXPECT_GT(accepted, 0);
  // Without data only the foothold is certified; all of these decisions may lie in it.
  EXPECT_EQ(accepted + refused, static_cast<int>(log.size()));
}

TEST_P(Replay, RefusesWhatNoPolicyOfThisProblemDecided) {
  const auto policy = make();
  const Decision good = policy->ask();
  const auto fresh = make();
  const Bytes before = fresh->snapshot();
  std::vector<std::function<void(Decision&)>> damages = {
      [](Decision& d) { d.id = make_id(0, 1); },
      [](Decision& d) { d.action *= 1e6; },
      [](Decision& d) { d.action(0) = std::numeric_limits<double>::quiet_NaN(); },
      [](Decision& d) { d.action.conservativeResize(d.action.size() + 1); },
      [](Decision& d) { d.arm = d.arm ? std::nullopt : std::optional<Eigen::Index>(0); },
      [](Decision& d) { d.certificate.constraints.clear(); },
      [](Decision& d) { d.certificate.constraints[0].limit *= 2.0; },
      [](Decision& d) { d.certificate.constraints[0].excess = 1e9; },
      [](Decision& d) { d.certificate.is_in_decision_set = false; },
      [](Decision& d) { d.record.plan.target = -5; },
      [](Decision& d) { d.record.plan = {.target = 3, .teacher = -1}; },
      [](Decision& d) { d.record.explorations = -1; },
  };
  if (!geometry::is_continuous(policy->problem().decision_set)) {
    damages.emplace_back([](Decision& d) { d.record.plan = {.target = 0, .teacher = 1'000'000}; });
    damages.emplace_back([](Decision& d) { d.arm = 1'000'000; });
  }
  for (std::size_t i = 0; i < damages.size(); ++i) {
    Decision bad = good;
    damages[i](bad);
    EXPECT_THROW(fresh->adopt(bad), Error) << "damage " << i;
    EXPECT_TRUE(fresh->snapshot() == before) << "damage " << i;
  }
  EXPECT_NO_THROW(fresh->adopt(good));
}

// One snapshot restored twice: a loss of one life is never credited to a round of another.
TEST_P(Replay, IdsOfLostRoundsNeverComeAgain) {
  const auto policy = make();
  play(*policy, 20);
  const DecisionId kept = policy->ask().id;
  const Bytes bytes = policy->snapshot();
  const DecisionId lost = policy->ask().id;
  policy->restore(bytes, 1);
  const DecisionId second = policy->ask().id;
  EXPECT_NE(lost, second);
  EXPECT_EQ(round_of(lost), round_of(second));
  const auto code = [&](DecisionId id) {
    try {
      policy->tell(id, 0.0);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::Internal;
  };
  EXPECT_EQ(code(lost), ErrorCode::NotFound);
  EXPECT_THROW(policy->restore(bytes, 0), Error);
  policy->restore(bytes, 2);
  const DecisionId third = policy->ask().id;
  EXPECT_EQ(code(lost), ErrorCode::NotFound);
  EXPECT_EQ(code(second), ErrorCode::NotFound);
  EXPECT_NO_THROW(policy->tell(third, 0.0));
  EXPECT_NO_THROW(policy->tell(kept, 0.0));
  EXPECT_EQ(code(kept), ErrorCode::Conflict);
  // A snapshot of the second life knows the first two epochs.
  const Bytes later = policy->snapshot();
  const auto other = make();
  EXPECT_THROW(other->restore(later, 2), Error);
  EXPECT_NO_THROW(other->restore(later, 3));
}

TEST_P(Replay, ALossThatNoAssumptionAllowsIsRefusedAndHarmsNobody) {
  const auto policy = make();
  const DecisionId id = policy->ask().id;
  const Bytes before = policy->snapshot();
  for (const double loss : {1e308, -1e308, 1e9}) {
    EXPECT_THROW(policy->tell(id, loss), Error);
    EXPECT_THROW(policy->observe(Eigen::VectorXd::Zero(policy->problem().dim()), loss), Error);
  }
  EXPECT_EQ(policy->snapshot(), before);
  policy->tell(id, 0.1);
  EXPECT_NO_THROW(static_cast<void>(policy->ask()));
}

std::vector<ReplaySubject> replay_subjects() {
  struct ReplayVariant {
    std::string name;
    Algorithm algorithm{};
    PolicyOptions options{};
  };
  const std::vector<ReplayVariant> variants = {
      {"SafeLucb", Algorithm::SafeLucb, {.warmup = {.schedule = Schedule::Rounds, .rounds = 25}}},
      {"SafeLucbNested", Algorithm::SafeLucb, {.nested = true}},
      {"SafeLucbRarely", Algorithm::SafeLucb, {.rarely_switching = 0.5}},
      {"SafeLucbFamily", Algorithm::SafeLucb, {.ridge_family = true}},
      {"SafeLucbNoDuplicates", Algorithm::SafeLucb, {.refuse_duplicates = true}},
      {"Gslucb", Algorithm::Gslucb, {.gap_growth = 1.2, .horizon = 150}},
      {"Targeted", Algorithm::Targeted, {}},
      {"TargetedThompson", Algorithm::Targeted, {.exploit = Exploit::Thompson}},
      {"TargetedWide", Algorithm::Targeted, {.exploration = 50.0}},
      {"TargetedRarely", Algorithm::Targeted, {.rarely_switching = 1.0}},
  };
  std::vector<ReplaySubject> subjects;
  for (const Instance& instance : all_instances()) {
    for (const ReplayVariant& variant : variants) {
      subjects.push_back(
          {variant.name + "On" + instance.name, variant.algorithm, variant.options, instance});
    }
  }
  return subjects;
}

INSTANTIATE_TEST_SUITE_P(Policies, Replay, ::testing::ValuesIn(replay_subjects()),
                         [](const auto& test) { return test.param.name; });

TEST(DecisionIdText, IsReadBackAndNothingElseIs) {
  for (const DecisionId id : {make_id(0, 0), make_id(1, 4), make_id(kMaxEpoch, kMaxRound)}) {
    EXPECT_EQ(id_from_string(to_string(id)), id);
  }
  EXPECT_EQ(to_string(make_id(3, 17)), "3-17");
  for (const char* text : {"", "1", "-", "1-", "-1", "1-2-3", "01-2", "1-02", "1- 2", "16777216-0",
                           "0-1099511627776", "1-2 "}) {
    EXPECT_EQ(id_from_string(text), std::nullopt) << text;
  }
}

TEST(Observe, RefusesDuplicatesOnRequest) {
  const Instance instance = all_instances().front();
  SCOPED_TRACE(instance.name);
  const auto policy = make(Algorithm::SafeLucb, instance.problem, {.refuse_duplicates = true});
  const Decision decision = policy->ask();
  policy->tell(decision.id, 0.25);
  const Bytes before = policy->snapshot();
  try {
    policy->observe(decision.action, 0.25);
    FAIL() << "a pair that was told was observed again";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Conflict);
  }
  EXPECT_EQ(policy->snapshot(), before);
  EXPECT_NO_THROW(policy->observe(decision.action, 0.26));
  EXPECT_THROW(policy->observe(decision.action, 0.26), Error);
  const auto restored = make(Algorithm::SafeLucb, instance.problem, {.refuse_duplicates = true});
  restored->restore(policy->snapshot(), 1);
  EXPECT_THROW(restored->observe(decision.action, 0.26), Error);
}

}  // namespace
}  // namespace foothold::policy
