#include "screen/arm_screen.hpp"

#include <cmath>
#include <optional>

#include <gtest/gtest.h>

#include "foothold/base/infinity.hpp"

#include "search_instances.hpp"

// The screen against the certificates that it foresees: no arm that is certified may be refused.
namespace foothold::arms {
namespace {

using testing::log_uniform;
using testing::normal_matrix;
using testing::normal_vector;

constexpr safety::SafetyRule kOnlyRegion{.certified = safety::CertifiedSet::Region};
constexpr safety::SafetyRule kL1ByFactor{.caution = safety::Caution::L1Exact};
constexpr safety::SafetyRule kL1ByRoot{.caution = safety::Caution::L1Exact,
                                       .root = estimation::RootForm::Symmetric};

struct Judged {
  int certified = 0;
  int dropped = 0;            // of all arms
  int refused = 0;            // likewise, looked at one by one
  int wrongly_ruled_out = 0;  // certified, and dropped or refused
};

Judged judge(const safety::Problem& problem, const safety::SafetyRule& rule,
             const estimation::RidgeEstimate& estimate, const Eigen::MatrixXd& arms) {
  estimation::ConfidenceRegion region(problem.dim());
  region.update(estimate, rule.radius, rule.root);
  const safety::Certifier certifier(problem, rule);
  ArmScreen screen(problem);
  screen.begin(estimate, region, certifier);
  Judged judged;
  if (!screen.can_refuse()) {
    return judged;
  }
  Eigen::VectorXd losses = Eigen::VectorXd::Zero(padded<double>(arms.rows()));
  screen.drop({arms.data(), arms.rows(), arms.rows()}, /*is_padded=*/false, losses);
  for (Eigen::Index i = 0; i < arms.rows(); ++i) {
    const Eigen::VectorXd x = arms.row(i).transpose();
    const bool is_certified = safety::certify(problem, rule, estimate, x).is_safe();
    const bool is_dropped = losses(i) == kInfinity;
    const bool is_refused = screen.refuses(x);
    judged.certified += is_certified ? 1 : 0;
    judged.dropped += is_dropped ? 1 : 0;
    judged.refused += is_refused ? 1 : 0;
    judged.wrongly_ruled_out += is_certified && (is_dropped || is_refused) ? 1 : 0;
  }
  return judged;
}

safety::Problem problem_with(const Eigen::MatrixXd& B, double limit,
                             const estimation::Assumptions& assumptions) {
  safety::Problem problem{.decision_set = geometry::ContextualArms(B.rows())};
  problem.constraints.push_back({.matrix = B, .limit = limit});
  problem.assumptions = assumptions;
  return safety::resolved(problem);
}

// Arms of norm 0.95 to 0.98, known to be safe by S‖z‖ ≤ 1, beside a μ̂ whose squares vanish.
TEST(ArmScreen, KeepsWhatIsKnownToBeSafeWhereSquaresOfTheEstimateVanish) {
  const safety::Problem problem =
      problem_with(Eigen::MatrixXd::Identity(2, 2), 1.0,
                   {.noise_scale = 1.0, .norm_bound = 1.0, .action_bound = 2.0, .ridge = 1.0});
  estimation::RidgeEstimate estimate(2, problem.assumptions);
  estimate.observe(Eigen::Vector2d(1.0, 0.0), 4.6e-162);
  estimate.observe(Eigen::Vector2d(0.0, 1.0), 3e-162);
  Eigen::MatrixXd arms(64, 2);
  for (Eigen::Index i = 0; i < arms.rows(); ++i) {
    const double angle = 0.1 * static_cast<double>(i);
    const double norm = 0.95 + 0.0005 * static_cast<double>(i);
    arms.row(i) << norm * std::cos(angle), norm * std::sin(angle);
  }
  const Judged judged = judge(problem, {}, estimate, arms);
  EXPECT_EQ(judged.certified, 64);
  EXPECT_EQ(judged.wrongly_ruled_out, 0);
}

TEST(ArmScreen, KeepsWhatIsCertifiedWhereSquaresOfWidthsVanish) {
  const safety::Problem problem = problem_with(
      Eigen::MatrixXd::Identity(1, 1), 1.7e-42,
      {.noise_scale = 1e-30, .norm_bound = 1e-30, .action_bound = 1.0, .ridge = 1e300});
  const estimation::RidgeEstimate estimate(1, problem.assumptions);
  const Eigen::MatrixXd arms = Eigen::VectorXd::LinSpaced(64, 1.57e-12, 1.59e-12);
  for (const safety::SafetyRule& rule : {safety::SafetyRule{}, kOnlyRegion}) {
    const Judged judged = judge(problem, rule, estimate, arms);
    EXPECT_EQ(judged.certified, 64);
    EXPECT_EQ(judged.wrongly_ruled_out, 0);
  }
}

TEST(ArmScreen, KeepsWhatIsCertifiedWhereSquaresOverflow) {
  const safety::Problem problem = problem_with(
      1e100 * Eigen::MatrixXd::Identity(2, 2), 1.0,
      {.noise_scale = 1e-165, .norm_bound = 1e-165, .action_bound = 1e61, .ridge = 1.0});
  const estimation::RidgeEstimate estimate(2, problem.assumptions);
  const Judged judged = judge(problem, {}, estimate, Eigen::MatrixXd::Constant(3, 2, 1e60));
  EXPECT_EQ(judged.certified, 3);
  EXPECT_EQ(judged.wrongly_ruled_out, 0);
}

// Limits within a few roundings of the bound of one of the arms, so that it is a close call; μ̂
// along z, so that bounds on ‖z‖ are, too. `span`: powers of ten that scales are drawn from.
class ScreenedProblem {
 public:
  ScreenedProblem(RandomStream& random, Eigen::Index d, Eigen::Index count, double span) {
    const estimation::Assumptions assumptions{.noise_scale = log_uniform(random, -span, span),
                                              .norm_bound = log_uniform(random, -span, span),
                                              .action_bound = 1e3 * log_uniform(random, 0.0, span),
                                              .ridge = log_uniform(random, -span, span)};
    const double length = 1e-3 * *assumptions.action_bound;
    const Eigen::MatrixXd B = log_uniform(random, -span, span) * normal_matrix(random, d, d);
    arms_ = length * normal_matrix(random, count, d);
    problem_ = problem_with(B, 1.0, assumptions);
    estimate_.emplace(d, problem_.assumptions);
    const Eigen::VectorXd z = B * arms_.row(0).transpose();
    const Eigen::VectorXd direction = z / z.cwiseAbs().maxCoeff();
    for (int t = 0; t < 12; ++t) {
      const Eigen::VectorXd x = length * normal_vector(random, d);
      estimate_->observe(x, assumptions.norm_bound * direction.dot(x));
    }
  }

