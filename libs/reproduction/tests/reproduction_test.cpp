#include "foothold/reproduction/reproduction.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#include <gtest/gtest.h>

#include "foothold/base/error.hpp"

namespace foothold::reproduction {
namespace {

ReproductionOptions tiny(unsigned threads) {
  return {.size = {.name = "tiny",
                   .k_armed_runs = 3,
                   .k_armed_horizons = {50, 200},
                   .polytope_runs = 2,
                   .polytope_horizon = 1200,
                   .theory_runs = 2,
                   .theory_horizons = {2300, 2400},
                   .draws = 10},
          .threads = threads};
}

TEST(Reproduce, HasARowForEveryStatementOfThePaper) {
  const std::optional<Reproduction> result = reproduce(tiny(1));
  ASSERT_TRUE(result);
  for (const char* item :
       {"Assumption 1", "Assumption 2", "Assumption 3", "Assumption 4", "Assumption 5",
        "Algorithm 1",  "Algorithm 2",  "Theorem 1",    "Theorem 2",    "Theorem 3",
        "Theorem 4",    "Lemma 1",      "Lemma 2",      "Lemma 3",      "Lemma 4",
        "Lemma 5",      "Remark 1",     "Remark 2",     "Fig. 1(a)",    "Fig. 1(b)",
        "Fig. 2(a)",    "Fig. 2(b)",    "Fig. 3(a)",    "Fig. 3(b)",    "Fig. 3(c)",
        "App. C",       "App. D",       "App. E",       "App. F"}) {
    EXPECT_TRUE(std::ranges::any_of(result->verdicts, [&](const Verdict& verdict) {
      return verdict.item == item;
    })) << item;
  }
  for (const report::Section& section : result->report.sections) {
    for (const report::Figure& figure : section.figures) {
      EXPECT_NO_THROW(validate(figure)) << figure.name;
    }
  }
  ASSERT_EQ(result->report.attachments.size(), 2U);
  EXPECT_EQ(result->report.attachments[0].text, verdicts_json(result->verdicts));
  EXPECT_EQ(result->report.attachments[1].text, verdicts_markdown(result->verdicts));
  EXPECT_EQ(result->report.scorecard.findings.size(), result->verdicts.size());
  // The same rows, to the letter, on two threads.
  const std::optional<Reproduction> again = reproduce(tiny(2));
  ASSERT_TRUE(again);
  EXPECT_EQ(verdicts_json(again->verdicts), verdicts_json(result->verdicts));
}

TEST(Reproduce, DoesOnlyTheParts) {
  ReproductionOptions options = tiny(2);
  options.parts = {Part::Fig3};
  const std::optional<Reproduction> result = reproduce(options);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->report.sections.size(), 1U);
  EXPECT_EQ(result->report.sections.front().figures.size(), 4U);
}

TEST(Reproduce, StopsWithoutAReport) {
  const std::atomic<bool> stop{true};
  ReproductionOptions options = tiny(1);
  options.stop = &stop;
  EXPECT_FALSE(reproduce(options));
}

TEST(Reproduce, RefusesSizesThatAreNone) {
  ReproductionOptions options = tiny(1);
  options.size.k_armed_runs = 1;
  EXPECT_THROW(static_cast<void>(reproduce(options)), Error);
  options = tiny(1);
  options.size.theory_horizons = {5, 5};
  EXPECT_THROW(static_cast<void>(reproduce(options)), Error);
  options = tiny(1);
  options.parts.clear();
  EXPECT_THROW(static_cast<void>(reproduce(options)), Error);
}

}  // namespace
}  // namespace foothold::reproduction
