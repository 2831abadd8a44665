#include "foothold/policy/safe_lucb.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/LU>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "foothold/base/error.hpp"

#include "instances.hpp"

namespace foothold::policy {
namespace {

struct Failure {
  ErrorCode code;
  std::string field;
};

std::optional<Failure> failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return Failure{error.code(), error.field()};
  }
  return std::nullopt;
}

// One dimension, B = 1, S = 1: an arm x is known safe iff |x| ≤ c.
safety::Problem line_problem(const Eigen::VectorXd& arms, double limit) {
  return {.decision_set = geometry::Arms(arms),
          .constraints = {{.matrix = Eigen::MatrixXd::Identity(1, 1), .limit = limit}},
          .assumptions = {.noise_scale = 0.1, .ridge = 1.0}};
}

const PolicyOptions kLogDet{.radius = estimation::RadiusForm::LogDet};

TEST(SafeLucb, PlaysAKnownSafeArmBeforeAnyData) {
  SafeLucb policy(line_problem(Eigen::Vector2d(1.0, 0.25), /*limit=*/0.5));
  const Decision& decision = policy.ask();
  EXPECT_EQ(decision.arm, 1);
  EXPECT_EQ(decision.certificate.constraints.front().kind, safety::BoundKind::APriori);
  EXPECT_NEAR(decision.certificate.constraints.front().bound, 0.25, 1e-15);
  EXPECT_NEAR(decision.certificate.margin(), 0.25, 1e-15);
}

TEST(SafeLucb, CertifiesABolderArmFromLossesAlone) {
  // μ = −0.9 and 400 exact losses at x = 1/4: A = 1 + 400/16 = 26,
  // μ̂ = −0.9·25/26, β = 0.1 √(2 log 100 + log 26) + 1. Arm 1 is bounded by
  // μ̂ + β/√26 ≈ −0.6 ≤ 0.5 and has four times the optimistic gain of arm 1/4.
  SafeLucb policy(line_problem(Eigen::Vector2d(1.0, 0.25), /*limit=*/0.5), kLogDet);
  for (int n = 0; n < 400; ++n) {
    policy.observe(Eigen::VectorXd::Constant(1, 0.25), -0.9 * 0.25);
  }
  const double beta = 0.1 * std::sqrt(2.0 * std::log(100.0) + std::log(26.0)) + 1.0;
  const Decision& decision = policy.ask();
  EXPECT_EQ(decision.arm, 0);
  EXPECT_EQ(decision.certificate.constraints.front().kind, safety::BoundKind::Ellipsoid);
  EXPECT_NEAR(decision.certificate.constraints.front().bound,
              -0.9 * 25.0 / 26.0 + beta / std::sqrt(26.0), 1e-12);
  EXPECT_EQ(decision.certificate.observations, 400);
}

