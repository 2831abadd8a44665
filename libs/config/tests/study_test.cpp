#include <string>

#include <gtest/gtest.h>

#include "foothold/config/experiment.hpp"

#include "expect_error.hpp"
#include "sample_files.hpp"

namespace foothold::config {
namespace {

using testing::error_of;
using testing::mentions;
using testing::with_line;

StudyConfig study_of(const std::string& text) {
  return parse_study_toml(text, "s.toml");
}

TEST(Study, IsReadWithoutAHorizon) {
  const StudyConfig study = study_of(testing::kStudy);
  EXPECT_EQ(study.name, "prices");
  EXPECT_EQ(study.seed, 7U);
  EXPECT_EQ(study.horizon, std::nullopt);
  ASSERT_TRUE(study.problem);
  EXPECT_EQ(study.problem->dim(), 2);
  EXPECT_EQ(study.policy.name, "safe-lucb");
  EXPECT_EQ(study.policy.options.warmup.schedule, policy::Schedule::Nested);
  EXPECT_EQ(study.policy.options.warmup.safety_gap, 0.2);
}

TEST(Study, MayListItsOnePolicy) {
  const StudyConfig study =
      study_of(with_line(testing::kStudy, 8, "[[policies]]\nname = \"cautious\""));
  EXPECT_EQ(study.policy.name, "cautious");
}

TEST(Study, WithoutAPolicyHasTheDefault) {
  const StudyConfig study = study_of(testing::kStudy.substr(0, testing::kStudy.find("[policy]")));
  EXPECT_EQ(study.policy.name, "targeted");
  EXPECT_EQ(study.policy.options.warmup.schedule, policy::Schedule::None);
}

TEST(Study, IsTheSameInJson) {
  const StudyConfig study = parse_study_json(R"({"horizon": 50, "problem": {
      "decision_set": {"type": "contextual", "dim": 1}, "action_bound": 2,
      "noise_scale": 0.5, "norm_bound": 1, "constraints": [{"matrix": [[1]], "limit": 1}]},
      "policy": {"algorithm": "safe-lucb", "warmup": {"schedule": "worst-case"}}})",
                                             "s.json");
  EXPECT_EQ(study.horizon, 50);
  EXPECT_EQ(study.problem->assumptions.action_bound, 2.0);
  EXPECT_EQ(study.policy.options.warmup.schedule, policy::Schedule::WorstCase);
}

struct WrongStudy {
  std::size_t replaced;
  std::string line;
  std::string field;
  std::string message;
};

TEST(Study, MistakesAreRefusedWithFieldAndLine) {
  const std::string single = "[[policies]]\nname = 'a'\n[[policies]]";
  for (const WrongStudy& wrong : std::initializer_list<WrongStudy>{
           {2, "runs = 3", "runs",
            "must not be given in a study, which plays no simulation, got 3 (s.toml:2)"},
           {2, "environment = {}", "environment", "must not be given in a study"},
           {2, "family = { type = 'k-armed' }", "family", "must not be given in a study"},
           {2, "horizon = 0", "horizon", "got 0 (s.toml:2)"},
           {2, "sweep = {}", "sweep", "must not be given in a study"},
           {2, "sed = 3", "sed", "did you mean \"seed\""},
           {3, "[problems]", "problems", "did you mean \"problem\""},
           {4, "decision_set = { type = 'arms', features_file = 'a.csv' }",
            "problem.decision_set.features_file", "must be written as inline features"},
           {8, single, "policies", "must have exactly one policy in a study"},
           {8, "[[policies]]\n[policy]", "policy", "must not be given together with policies"},
           {9, "ridge = 1", "policy.ridge", "must be given in [problem]"},
           {10, "algorithm = 'unsafe-lucb'\nunsafe = true", "policy.algorithm",
            "must be safe in a study"},
           {9, "warmup = { schedule = 'nested' }", "policy.warmup.safety_gap",
            "must be given for schedule \"nested\" in a study, got nothing (s.toml:9)"},
           {9, "warmup = { schedule = 'gap' }", "policy.warmup.safety_gap", "must be given"},
           {9, "warmup = { schedule = 'gap', safety_gap = 1 }", "policy.warmup.schedule",
            "must have a horizon in the study, which has none, got \"gap\" (s.toml:9)"},
           {9, "warmup = { schedule = 'worst-case' }", "policy.warmup.schedule",
            "must have a horizon"},
           {9, "algorithm_ = 'gslucb'", "policy.algorithm_", "did you mean \"algorithm\""},
           {9, "optimism = 'l2'", "policy.optimism", "(s.toml:9)"}}) {
    const std::string text = with_line(testing::kStudy, wrong.replaced, wrong.line);
    const Error error = error_of([&] { return study_of(text); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(error.field(), wrong.field);
    EXPECT_TRUE(mentions(error, wrong.message));
    EXPECT_TRUE(mentions(error, "(s.toml:"));
  }
}

TEST(Study, NestedNeedsArmsThatStay) {
  const Error error = error_of([] {
    return parse_study_json(R"({"problem": {
      "decision_set": {"type": "contextual", "dim": 1}, "action_bound": 2,
      "noise_scale": 0.5, "norm_bound": 1, "constraints": [{"matrix": [[1]], "limit": 1}]},
      "policy": {
        "nested": true}})",
                            "s.json");
  });
  EXPECT_EQ(error.field(), "policy.nested");
  EXPECT_TRUE(mentions(error, "got true (s.json:5)"));
}

}  // namespace
}  // namespace foothold::config
