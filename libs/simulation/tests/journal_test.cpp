#include "batch/journal.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "foothold/base/error.hpp"

#include "small_batch.hpp"

namespace foothold::simulation {
namespace {

namespace fs = std::filesystem;
using testing::small_sweep;
using testing::TemporaryDirectory;

// Different in every number, with those that text would spoil.
RunResult odd_run(std::size_t traced, double start) {
  RunResult run{.final_regret = start + 0.1,
                .violations = 3,
                .min_margin = -0.0,
                .warmup_rounds = 7,
                .explorations = 8,
                .has_lost_coverage = true,
                .optimum_certified_round = 12,
                .safety_gap = std::numeric_limits<double>::denorm_min(),
                .best_loss = -1.0 / 3.0,
                .seconds = 0.25};
  for (std::size_t i = 0; i < traced; ++i) {
    run.trace_regret.push_back(start + static_cast<double>(i) / 7.0);
    run.trace_violations.push_back(static_cast<std::int64_t>(i));
  }
  return run;
}

BatchPlan small_plan() {
  return plan_of(small_sweep(), {});
}

std::size_t traced_in(const BatchPlan& plan) {
  return plan.points.front().outline.trace_rounds.size();
}

// A journal with runs of the items 4, 1 and 7, and where each of them ends.
std::vector<std::uint64_t> write_three(const fs::path& file, const BatchPlan& plan) {
  std::vector<std::uint64_t> ends;
  Journal journal = Journal::resume(file, plan, Journal::Start::GoOn, {});
  ends.push_back(fs::file_size(file));
  for (const std::uint64_t item : {4U, 1U, 7U}) {
    journal.append(item, odd_run(traced_in(plan), static_cast<double>(item)));
    ends.push_back(fs::file_size(file));
  }
  return ends;
}

std::vector<std::uint64_t> items_in(const fs::path& file, const BatchPlan& plan) {
  std::vector<std::uint64_t> items;
  static_cast<void>(Journal::resume(
      file, plan, Journal::Start::GoOn,
      [&](const RunRecord& record, std::uint64_t) { items.push_back(record.item); }));
  return items;
}

std::string refusal(const fs::path& file, const BatchPlan& plan) {
  try {
    static_cast<void>(Journal::resume(file, plan, Journal::Start::GoOn, [](auto&&...) {}));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Conflict);
    return error.what();
  }
  return "";
}

TEST(Journal, GivesBackEveryBit) {
  const TemporaryDirectory directory;
  const BatchPlan plan = small_plan();
  const RunResult written = odd_run(traced_in(plan), 2.0);
  Journal journal = Journal::resume(directory / "j", plan, Journal::Start::GoOn, {});
  const std::uint64_t offset = journal.append(3, written);
  const RunResult read = journal.run_at(offset);
  EXPECT_EQ(encode_record(3, read), encode_record(3, written));
  EXPECT_EQ(read.final_regret, 2.1);
  EXPECT_TRUE(std::signbit(read.min_margin));
  EXPECT_EQ(read.optimum_certified_round, 12);
  EXPECT_FALSE(read.failed_round.has_value());
  EXPECT_EQ(read.safety_gap, std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(read.trace_regret, written.trace_regret);
  EXPECT_EQ(read.trace_violations, written.trace_violations);
}

TEST(Journal, HoldsThePlanItBeginsWith) {
  const TemporaryDirectory directory;
  const BatchPlan plan = plan_of(small_sweep(), {.number = 2, .count = 3});
  write_three(directory / "j", plan);
  const Journal journal = Journal::read(directory / "j");
  EXPECT_EQ(encode_plan(journal.plan()), encode_plan(plan));
  ASSERT_EQ(journal.plan().points.size(), 2U);
  const PlanPoint& point = journal.plan().points[1];
  EXPECT_EQ(point.folder, "noise_scale=0.2");
  EXPECT_EQ(std::get<double>(point.settings.at(0).value), 0.2);
  EXPECT_EQ(point.outline.policies.at(1).name, "ours");
  EXPECT_EQ(point.outline.seed, 11U);
  EXPECT_EQ(point.outline.trace_rounds, plan.points[1].outline.trace_rounds);
}

TEST(Journal, DropsWhatWasCutShortWhereverItWasCut) {
  const TemporaryDirectory directory;
  const BatchPlan plan = small_plan();
  const std::vector<std::uint64_t> ends = write_three(directory / "whole", plan);
  const std::string whole = testing::slurp(directory / "whole");
  for (std::uint64_t size = 0; size <= ends.back(); size += size % 40 == 0 ? 1 : 3) {
    std::ofstream(directory / "j", std::ios::binary | std::ios::trunc) << whole.substr(0, size);
    std::vector<std::uint64_t> expected;
    for (std::size_t k = 1; k < ends.size() && ends[k] <= size; ++k) {
      expected.push_back(std::vector<std::uint64_t>{4, 1, 7}[k - 1]);
    }
    ASSERT_EQ(items_in(directory / "j", plan), expected) << size;
    // What is left is whole: the next one appends to it.
    ASSERT_EQ(fs::file_size(directory / "j"), ends[expected.size()]) << size;
  }
}

TEST(Journal, DropsADamagedRecordAndWhatFollows) {
  const TemporaryDirectory directory;
  const BatchPlan plan = small_plan();
  const std::vector<std::uint64_t> ends = write_three(directory / "j", plan);
  std::string bytes = testing::slurp(directory / "j");
  bytes[ends[1] + 100] = static_cast<char>(bytes[ends[1] + 100] ^ 1);
  std::ofstream(directory / "j", std::ios::binary | std::ios::trunc) << bytes;
  EXPECT_EQ(items_in(directory / "j", plan), (std::vector<std::uint64_t>{4}));
}

TEST(Journal, IgnoresASizeThatCannotBe) {
  const TemporaryDirectory directory;
  const BatchPlan plan = small_plan();
  write_three(directory / "j", plan);
  std::ofstream(directory / "j", std::ios::binary | std::ios::app) << std::string(16, '\xFF');
  EXPECT_EQ(items_in(directory / "j", plan), (std::vector<std::uint64_t>{4, 1, 7}));
}

TEST(Journal, RefusesRunsOfAnotherPlanAndSaysWhatToDo) {
  const TemporaryDirectory directory;
  write_three(directory / "j", small_plan());
  BatchPlan other = plan_of(small_sweep(), {.number = 1, .count = 3});
  EXPECT_NE(refusal(directory / "j", other)
                .find("must be of shard 1/3, but is of shard 1/1; give "
                      "another directory, or --fresh"),
            std::string::npos);
  other = small_plan();
  other.points[1].outline.seed = 12;
  EXPECT_NE(refusal(directory / "j", other).find("but is of seed 11, not 12"), std::string::npos);
  other = small_plan();
  other.version = "9.9";
  EXPECT_NE(refusal(directory / "j", other).find(", not 9.9"), std::string::npos);
  config::Sweep longer = small_sweep();
  longer.points[0].experiment.policies[1].options.exploration = 2.0;
  EXPECT_NE(refusal(directory / "j", plan_of(longer, {})).find("another configuration"),
            std::string::npos);
  longer.points.resize(1);
  EXPECT_NE(refusal(directory / "j", plan_of(longer, {})).find("2 experiments, not 1"),
            std::string::npos);
  EXPECT_EQ(items_in(directory / "j", small_plan()).size(), 3U);  // and nothing was lost
}

TEST(Journal, RefusesAFileThatIsNone) {
  const TemporaryDirectory directory;
  for (const std::string& text : {std::string("hello"), std::string(100000, 'x')}) {
    std::ofstream(directory / "j", std::ios::trunc) << text;
    EXPECT_NE(refusal(directory / "j", small_plan()).find("is none"), std::string::npos);
    EXPECT_EQ(testing::slurp(directory / "j"), text);
  }
}

TEST(Journal, TakesTheFileOfAnotherPlanThatHasNoRuns) {
  const TemporaryDirectory directory;
  BatchPlan other = small_plan();
  other.points[0].outline.seed = 12;
  static_cast<void>(Journal::resume(directory / "j", other, Journal::Start::GoOn, {}));
  EXPECT_EQ(refusal(directory / "j", small_plan()), "");
  EXPECT_EQ(encode_plan(Journal::read(directory / "j").plan()), encode_plan(small_plan()));
}

TEST(Journal, BeginsAnewWhenAsked) {
  const TemporaryDirectory directory;
  write_three(directory / "j", small_plan());
  BatchPlan other = small_plan();
  other.points[0].outline.seed = 12;
  static_cast<void>(Journal::resume(directory / "j", other, Journal::Start::Fresh, {}));
  EXPECT_TRUE(items_in(directory / "j", other).empty());
}

TEST(Journal, IsWrittenByOneAtATime) {
  const TemporaryDirectory directory;
  const Journal first = Journal::resume(directory / "j", small_plan(), Journal::Start::GoOn, {});
  EXPECT_NE(refusal(directory / "j", small_plan()).find("another process writes it"),
            std::string::npos);
}

}  // namespace
}  // namespace foothold::simulation