TEST(SafeLucb, WithoutACertifiedArmAskFailsAndConsumesNoRound) {
  SafeLucb policy(line_problem(Eigen::VectorXd::Constant(1, 1.0), /*limit=*/0.5), kLogDet);
  const auto failure = failure_of([&] { static_cast<void>(policy.ask()); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ErrorCode::NoSafeAction);
  EXPECT_EQ(policy.open_rounds(), 0U);
  for (int n = 0; n < 400; ++n) {  // logged data, as in the test above
    policy.observe(Eigen::VectorXd::Constant(1, 0.25), -0.9 * 0.25);
  }
  EXPECT_EQ(policy.ask().id, DecisionId{0});
}

TEST(SafeLucb, WithTheRegionAloneAnUncertifiedStartFallsBackToTheFoothold) {
  SafeLucb policy(line_problem(Eigen::Vector2d(1.0, 0.25), /*limit=*/0.26),
                  {.certified = safety::CertifiedSet::Region});
  const Decision& decision =
      policy.ask();  // β = √(0.01·2 log 100 + 1) > 1.04: no region bound ≤ 0.26
  EXPECT_EQ(decision.purpose, Purpose::Fallback);
  EXPECT_EQ(decision.arm, 1);
  EXPECT_TRUE(decision.certificate.is_safe());
}

RC_GTEST_PROP(SafeLucb, EveryDecisionIsTheBestCertifiedArmByEnumeration, ()) {
  const auto limit = *rc::gen::map(rc::gen::inRange(5, 30), [](int v) { return v / 10.0; });
  const auto losses = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-10, 11));

  const Eigen::Matrix<double, 4, 2> arms{{0.2, 0.0}, {0.0, 1.0}, {0.6, 0.8}, {-0.6, 0.8}};
  const Eigen::Matrix2d B = paper_matrix();
  SafeLucb policy({.decision_set = geometry::Arms(arms),
                   .constraints = {{.matrix = B, .limit = limit}},
                   .assumptions = {.ridge = 1.0}},
                  kLogDet);
  // Oracle: A and b summed directly, A⁻¹ and det A in closed form for d = 2.
  Eigen::Matrix2d A = Eigen::Matrix2d::Identity();
  Eigen::Vector2d b = Eigen::Vector2d::Zero();
  for (const int step : losses) {
    const double beta = std::sqrt(2.0 * std::log(100.0) + std::log(A.determinant())) + 1.0;
    const Eigen::Matrix2d inverse = A.inverse();
    const Eigen::Vector2d mu_hat = inverse * b;
    const auto width = [&](const Eigen::Vector2d& z) { return std::sqrt(z.dot(inverse * z)); };
    double best = std::numeric_limits<double>::infinity();
    for (Eigen::Index arm = 0; arm < 4; ++arm) {
      const Eigen::Vector2d x = arms.row(arm).transpose();
      const Eigen::Vector2d z = B * x;
      const double bound = std::min(z.norm(), mu_hat.dot(z) + beta * width(z));
      if (bound <= limit - 1e-9) {
        best = std::min(best, mu_hat.dot(x) - beta * width(x));
      }
    }
    const Decision& decision = policy.ask();
    RC_ASSERT(decision.optimistic_loss <= best + 1e-9);
    RC_ASSERT(decision.certificate.is_safe());
    const Eigen::Vector2d x = decision.action;
    RC_ASSERT(std::abs(decision.optimistic_loss - (mu_hat.dot(x) - beta * width(x))) <= 1e-9);
    policy.tell(decision.id, step / 10.0);
    A += x * x.transpose();
    b += step / 10.0 * x;
  }
}

TEST(SafeLucb, TheWarmUpCountsToldRoundsOnly) {
  SafeLucb policy(problem_on(geometry::Box::symmetric(2, 1.0)),
                  {.warmup = {.schedule = Schedule::Rounds, .rounds = 3}});
  std::vector<DecisionId> open;
  for (int round = 0; round < 10; ++round) {
    const Decision& decision = policy.ask();
    EXPECT_EQ(decision.purpose, Purpose::WarmUp);
    open.push_back(decision.id);
  }
  policy.abandon(open[0]);
  policy.tell(open[1], 0.1);
  policy.tell(open[2], 0.1);
  EXPECT_EQ(policy.ask().purpose, Purpose::WarmUp);
  policy.tell(open[3], 0.1);
  EXPECT_EQ(policy.ask().purpose, Purpose::Optimism);
}

TEST(SafeLucb, NestedArmsStayCertifiedByTheStateThatProvedThem) {
  SafeLucb policy(line_problem(Eigen::Vector2d(1.0, 0.25), /*limit=*/0.5),
                  {.radius = estimation::RadiusForm::LogDet, .nested = true});
  for (int n = 0; n < 400; ++n) {
    policy.observe(Eigen::VectorXd::Constant(1, 0.25), -0.9 * 0.25);
  }
  EXPECT_EQ(policy.ask().arm, 0);
  for (int n = 0; n < 2000; ++n) {  // now the losses say the opposite
    policy.observe(Eigen::VectorXd::Constant(1, 0.25), 0.9 * 0.25);
  }
  const safety::Certificate now = policy.certify(Eigen::VectorXd::Constant(1, 1.0));
  EXPECT_FALSE(now.is_safe());
  policy.observe(Eigen::VectorXd::Constant(1, 0.25), 0.0);
  const Decision& decision = policy.ask();
  EXPECT_TRUE(decision.certificate.is_safe());
  if (decision.arm == 0) {
    EXPECT_EQ(decision.certificate.observations, 400);
  }
}

