#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "foothold/arms/arm_scan.hpp"

#include "search_instances.hpp"

// The choice among arms against its definition, over many rounds of one scan.
namespace foothold::arms {
namespace {

using testing::normal_matrix;
using testing::normal_vector;

struct ArmCase {
  std::string name{};
  Eigen::Index count = 1200;
  Eigen::Index dim = 4;
  int constraints = 1;
  safety::SafetyRule rule{};
  ArmOptimism optimism = ArmOptimism::Ellipsoid;
  double limit = 0.3;
  double shortest = 0.05;  // norms of the arms are log-uniform from here to 1
  bool has_baseline = false;
  bool has_duplicates = false;
  bool is_nested = false;
  bool has_family = false;
  bool are_fresh = false;  // not the problem's own: nothing can be prepared
  int tells = 1;           // observations between two choices
  int rounds = 150;
};

safety::Problem problem_of(const ArmCase& arm_case) {
  RandomStream random(/*seed=*/91, static_cast<std::uint64_t>(arm_case.dim));
  const Eigen::Index d = arm_case.dim;
  Eigen::MatrixXd arms = normal_matrix(random, arm_case.count, d);
  for (Eigen::Index i = 0; i < arms.rows(); ++i) {
    arms.row(i) *=
        testing::log_uniform(random, std::log10(arm_case.shortest), 0.0) / arms.row(i).norm();
  }
  if (arm_case.has_duplicates) {
    arms.bottomRows(arms.rows() / 2) = arms.topRows(arms.rows() / 2).colwise().reverse().eval();
  }
  safety::Problem problem{.decision_set = geometry::Arms(arms)};
  for (int k = 0; k < arm_case.constraints; ++k) {
    problem.constraints.push_back({.matrix = normal_matrix(random, d, d), .limit = arm_case.limit});
  }
  if (arm_case.has_baseline) {
    problem.baseline =
        safety::Baseline{.action = 0.3 * normal_vector(random, d).normalized(), .margin = 0.5};
  }
  problem.assumptions = {.noise_scale = 0.1, .norm_bound = 1.0, .ridge = 0.1};
  return safety::resolved(problem);
}

// The definition: every arm's loss by a solve with the factor, every arm's certificate in the order
// of the losses.
class Definition {
 public:
  explicit Definition(const ArmCase& arm_case, const safety::Problem& problem,
                      const estimation::RidgeFamily* family)
      : case_(&arm_case),
        problem_(&problem),
        family_(family),
        arms_(std::get<geometry::Arms>(problem.decision_set).features()) {}

  void look(const estimation::RidgeEstimate& estimate) {
    const Eigen::MatrixXd images =
        estimate.gram().factor().triangularView<Eigen::Lower>().solve(arms_.transpose());
    const double beta = estimate.radius(case_->rule.radius);
    const double root_d = std::sqrt(static_cast<double>(case_->dim));
    losses_ = arms_ * estimate.mu_hat();
    if (case_->optimism == ArmOptimism::Ellipsoid) {
      losses_ -= beta * images.colwise().norm().transpose();
    } else {  // H = Fᵀ: the rule of every case has the Cholesky root
      losses_ -= root_d * beta * images.cwiseAbs().colwise().maxCoeff().transpose();
    }
  }

  [[nodiscard]] bool is_safe(const estimation::RidgeEstimate& estimate, Eigen::Index arm) const {
    return safety::certify(*problem_, case_->rule, estimate, arms_.row(arm).transpose(), family_)
        .is_safe();
  }

