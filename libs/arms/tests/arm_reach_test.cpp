#include "shortlist/arm_reach.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "search_instances.hpp"

namespace foothold::arms {
namespace {

// A run of one estimate, looked at as an `ArmShortlist` does.
class StateRun {
 public:
  explicit StateRun(Eigen::Index d)
      : problem_(testing::make_instance(
                     "Arms", geometry::Arms(0.3 * testing::normal_matrix(random_, 40, d)), 1, 3)
                     .problem),
        certifier_(problem_, {}),
        screen_(problem_),
        region_(d),
        estimate_(d, problem_.assumptions) {}

  ArmState state() {
    region_.update(estimate_, estimation::RadiusForm::Mixture, estimation::RootForm::Cholesky);
    screen_.begin(estimate_, region_, certifier_);
    ArmState state;
    state.take({estimate_, region_, proved_, certifier_, screen_});
    return state;
  }
  void observe(int count = 1) {
    for (int n = 0; n < count; ++n) {
      const Eigen::VectorXd x = std::get<geometry::Arms>(problem_.decision_set)
                                    .features()
                                    .row(static_cast<Eigen::Index>(random_.index(40)))
                                    .transpose();
      estimate_.observe(x, 0.3 * x.sum() + 0.1 * random_.normal());
    }
  }
  RandomStream& random() { return random_; }

 private:
  RandomStream random_{/*seed=*/104, /*stream=*/0};
  safety::Problem problem_;
  safety::Certifier certifier_;
  ArmScreen screen_;
  estimation::ConfidenceRegion region_;
  estimation::RidgeEstimate estimate_;
  std::vector<bool> proved_;
};

double width(const ArmState& state, const Eigen::VectorXd& x) {
  return (state.forms.transpose() * x).norm();
}

// Oracle: widths and estimates themselves, in many directions and the extreme ones.
TEST(ArmReach, WhileTheStateIsWithinTheOutlookHolds) {
  constexpr Eigen::Index kDim = 5;
  StateRun run(kDim);
  ArmStateChange change(kDim);
  ArmReach reach(kDim);
  int within = 0;
  int expired = 0;
  for (int start = 0; start < 40; ++start) {
    run.observe(1 + start);
    const double latitude = 0.25 / (1 + start % 3);
    const ArmState first = run.state();
    const ArmOutlook outlook = ArmReach::outlook(first, latitude);
    reach.begin(first, latitude);
    ArmState from = first;
    for (int step = 0; step < 100; ++step) {
      run.observe();
      const ArmState to = run.state();
      if (!reach.is_within(from, change.between(from, to), to)) {
        ++expired;
        break;
      }
      ++within;
      EXPECT_GE(to.radius, outlook.radius);
      EXPECT_LE(to.radius, outlook.largest_radius);
      const Eigen::VectorXd shift = to.mu_hat - first.mu_hat;
      const Eigen::MatrixXd T = to.forms.transpose() * first.factor;
      const Eigen::JacobiSVD<Eigen::MatrixXd> svd(T, Eigen::ComputeThinV);
      for (int i = 0; i < 20; ++i) {
        Eigen::VectorXd x = testing::normal_vector(run.random(), kDim).normalized();
        x = i == 0 ? Eigen::VectorXd(first.gram * shift)
                   : (i == 1 ? Eigen::VectorXd(first.factor * svd.matrixV().col(kDim - 1)) : x);
        const double blur = outlook.blur * x.norm();
        EXPECT_LE(width(to, x), width(first, x) + blur);
        EXPECT_GE(width(to, x), outlook.shrinkage * width(first, x) - blur);
        EXPECT_LE(std::abs(shift.dot(x)), outlook.drift * width(first, x) + blur);
      }
      from = to;
    }
  }
  EXPECT_GT(within, 100);
  EXPECT_GT(expired, 10);
}

TEST(ArmReach, DoesNotExtendToAnEarlierStateOrAnotherEstimate) {
  constexpr Eigen::Index kDim = 4;
  StateRun run(kDim);
  run.observe(100);
  const ArmState early = run.state();
  run.observe(5);
  const ArmState late = run.state();
  ArmStateChange change(kDim);
  ArmReach reach(kDim);
  reach.begin(late, 1.0);
  EXPECT_FALSE(reach.is_within(late, change.between(late, early), early));
  StateRun other(kDim);
  other.observe(90);
  const ArmState elsewhere = other.state();
  reach.begin(late, 1.0);
  EXPECT_FALSE(reach.is_within(late, change.between(late, elsewhere), elsewhere));
}

}  // namespace
}  // namespace foothold::arms
