#include <optional>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "foothold/base/random_stream.hpp"
#include "foothold/policy/safe_lucb.hpp"

// So many arms that a scan keeps much about them between rounds: none of it may show.
namespace foothold::policy {
namespace {

struct ManyArmsVariant {
  std::string name;
  PolicyOptions options;
};

class ManyArms : public ::testing::TestWithParam<ManyArmsVariant> {
 protected:
  ManyArms() {
    constexpr Eigen::Index kDim = 3;
    arms_ = Eigen::MatrixXd::NullaryExpr(1300, kDim, [this] { return random_.normal(); });
    for (Eigen::Index i = 0; i < arms_.rows(); ++i) {
      arms_.row(i) *= (0.05 + 0.95 * random_.uniform()) / arms_.row(i).norm();
    }
    problem_.decision_set = geometry::Arms(arms_);
    problem_.constraints = {
        {.matrix = Eigen::MatrixXd::NullaryExpr(kDim, kDim, [this] { return random_.normal(); }),
         .limit = 0.3}};
    problem_.assumptions = {.noise_scale = 0.1, .norm_bound = 1.0, .ridge = 0.1};
    mu_ =
        0.9 * Eigen::VectorXd::NullaryExpr(kDim, [this] { return random_.normal(); }).normalized();
  }

  double loss(const Decision& decision) {
    return mu_.dot(decision.action) + 0.1 * random_.normal();
  }

  RandomStream random_{/*seed=*/21, /*stream=*/5};
  Eigen::MatrixXd arms_;
  safety::Problem problem_{.decision_set = geometry::ContextualArms(1)};
  Eigen::VectorXd mu_;
};

void expect_same(const Decision& left, const Decision& right) {
  ASSERT_EQ(left.arm, right.arm);
  ASSERT_EQ(left.action, right.action);
  ASSERT_EQ(left.certificate.digest, right.certificate.digest);
  ASSERT_EQ(left.certificate.margin(), right.certificate.margin());
  if (left.purpose == Purpose::Optimism) {
    ASSERT_EQ(left.optimistic_loss, right.optimistic_loss);
    ASSERT_EQ(left.dual_bound, right.dual_bound);
  }
}

// Losses come late, several at a time and in any order; logged data come in between; one of two
// policies is replaced by what its snapshot restores, now and then.
TEST_P(ManyArms, APolicyRestoredAtAnyTimeDecidesAsOneThatWasNot) {
  SafeLucb whole(problem_, GetParam().options);
  std::optional<SafeLucb> broken(std::in_place, problem_, GetParam().options);
  std::vector<std::pair<std::pair<DecisionId, DecisionId>, double>> open;
  std::uint64_t epoch = 0;
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    const Decision& decision = whole.ask();
    const Decision& other = broken->ask();
    expect_same(decision, other);
    if (HasFatalFailure()) {
      return;
    }
    open.emplace_back(std::pair(decision.id, other.id), loss(decision));
    while (open.size() > 5 || (!open.empty() && random_.uniform() < 0.4)) {
      const std::size_t position = random_.index(open.size());
      const auto [ids, told] = open[position];
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(position));
      whole.tell(ids.first, told);
      broken->tell(ids.second, told);
    }
    if (round % 29 == 7) {
      const Eigen::VectorXd x = arms_.row(round).transpose();
      whole.observe(x, mu_.dot(x));
      broken->observe(x, mu_.dot(x));
    }
    if (round % 37 == 20) {
      const Bytes bytes = broken->snapshot();
      broken.emplace(problem_, GetParam().options);
      broken->restore(bytes, ++epoch);
    }
  }
  EXPECT_EQ(whole.estimate().digest(), broken->estimate().digest());
}

TEST_P(ManyArms, APolicyTakenBackForgetsWhatCameAfter) {
  SafeLucb policy(problem_, GetParam().options);
  const auto play = [&](int rounds, std::vector<Eigen::Index>& arms, double slope) {
    for (int round = 0; round < rounds; ++round) {
      const Decision& decision = policy.ask();
      arms.push_back(*decision.arm);
      policy.tell(decision.id, slope * mu_.dot(decision.action));
    }
  };
  std::vector<Eigen::Index> first;
  std::vector<Eigen::Index> other;
  std::vector<Eigen::Index> again;
  play(60, first, 1.0);
  first.clear();
  const Bytes bytes = policy.snapshot();
  play(60, first, 1.0);
  policy.restore(bytes, 1);
  play(40, other, -1.0);
  policy.restore(bytes, 2);
  play(60, again, 1.0);
  EXPECT_EQ(again, first);
}

INSTANTIATE_TEST_SUITE_P(
    Options, ManyArms,
    ::testing::Values(ManyArmsVariant{"Default", {}},
                      ManyArmsVariant{"Region",
                                      {.certified = safety::CertifiedSet::Region,
                                       .warmup = {.schedule = Schedule::Rounds, .rounds = 30}}},
                      ManyArmsVariant{"Nested", {.nested = true}},
                      ManyArmsVariant{"RarelySwitching", {.rarely_switching = 0.1}},
                      ManyArmsVariant{"L1", {.optimism = Optimism::L1Cholesky}},
                      ManyArmsVariant{"RidgeFamily", {.ridge_family = true}}),
    [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace foothold::policy
