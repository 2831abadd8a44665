#include "foothold/policy/warmup.hpp"

#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "foothold/base/error.hpp"

#include "instances.hpp"

namespace foothold::policy {
namespace {

// The polytope experiment of [AAT19, App. F].
safety::Problem paper_problem() {
  safety::Problem problem = problem_on(geometry::Box::symmetric(2, 1.0), /*limit=*/0.9);
  problem.assumptions.ridge = 1.0;
  return safety::resolved(problem);
}

std::string field_of_error(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    return error.field();
  }
  return "";
}

TEST(Warmup, ReproducesTheConstantsOfThePaper) {
  // ‖B‖ = 2.302776 and λ_- = (0.9)²/(4‖B‖²) = 0.03819; with T = 1e5, L² = 2, κ = √2, Δ = 3.1568,
  // β_T = 0.1√(2 log((1 + 2(T−1))/0.01)) + 1: the formula of Lemma 2 gives 1060.6 without t_δ, and
  // t_δ = 16 log(200)/λ_- = 2220. The paper prints 1054.
  const safety::Problem problem = paper_problem();
  const safety::KnownSafeSet foothold(problem, safety::Sampler::Uniform);
  EXPECT_NEAR(foothold.min_eigenvalue(), 0.03819, 5e-6);
  const ScheduleInputs inputs{.problem = problem,
                              .min_eigenvalue = foothold.min_eigenvalue(),
                              .caution_factor = std::sqrt(2.0),
                              .horizon = 100000};
  EXPECT_NEAR(gap_rounds(inputs, 3.1568, /*apply_minimum=*/false), 1060.6, 0.5);
  EXPECT_NEAR(eigenvalue_rounds(inputs), 2220.0, 1.0);
  EXPECT_EQ(warmup_rounds({.schedule = Schedule::Gap, .safety_gap = 3.1568}, inputs), 2220);
}

TEST(Warmup, WorstCaseHasItsClosedForm) {
  // d = 1, B = 2, c = 1, L = 1, S = 1, λ = 1, δ = 0.1, R = 0.5, λ_- = 0.25, T = 1000, κ = 1:
  // in one dimension β = R√(2 log 10 + log(1 + 999)) + 1.
  safety::Problem problem{
      .decision_set = geometry::Box::symmetric(1, 1.0),
      .constraints = {{.matrix = Eigen::MatrixXd::Constant(1, 1, 2.0), .limit = 1.0}},
      .assumptions = {.noise_scale = 0.5, .ridge = 1.0, .failure_prob = 0.1}};
  problem = safety::resolved(problem);
  const ScheduleInputs inputs{.problem = problem, .min_eigenvalue = 0.25, .horizon = 1000};
  const double beta = 0.5 * std::sqrt(2.0 * std::log(10.0) + std::log(1000.0)) + 1.0;
  const double expected = std::pow(2.0 * beta * 1000.0 / std::sqrt(0.5), 2.0 / 3.0);
  EXPECT_NEAR(worst_case_rounds(inputs), expected, 1e-9 * expected);
}

TEST(Warmup, NestedIsTheSmallestLengthThatSatisfiesItsInequality) {
  const safety::Problem problem = paper_problem();
  const ScheduleInputs inputs{.problem = problem, .min_eigenvalue = 0.03819, .caution_factor = 1.0};
  const double gap = 0.5;
  const auto holds = [&](double n) {  // 2√2‖B‖Lβ ≤ Δ√(2λ + λ_-n), L = √2
    const double beta = 0.1 * std::sqrt(2.0 * std::log((1.0 + 2.0 * n) / 0.01)) + 1.0;
    return 2.0 * std::sqrt(2.0) * 2.302775637731995 * std::sqrt(2.0) * beta <=
           gap * std::sqrt(2.0 + 0.03819 * n);
  };
  const double rounds = nested_rounds(inputs, gap);
  EXPECT_TRUE(holds(rounds));
  EXPECT_FALSE(holds(rounds - 1.0));
  EXPECT_GE(rounds, eigenvalue_rounds(inputs));
}

TEST(Warmup, RegretBoundsHaveTheirClosedForms) {
  // T' = 500, T = 2000 on the paper's problem, κ = 1: SL = √2, ‖B‖/c = 2.302776/0.9.
  const safety::Problem problem = paper_problem();
  const ScheduleInputs inputs{.problem = problem, .min_eigenvalue = 0.03819, .horizon = 2000};
  const double SL = std::sqrt(2.0);
  const double beta = 0.1 * std::sqrt(2.0 * std::log((1.0 + 2.0 * 1999.0) / 0.01)) + 1.0;
  const double base = 0.03819 * 500.0 + 2.0;
  const double log_term = std::log(2.0 * (1.0 + 2000.0 * 2.0 / 2.0) / base);
  const double first = 2.0 * SL * 500.0;
  const double second = 2.0 * beta * std::sqrt(2.0 * 2.0 * 1500.0 * log_term);
  const double third = SL * 2.0 * std::sqrt(2.0) * (2.302775637731995 / 0.9) * std::sqrt(2.0) *
                       beta * 1500.0 / std::sqrt(base);
  EXPECT_NEAR(regret_bound(RegretTheorem::PositiveGap, inputs, 1.0, 500), first + second,
              1e-9 * (first + second));
  EXPECT_NEAR(regret_bound(RegretTheorem::General, inputs, 1.0, 500), first + second + third,
              1e-9 * (first + second + third));
}

TEST(Warmup, IsCappedByTheHorizon) {
  const safety::Problem problem = paper_problem();
  const ScheduleInputs inputs{.problem = problem, .min_eigenvalue = 0.03819, .horizon = 100};
  EXPECT_EQ(warmup_rounds({.schedule = Schedule::WorstCase}, inputs), 100);
  EXPECT_EQ(warmup_rounds({.schedule = Schedule::Rounds, .rounds = 1000}, inputs), 100);
}

TEST(Warmup, WhatIsMissingIsNamed) {
  const safety::Problem problem = paper_problem();
  const ScheduleInputs no_horizon{.problem = problem, .min_eigenvalue = 0.03819};
  const ScheduleInputs no_span{.problem = problem, .min_eigenvalue = 0.0, .horizon = 100};
  const ScheduleInputs unknown{.problem = problem, .min_eigenvalue = std::nan(""), .horizon = 100};
  const auto rounds = [](const WarmupOptions& options, const ScheduleInputs& inputs) {
    return [=] { static_cast<void>(warmup_rounds(options, inputs)); };
  };
  using enum Schedule;
  EXPECT_EQ(field_of_error(rounds({.schedule = WorstCase}, no_horizon)), "horizon");
  EXPECT_EQ(field_of_error(rounds({.schedule = Gap, .safety_gap = 1.0}, no_horizon)), "horizon");
  EXPECT_EQ(field_of_error(rounds({.schedule = Nested, .safety_gap = 1.0}, no_horizon)), "");
  EXPECT_EQ(field_of_error(rounds({.schedule = Gap}, no_span)), "warmup.safety_gap");
  EXPECT_EQ(field_of_error(rounds({.schedule = WorstCase}, no_span)), "warmup.schedule");
  EXPECT_EQ(field_of_error(rounds({.schedule = WorstCase}, unknown)), "warmup.schedule");
  EXPECT_EQ(field_of_error(rounds({.schedule = Rounds, .rounds = -1}, no_span)), "warmup.rounds");
  EXPECT_EQ(field_of_error(rounds({.schedule = None, .rounds = 5}, no_span)), "warmup.rounds");
  EXPECT_EQ(field_of_error(rounds({.schedule = None, .safety_gap = 1.0}, no_span)),
            "warmup.safety_gap");
  EXPECT_EQ(field_of_error(rounds({.schedule = Gap, .safety_gap = 0.0}, no_horizon)),
            "warmup.safety_gap");
}

}  // namespace
}  // namespace foothold::policy