  // The certified arms in front of `arm` by more than rounding; none if the choice is right.
  [[nodiscard]] int better_than(const estimation::RidgeEstimate& estimate, Eigen::Index arm,
                                const std::vector<bool>& proved) const {
    const double loss = arm < 0 ? kInfinity : losses_(arm);
    const double tolerance = 1e-11 * (1.0 + losses_.cwiseAbs().maxCoeff());
    int better = 0;
    for (Eigen::Index i = 0; i < arms_.rows(); ++i) {
      const bool is_equal_and_earlier = arm > i && arms_.row(i) == arms_.row(arm);
      if (losses_(i) < loss - tolerance || is_equal_and_earlier) {
        const bool is_proved = !proved.empty() && proved[static_cast<std::size_t>(i)];
        better += is_proved || is_safe(estimate, i) ? 1 : 0;
      }
    }
    return better;
  }

  [[nodiscard]] double loss(Eigen::Index arm) const { return losses_(arm); }

 private:
  const ArmCase* case_;
  const safety::Problem* problem_;
  const estimation::RidgeFamily* family_;
  Eigen::MatrixXd arms_;
  Eigen::VectorXd losses_;
};

class ArmChoiceCase : public ::testing::TestWithParam<ArmCase> {};

TEST_P(ArmChoiceCase, IsTheBestCertifiedArmInEveryRound) {
  const ArmCase& arm_case = GetParam();
  const safety::Problem problem = problem_of(arm_case);
  const Eigen::MatrixXd& own_arms = std::get<geometry::Arms>(problem.decision_set).features();
  const Eigen::MatrixXd copy = own_arms;
  const Eigen::MatrixXd& arms = arm_case.are_fresh ? copy : own_arms;
  RandomStream random(/*seed=*/92, /*stream=*/0);
  const Eigen::VectorXd mu = 0.9 * normal_vector(random, arm_case.dim).normalized();
  estimation::RidgeEstimate estimate(arm_case.dim, problem.assumptions);
  estimation::RidgeFamily family(arm_case.dim, problem.assumptions);
  Definition definition(arm_case, problem, arm_case.has_family ? &family : nullptr);
  estimation::ConfidenceRegion region(arm_case.dim);
  safety::Certifier certifier(problem, arm_case.rule);
  if (arm_case.has_family) {
    certifier.use_family(family);
  }
  ArmScan scan(problem, arm_case.optimism);
  safety::Certificate certificate;
  std::vector<bool> proved(arm_case.is_nested ? static_cast<std::size_t>(arms.rows()) : 0, false);
  int chosen = 0;
  for (int round = 0; round < arm_case.rounds; ++round) {
    SCOPED_TRACE(round);
    region.update(estimate, arm_case.rule.radius, arm_case.rule.root);
    const ArmChoice choice = scan.choose(estimate, region, arms, proved, certifier, certificate);
    definition.look(estimate);
    ASSERT_EQ(definition.better_than(estimate, choice.arm, proved), 0);
    Eigen::Index played =
        static_cast<Eigen::Index>(random.index(static_cast<std::size_t>(arms.rows())));
    if (choice.arm >= 0) {
      ++chosen;
      const bool was_proved = arm_case.is_nested && proved[static_cast<std::size_t>(choice.arm)];
      ASSERT_TRUE(was_proved || definition.is_safe(estimate, choice.arm));
      ASSERT_TRUE(was_proved || certificate.is_safe());
      ASSERT_NEAR(choice.optimistic_loss, definition.loss(choice.arm), 1e-11);
      if (arm_case.is_nested) {
        proved[static_cast<std::size_t>(choice.arm)] = true;
      }
      played = choice.arm;
    }
    for (int tell = 0; tell < arm_case.tells; ++tell) {
      const Eigen::VectorXd x = arms.row(tell == 0 ? played
                                                   : static_cast<Eigen::Index>(random.index(
                                                         static_cast<std::size_t>(arms.rows()))))
                                    .transpose();
      const double loss = mu.dot(x) + 0.1 * random.normal();
      estimate.observe(x, loss);
      family.observe(x, loss);
    }
  }
  EXPECT_EQ(chosen > 0, arm_case.limit > 1e-3) << "the case is not what it is meant to be";
}

const safety::SafetyRule kRegion{.certified = safety::CertifiedSet::Region};
const safety::SafetyRule kPaper{.caution = safety::Caution::L1Paper,
                                .radius = estimation::RadiusForm::Paper};
const safety::SafetyRule kExactL1{.caution = safety::Caution::L1Exact};

INSTANTIATE_TEST_SUITE_P(
    Cases, ArmChoiceCase,
    ::testing::Values(
        ArmCase{.name = "Many", .rounds = 2000},
        ArmCase{.name = "ManySlices", .count = 5000, .dim = 6, .rounds = 600},
        ArmCase{.name = "SomeHundred", .count = 300, .dim = 3, .rounds = 600},
        ArmCase{.name = "ManyFlat", .dim = 2, .rounds = 400}, ArmCase{.name = "ManyLine", .dim = 1},
        ArmCase{.name = "ManyDimensions", .dim = 9},
        ArmCase{.name = "EqualNorms", .limit = 2.0, .shortest = 1.0},
        ArmCase{.name = "Loose", .limit = 50.0, .rounds = 300},
        ArmCase{.name = "Duplicates", .has_duplicates = true},
        ArmCase{
            .name = "DuplicatesOfEqualNorm", .limit = 2.0, .shortest = 1.0, .has_duplicates = true},
        ArmCase{.name = "SeveralConstraints", .constraints = 3},
        ArmCase{.name = "Baseline", .has_baseline = true},
        ArmCase{.name = "BaselineSeveral", .constraints = 2, .has_baseline = true},
        ArmCase{.name = "Region", .rule = kRegion, .tells = 3},
        ArmCase{.name = "PaperCaution", .rule = kPaper},
        ArmCase{.name = "ExactL1Caution", .rule = kExactL1},
        ArmCase{.name = "L1Optimism", .optimism = ArmOptimism::L1},
        ArmCase{
            .name = "NothingCertified", .rule = kRegion, .limit = 1e-6, .tells = 0, .rounds = 5},
        ArmCase{.name = "Nested", .is_nested = true, .rounds = 300},
        ArmCase{.name = "Family", .has_family = true, .rounds = 60},
        ArmCase{.name = "SeveralTells", .tells = 7},
        ArmCase{.name = "NoTells", .tells = 0, .rounds = 5},
        ArmCase{.name = "One", .count = 1, .limit = 5.0},
        ArmCase{.name = "Few", .count = 15, .rounds = 500},
        ArmCase{.name = "FewSeveral", .count = 23, .dim = 3, .constraints = 2, .rounds = 500},
        ArmCase{.name = "FewBaseline", .count = 30, .dim = 8, .has_baseline = true, .rounds = 300},
        ArmCase{.name = "FewRegion", .count = 19, .rule = kRegion, .tells = 3, .rounds = 300},
        ArmCase{.name = "FewPaperCaution", .count = 33, .dim = 2, .rule = kPaper, .rounds = 300},
        ArmCase{.name = "FewExactL1Caution", .count = 16, .rule = kExactL1, .rounds = 300},
        ArmCase{.name = "FewOfManyDimensions", .count = 60, .dim = 20, .rounds = 400},
        ArmCase{.name = "ManyOfManyDimensions", .count = 700, .dim = 20, .rounds = 200},
        ArmCase{.name = "FewNested", .count = 40, .is_nested = true, .rounds = 300},
        ArmCase{.name = "Fresh", .are_fresh = true, .rounds = 400},
        ArmCase{.name = "FreshFew", .count = 50, .dim = 8, .are_fresh = true, .rounds = 400},
        ArmCase{.name = "FreshOfManyDimensions",
                .count = 500,
                .dim = 16,
                .are_fresh = true,
                .rounds = 300},
        ArmCase{.name = "FreshSeveral",
                .count = 333,
                .dim = 5,
                .constraints = 2,
                .has_baseline = true,
                .are_fresh = true,
                .rounds = 300},
        ArmCase{.name = "FreshRegion", .rule = kRegion, .are_fresh = true, .tells = 3},
        ArmCase{.name = "FreshPaperCaution", .rule = kPaper, .are_fresh = true},
        ArmCase{.name = "FreshExactL1Caution", .rule = kExactL1, .are_fresh = true},
        ArmCase{
            .name = "FewL1", .count = 17, .dim = 5, .optimism = ArmOptimism::L1, .rounds = 300}),
    [](const auto& instance) { return instance.param.name; });

// A scan keeps what it knows of one state; an estimate with another past must not profit from it.
TEST(ArmChoice, DoesNotDependOnWhatWasAskedBefore) {
  const ArmCase arm_case{.name = "Many"};
  const safety::Problem problem = problem_of(arm_case);
  const Eigen::MatrixXd& arms = std::get<geometry::Arms>(problem.decision_set).features();
  RandomStream random(/*seed=*/93, /*stream=*/0);
  const safety::SafetyRule rule;
  safety::Certifier certifier(problem, rule);
  ArmScan used(problem, ArmOptimism::Ellipsoid);
  estimation::ConfidenceRegion region(arm_case.dim);
  safety::Certificate certificate;
  safety::Certificate fresh_certificate;
  std::vector<estimation::RidgeEstimate> estimates(
      3, estimation::RidgeEstimate(arm_case.dim, problem.assumptions));
  for (int round = 0; round < 200; ++round) {
    estimation::RidgeEstimate& estimate = estimates[random.index(estimates.size())];
    region.update(estimate, rule.radius, rule.root);
    const ArmChoice choice = used.choose(estimate, region, arms, {}, certifier, certificate);
    ArmScan fresh(problem, ArmOptimism::Ellipsoid);
    const ArmChoice expected =
        fresh.choose(estimate, region, arms, {}, certifier, fresh_certificate);
    ASSERT_EQ(choice.arm, expected.arm) << "round " << round;
    ASSERT_EQ(choice.optimistic_loss, expected.optimistic_loss);
    ASSERT_EQ(certificate.digest, fresh_certificate.digest);
    const Eigen::VectorXd x = arms.row(choice.arm).transpose();
    estimate.observe(x, 0.3 * x.sum() + 0.1 * random.normal());
  }
}

// The same arms as a block of a larger matrix, as fresh arms, and as the problem's own.
TEST(ArmChoice, IsTheSameForFixedAndFreshArms) {
  const ArmCase arm_case{.name = "Many", .count = 1203};
  const safety::Problem problem = problem_of(arm_case);
  const Eigen::MatrixXd& arms = std::get<geometry::Arms>(problem.decision_set).features();
  RandomStream random(/*seed=*/94, /*stream=*/0);
  Eigen::MatrixXd larger = normal_matrix(random, arms.rows() + 9, arms.cols());
  larger.middleRows(5, arms.rows()) = arms;
  const safety::SafetyRule rule;
  safety::Certifier certifier(problem, rule);
  ArmScan scan(problem, ArmOptimism::Ellipsoid);
  estimation::RidgeEstimate estimate(arm_case.dim, problem.assumptions);
  estimation::ConfidenceRegion region(arm_case.dim);
  safety::Certificate certificate;
  for (int round = 0; round < 60; ++round) {
    region.update(estimate, rule.radius, rule.root);
    const ArmChoice fixed = scan.choose(estimate, region, arms, {}, certifier, certificate);
    const ArmChoice fresh = scan.choose(estimate, region, larger.middleRows(5, arms.rows()), {},
                                        certifier, certificate);
    ASSERT_EQ(fresh.arm, fixed.arm);
    ASSERT_EQ(fresh.optimistic_loss, fixed.optimistic_loss);
    const Eigen::VectorXd x = arms.row(fixed.arm).transpose();
    estimate.observe(x, 0.3 * x.sum() + 0.1 * random.normal());
  }
}

}  // namespace
}  // namespace foothold::arms
