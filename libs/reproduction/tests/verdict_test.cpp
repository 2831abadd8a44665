#include "foothold/reproduction/verdict.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace foothold::reproduction {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(JudgeRuns, CountsDecide) {
  EXPECT_EQ(judge_runs(50, 50).outcome, Outcome::Reproduced);
  EXPECT_EQ(judge_runs(49, 50).outcome, Outcome::ReproducedInPart);
  EXPECT_EQ(judge_runs(1, 50).outcome, Outcome::ReproducedInPart);
  EXPECT_EQ(judge_runs(0, 50).outcome, Outcome::NotReproduced);
}

// Oracle: for X ~ Bin(50, 0.01), P(X ≥ 2) = 1 − 0.99⁵⁰ − 50·0.01·0.99⁴⁹ = 0.0894 > 0.05 and
// P(X ≥ 3) = 0.0894 − 1225·10⁻⁴·0.99⁴⁸ = 0.0138 < 0.05.
TEST(JudgeProbability, RefutesWhenSoManyFailuresAreImprobable) {
  EXPECT_EQ(judge_probability(50, 50, 0.01).outcome, Outcome::Reproduced);
  EXPECT_EQ(judge_probability(48, 50, 0.01).outcome, Outcome::Reproduced);
  EXPECT_EQ(judge_probability(47, 50, 0.01).outcome, Outcome::NotReproduced);
  EXPECT_EQ(judge_probability(0, 1, 0.01).outcome, Outcome::NotReproduced);
}

TEST(JudgeProbability, SaysHowManyFailed) {
  const Judgement judgement = judge_probability(40, 50, 0.01);
  EXPECT_EQ(judgement.held, 40);
  EXPECT_EQ(judgement.trials, 50);
  EXPECT_NE(judgement.because.find("10 of 50"), std::string::npos);
}

TEST(JudgeValue, WrongNumbersAndNanAreNotReproduced) {
  EXPECT_EQ(judge_value(1054.0, 1054.4, 0.5).outcome, Outcome::Reproduced);
  EXPECT_EQ(judge_value(1054.0, 1061.0, 0.5).outcome, Outcome::NotReproduced);
  EXPECT_EQ(judge_value(1054.0, kNan, 0.5).outcome, Outcome::NotReproduced);
  EXPECT_EQ(judge_at_most(1.0, 1.0).outcome, Outcome::Reproduced);
  EXPECT_EQ(judge_at_most(1.1, 1.0).outcome, Outcome::NotReproduced);
  EXPECT_EQ(judge_at_most(kNan, 1.0).outcome, Outcome::NotReproduced);
  EXPECT_EQ(judge_below(0.9, 1.0).outcome, Outcome::Reproduced);
  EXPECT_EQ(judge_below(1.0, 1.0).outcome, Outcome::NotReproduced);
  EXPECT_EQ(judge_below(kNan, 1.0).outcome, Outcome::NotReproduced);
}

TEST(AllOf, TheWorstSpeaks) {
  EXPECT_EQ(all_of({judge_runs(3, 3), judge_at_most(0.0, 1.0)}).outcome, Outcome::Reproduced);
  EXPECT_EQ(all_of({judge_runs(2, 3), judge_at_most(0.0, 1.0)}).outcome, Outcome::ReproducedInPart);
  EXPECT_EQ(all_of({judge_runs(2, 3), judge_at_most(2.0, 1.0)}).because, "2 exceeds 1");
}

TEST(Sentence, IsOneOfThreeForms) {
  EXPECT_EQ(sentence({.judgement = judge_runs(4, 4)}), "reproduced");
  EXPECT_EQ(sentence({.judgement = judge_runs(3, 4)}), "reproduced in 3 of 4 seeds");
  EXPECT_EQ(sentence({.judgement = judge_value(1.0, 2.0, 0.1)}),
            "not reproduced, because we get 2, not 1");
}

TEST(Verdicts, TheScorecardHasARowForEachInTheColourOfItsOutcome) {
  const report::Scorecard card = scorecard(
      {{.item = "a", .paper = "p", .ours = "o", .seeds = 3, .judgement = judge_runs(3, 3)},
       {.item = "b", .judgement = judge_runs(1, 3)},
       {.item = "c", .judgement = judge_runs(0, 3)},
       {.item = "d", .judgement = not_checked("no number")}});
  ASSERT_EQ(card.findings.size(), 4U);
  EXPECT_EQ(card.findings[0].facts, (std::vector<std::string>{"p", "o", "3"}));
  EXPECT_EQ(card.findings[1].facts, (std::vector<std::string>{"", "", "–"}));
  EXPECT_EQ(card.findings[1].finding, "reproduced in 1 of 3 seeds");
  EXPECT_EQ(card.findings[0].grade, report::Grade::Good);
  EXPECT_EQ(card.findings[1].grade, report::Grade::Part);
  EXPECT_EQ(card.findings[2].grade, report::Grade::Bad);
  EXPECT_EQ(card.findings[3].grade, report::Grade::None);
  EXPECT_EQ(card.facts.size(), 3U);
}

TEST(Verdicts, ThePageHasThemInWords) {
  const report::Report page{.scorecard = scorecard({{.judgement = judge_runs(1, 2)}})};
  EXPECT_NE(report::html(page, {}).find("reproduced in 1 of 2 seeds"), std::string::npos);
}

TEST(Verdicts, CellsCannotBreakTheTables) {
  const std::vector<Verdict> verdicts{
      {.item = "a|b\nc", .claim = "\"\xFF\"", .judgement = judge_runs(1, 1)}};
  const std::string markdown = verdicts_markdown(verdicts);
  EXPECT_NE(markdown.find("a\\|b c"), std::string::npos);
  EXPECT_EQ(std::count(markdown.begin(), markdown.end(), '\n'), 3);
  EXPECT_NE(verdicts_json(verdicts).find("\\\"\xEF\xBF\xBD\\\""), std::string::npos);
}

}  // namespace
}  // namespace foothold::reproduction