TEST(SafeLucbContextual, ChoosesAmongTheArmsOfTheRound) {
  safety::Problem problem = problem_on(geometry::ContextualArms(2));
  problem.assumptions.action_bound = 1.0;
  SafeLucb policy(problem, {.warmup = {.schedule = Schedule::Rounds, .rounds = 50}});
  RandomStream random(/*seed=*/4, /*stream=*/0);
  const Eigen::Vector2d mu(0.8, -0.4);
  for (int round = 0; round < 400; ++round) {
    Eigen::MatrixXd arms = Eigen::MatrixXd::NullaryExpr(6, 2, [&] { return random.normal(); });
    arms.rowwise().normalize();
    arms.topRows(2) *= 0.2;  // ‖Bx‖ ≤ 2.31·0.2 < 0.5: always in the foothold
    const Decision& decision = policy.ask(arms);
    ASSERT_TRUE(decision.arm.has_value());
    ASSERT_EQ(decision.action, arms.row(*decision.arm).transpose());
    ASSERT_TRUE(decision.certificate.is_safe());
    ASSERT_LE(mu.dot(paper_matrix() * decision.action), 0.5);
    policy.tell(decision.id, mu.dot(decision.action) + 0.1 * random.normal());
  }
}

TEST(SafeLucbContextual, WithNoSafeArmAskFailsAndTheNextRoundGoesOn) {
  safety::Problem problem = problem_on(geometry::ContextualArms(2));
  problem.assumptions.action_bound = 1.0;
  SafeLucb policy(problem);
  const Bytes before = policy.snapshot();
  const Eigen::MatrixXd risky{{0.7, 0.7}};
  const auto failure = failure_of([&] { static_cast<void>(policy.ask(risky)); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ErrorCode::NoSafeAction);
  EXPECT_EQ(policy.snapshot(), before);
  EXPECT_EQ(policy.ask(Eigen::MatrixXd{{0.1, 0.0}}).id, DecisionId{0});
}

TEST(SafeLucbContextual, WrongArmsAreNamed) {
  safety::Problem problem = problem_on(geometry::ContextualArms(2));
  problem.assumptions.action_bound = 1.0;
  SafeLucb policy(problem);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto field = [&](const Eigen::MatrixXd& arms) {
    const auto failure = failure_of([&] { static_cast<void>(policy.ask(arms)); });
    return failure && failure->code == ErrorCode::InvalidArgument ? failure->field : "";
  };
  EXPECT_EQ(field(Eigen::MatrixXd(0, 2)), "arms");
  EXPECT_EQ(field(Eigen::MatrixXd::Zero(1, 3)), "arms");
  EXPECT_EQ(field(Eigen::MatrixXd{{0.1, nan}}), "arms");
  EXPECT_EQ(field(Eigen::MatrixXd{{0.1, 0.1}, {1.0, 1.0}}), "arms[1]");
  EXPECT_EQ(failure_of([&] { static_cast<void>(policy.ask()); })->field, "arms");
}

TEST(SafeLucbContextual, AWrongArmIsNamedWhereverItStands) {
  safety::Problem problem = problem_on(geometry::ContextualArms(2));
  problem.assumptions.action_bound = 1.0;
  SafeLucb policy(problem);
  const Eigen::MatrixXd good = Eigen::MatrixXd::Constant(150, 2, 0.1);
  for (Eigen::Index i = 0; i < good.rows(); ++i) {
    for (const double wrong : {1.1, -1e200, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()}) {
      Eigen::MatrixXd arms = good;
      arms(i, 1) = wrong;
      const auto failure = failure_of([&] { static_cast<void>(policy.ask(arms)); });
      ASSERT_TRUE(failure);
      EXPECT_EQ(failure->code, ErrorCode::InvalidArgument);
      EXPECT_EQ(failure->field, std::isfinite(wrong) ? fmt::format("arms[{}]", i) : "arms");
    }
  }
  EXPECT_NO_THROW(static_cast<void>(policy.ask(good)));
}

// Longer than the bound by what rounding can cause, and bounds whose squares leave the range.
TEST(SafeLucbContextual, ArmsMayReachTheActionBoundWhateverItIs) {
  for (const double bound : {1.0, 1e-170, 1e170}) {
    safety::Problem problem = problem_on(geometry::ContextualArms(2));
    problem.assumptions.action_bound = bound;
    SafeLucb policy(problem);
    const auto failure = [&](double length) {
      const Eigen::MatrixXd arms{{1e-3 * bound, 0.0}, {0.0, length}};
      return failure_of([&] { static_cast<void>(policy.ask(arms)); });
    };
    const auto is_refused = [&](double length) {
      return failure(length) && failure(length)->field == "arms[1]";
    };
    const auto is_accepted = [&](double length) {
      return !failure(length) || failure(length)->code == ErrorCode::NoSafeAction;
    };
    EXPECT_TRUE(is_accepted(bound)) << bound;
    EXPECT_TRUE(is_accepted(bound * (1.0 + 1e-13))) << bound;
    EXPECT_TRUE(is_refused(bound * (1.0 + 1e-11))) << bound;
    EXPECT_TRUE(is_refused(3.0 * bound)) << bound;
  }
}

TEST(SafeLucb, AnObservationThatTheRidgeFamilyRefusesChangesNothing) {
  safety::Problem problem = problem_on(geometry::Box::symmetric(2, 1.0));
  problem.assumptions.ridge = 1e306;  // 100 times this is beyond what a Gram matrix may hold
  SafeLucb policy(problem, {.ridge_family = true});
  const Bytes before = policy.snapshot();
  EXPECT_THROW(policy.observe(Eigen::Vector2d(0.1, 0.1), 0.5), Error);
  EXPECT_EQ(policy.snapshot(), before);
}

TEST(SafeLucb, OptionsOfOtherPoliciesAreRefused) {
  const safety::Problem problem = problem_on(geometry::Box::symmetric(2, 1.0));
  EXPECT_THROW(SafeLucb(problem, {.gap_growth = 1.5}), Error);
  EXPECT_THROW(SafeLucb(problem, {.exploration = 2.0}), Error);
  EXPECT_THROW(SafeLucb(problem, {.exploit = Exploit::Thompson}), Error);
}

TEST(SafeLucb, OptionsThatTheProblemDoesNotAllowAreNamed) {
  const safety::Problem box = problem_on(geometry::Box::symmetric(2, 1.0));
  safety::Problem contextual = problem_on(geometry::ContextualArms(2));
  contextual.assumptions.action_bound = 1.0;
  const auto field = [](const safety::Problem& problem, const PolicyOptions& options) {
    const auto failure = failure_of([&] { const SafeLucb policy(problem, options); });
    return failure && failure->code == ErrorCode::InvalidArgument ? failure->field : "";
  };
  EXPECT_EQ(field(box, {.search = {.gap = -1.0}}), "search.gap");
  EXPECT_EQ(field(box, {.caution = safety::Caution::L1Paper, .ridge_family = true}),
            "ridge_family");
  EXPECT_EQ(field(contextual, {.nested = true}), "nested");
  EXPECT_EQ(field(box, {.horizon = 0}), "horizon");
  EXPECT_EQ(field(box, {.warmup = {.schedule = Schedule::WorstCase}}), "horizon");
  EXPECT_EQ(field(contextual, {.warmup = {.schedule = Schedule::WorstCase}, .horizon = 10}),
            "warmup.schedule");
}

// β ≥ S = 1e155, whose square is beyond the range. The second arm promises most and is refused,
// β‖Bx‖ being 1e145, so that the others are screened: theirs is 1e135, far below the limit.
TEST(SafeLucb, DoesNotRuleOutArmsBySquaresBeyondTheRange) {
  const Eigen::MatrixXd arms{{0.9, 0.0}, {0.0, 1.0}, {-0.8, 0.0}};
  const safety::Problem problem{
      .decision_set = geometry::Arms(arms),
      .constraints = {{.matrix = Eigen::Vector2d(1e-20, 1e-10).asDiagonal(), .limit = 1e140}},
      .assumptions = {.noise_scale = 1.0, .norm_bound = 1e155, .ridge = 1.0}};
  PolicyOptions options;
  options.certified = safety::CertifiedSet::Region;
  SafeLucb policy(problem, options);
  for (int round = 0; round < 100; ++round) {
    const Decision& decision = policy.ask();
    EXPECT_EQ(decision.purpose, Purpose::Optimism);
    EXPECT_NE(decision.arm, 1);
    policy.tell(decision.id, 1.0);
  }
}

}  // namespace
}  // namespace foothold::policy
