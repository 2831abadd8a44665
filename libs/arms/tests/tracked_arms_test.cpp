#include "shortlist/tracked_arms.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "search_instances.hpp"
#include "shortlist/arm_reach.hpp"

namespace foothold::arms {
namespace {

struct TrackedCase {
  std::string name{};
  Eigen::Index count = 1500;
  Eigen::Index dim = 5;
  int constraints = 1;
  int tells = 1;        // between two sweeps
  int longest_gap = 1;  // sweeps left out now and then
};

class TrackedArmsCase : public ::testing::TestWithParam<TrackedCase> {
 protected:
  TrackedArmsCase() : problem_(make_problem()), estimate_(GetParam().dim, problem_.assumptions) {}

  safety::Problem make_problem() {
    Eigen::MatrixXd arms = testing::normal_matrix(random_, GetParam().count, GetParam().dim);
    for (Eigen::Index i = 0; i < arms.rows(); ++i) {
      arms.row(i) *= testing::log_uniform(random_, -1.0, 0.0) / arms.row(i).norm();
    }
    return testing::make_instance("Arms", geometry::Arms(arms), GetParam().constraints, 5).problem;
  }
  const Eigen::MatrixXd& features() const {
    return std::get<geometry::Arms>(problem_.decision_set).features();
  }
  void observe(int count) {
    for (int n = 0; n < count; ++n) {
      const auto row =
          static_cast<Eigen::Index>(random_.index(static_cast<std::size_t>(features().rows())));
      const Eigen::VectorXd x = features().row(row).transpose();
      estimate_.observe(x, 0.3 * x.sum() + 0.1 * random_.normal());
    }
  }
  ArmState state() {
    region_.update(estimate_, rule_.radius, rule_.root);
    screen_.begin(estimate_, region_, certifier_);
    ArmState state;
    state.take({estimate_, region_, proved_, certifier_, screen_});
    return state;
  }

  // Whether the sweep's answer is true of the present state: by the definition of losses and by
  // certificates.
  void expect_true(const TrackedArms& tracked, const std::vector<Eigen::Index>& names,
                   const ArmState& now, double best) {
    double best_certified = kInfinity;
    std::vector<Eigen::Index> expected;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Eigen::VectorXd x = features().row(names[i]).transpose();
      const double loss = now.mu_hat.dot(x) - now.radius * (now.forms.transpose() * x).norm();
      if (loss <= best && safety::certify(problem_, rule_, estimate_, x).is_safe()) {
        best_certified = std::min(best_certified, loss);
        expected.push_back(static_cast<Eigen::Index>(i));
      }
    }
    EXPECT_TRUE(best == kInfinity || best_certified <= best);
    std::vector<Eigen::Index> rows;
    tracked.collect(best, names.size(), rows);
    EXPECT_TRUE(std::includes(rows.begin(), rows.end(), expected.begin(), expected.end()));
    listed_ += rows.size();
    possible_ += names.size();
  }

  RandomStream random_{/*seed=*/105, /*stream=*/0};
  safety::SafetyRule rule_;
  safety::Problem problem_;
  estimation::RidgeEstimate estimate_;
  estimation::ConfidenceRegion region_{GetParam().dim};
  safety::Certifier certifier_{problem_, rule_};
  ArmScreen screen_{problem_};
  std::vector<bool> proved_;
  std::size_t listed_ = 0;
  std::size_t possible_ = 0;
};

TEST_P(TrackedArmsCase, LeaveOutOnlyWhatCannotBeTheChoice) {
  TrackedArms all(problem_, features());
  TrackedArms some(all, 200);
  std::vector<Eigen::Index> names(static_cast<std::size_t>(features().rows()));
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = static_cast<Eigen::Index>(i);
  }
  std::vector<Eigen::Index> some_names;
  for (Eigen::Index i = 3; i < features().rows() && some_names.size() < 200; i += 7) {
    some_names.push_back(i);
  }
  ArmStateChange change(GetParam().dim);
  ArmState before = ArmState::without_data(problem_);
  ArmState some_before;
  for (int round = 0; round < 150; ++round) {
    SCOPED_TRACE(round);
    const ArmState now = state();
    const ArmOutlook outlook = ArmReach::outlook(now, 0.0);
    if (round % GetParam().longest_gap == 0) {
      all.plan(change.between(before, now));
      before = now;
      expect_true(all, names, now, all.sweep(outlook, rule_, 0.0));
      some.assign(all, some_names);
    } else {
      some.plan(change.between(some_before, now));
    }
    some_before = now;
    expect_true(some, some_names, now, some.sweep(outlook, rule_, 0.0));
    observe(GetParam().tells);
  }
  EXPECT_LT(20 * listed_, possible_) << "bounds as wide as that are true of anything";
}

INSTANTIATE_TEST_SUITE_P(
    Cases, TrackedArmsCase,
    ::testing::Values(TrackedCase{.name = "RankOne"},
                      TrackedCase{.name = "Several", .constraints = 3, .tells = 2},
                      TrackedCase{.name = "HighRank", .tells = 9},
                      TrackedCase{.name = "Gaps", .longest_gap = 4},
                      TrackedCase{.name = "LongGaps", .dim = 9, .longest_gap = 40},
                      TrackedCase{.name = "Flat", .count = 300, .dim = 1}),
    [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace foothold::arms