  // Sets the limit to the bound of some arm under this rule, up to roundings. False if there is no
  // such limit.
  bool set_limit(RandomStream& random, const safety::SafetyRule& rule) {
    const auto arm =
        static_cast<Eigen::Index>(random.index(static_cast<std::uint64_t>(arms_.rows())));
    const double bound = safety::certify(problem_, rule, *estimate_, arms_.row(arm).transpose())
                             .constraints[0]
                             .excess;
    const double limit = bound * (1.0 + log_uniform(random, -17.0, -9.0) * random.normal());
    if (!(limit > 1e-300 && limit < 1e300)) {
      return false;
    }
    problem_.constraints[0].limit = limit;
    return true;
  }

  [[nodiscard]] Judged judge_arms(const safety::SafetyRule& rule) const {
    return judge(problem_, rule, *estimate_, arms_);
  }

 private:
  safety::Problem problem_{.decision_set = geometry::ContextualArms(1)};
  Eigen::MatrixXd arms_;
  std::optional<estimation::RidgeEstimate> estimate_;
};

class ArmScreenScales : public ::testing::TestWithParam<double> {};

TEST_P(ArmScreenScales, RefusesNothingThatIsCertified) {
  RandomStream random(/*seed=*/93, /*stream=*/0);
  Judged all;
  for (const Eigen::Index d : {1, 2, 4, 5, 8, 17}) {
    for (const safety::SafetyRule& rule :
         {safety::SafetyRule{}, kOnlyRegion, kL1ByFactor, kL1ByRoot}) {
      for (int trial = 0; trial < 12; ++trial) {
        const Eigen::Index count = trial == 0 ? 300 : 9;  // more than are gathered at once
        ScreenedProblem problem(random, d, count, GetParam());
        if (problem.set_limit(random, rule)) {
          const Judged judged = problem.judge_arms(rule);
          all.certified += judged.certified;
          all.dropped += judged.dropped;
          all.refused += judged.refused;
          all.wrongly_ruled_out += judged.wrongly_ruled_out;
        }
      }
    }
  }
  EXPECT_EQ(all.wrongly_ruled_out, 0);
  EXPECT_GT(all.certified, 1000);
  EXPECT_GT(all.dropped, 1000);
  EXPECT_GT(all.refused, 1000);
}

INSTANTIATE_TEST_SUITE_P(Spans, ArmScreenScales, ::testing::Values(0.0, 2.0, 40.0));

}  // namespace
}  // namespace foothold::arms
