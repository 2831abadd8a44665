#include "foothold/simulation/batch/batch.hpp"

#include <atomic>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/simulation/batch/runner.hpp"
#include "foothold/simulation/files/result_files.hpp"

#include "batch/work_items.hpp"
#include "small_batch.hpp"

namespace foothold::simulation {
namespace {

namespace fs = std::filesystem;
using testing::files_below;
using testing::small_sweep;
using testing::TemporaryDirectory;

using Files = std::map<std::string, std::string>;

// What run_experiment and the writers of single experiments make of each point.
Files expected_files(const config::Sweep& sweep) {
  Files files;
  for (const config::SweepPoint& point : sweep.points) {
    const ExperimentResult result = run_experiment(point.experiment);
    std::ostringstream summary;
    write_summary(result, summary);
    std::ostringstream trace;
    write_trace(result, trace);
    files[point.folder + "/summary.json"] = summary.str();
    files[point.folder + "/trace.csv"] = trace.str();
  }
  return files;
}

void expect_same(const Files& actual, const Files& expected) {
  for (const auto& [name, bytes] : expected) {
    ASSERT_TRUE(actual.contains(name)) << name;
    EXPECT_TRUE(actual.at(name) == bytes) << name;
  }
}

std::string error_of_merge(const std::vector<fs::path>& directories, const fs::path& out) {
  try {
    static_cast<void>(merge_batches(out, directories));
  } catch (const Error& error) {
    EXPECT_FALSE(fs::exists(out));
    return error.what();
  }
  return "";
}

TEST(RunBatch, WritesTheFilesOfEachExperimentAndOfTheSweep) {
  const TemporaryDirectory directory;
  const BatchResult batch = run_batch(small_sweep(), {.directory = directory / "out"});
  EXPECT_TRUE(batch.is_complete());
  EXPECT_EQ(batch.runs_total, 20);
  const Files files = files_below(directory / "out");
  expect_same(files, expected_files(small_sweep()));
  EXPECT_EQ(files.size(), 6U);  // two of each point, sweep.json and sweep.csv: no journal
  const std::string& csv = files.at("sweep.csv");
  EXPECT_EQ(csv.find("folder,family.noise_scale,policy,runs,mean_regret"), 0U);
  EXPECT_NE(csv.find("\nnoise_scale=0.2,0.2,ours,5,"), std::string::npos);
  EXPECT_NE(files.at("sweep.json").find("\"family.noise_scale\": 0.2"), std::string::npos);
  // Traces are in the files and not in memory.
  EXPECT_EQ(batch.points[1].result.policies[1].runs[4].trace_regret.capacity(), 0U);
}

TEST(RunBatch, GoesOnWhereItWasStopped) {
  const TemporaryDirectory directory;
  ASSERT_EQ(testing::leave_half(small_sweep(), directory / "out"), 10);
  Progress first;
  const BatchResult batch = run_batch(
      small_sweep(),
      {.run = {.progress = [&](const Progress& now) { first = first.rounds_total ? first : now; }},
       .directory = directory / "out"});
  EXPECT_EQ(batch.runs_kept, 10);
  EXPECT_EQ(first.rounds_kept, 10 * 40);
  EXPECT_EQ(first.rounds_total, 20 * 40);
  EXPECT_TRUE(batch.is_complete());
  expect_same(files_below(directory / "out"), expected_files(small_sweep()));
  EXPECT_FALSE(fs::exists(directory / "out" / kJournalName));
}

TEST(RunBatch, KeepsWhatIsFinishedWhenStopped) {
  const TemporaryDirectory directory;
  testing::leave_half(small_sweep(), directory / "out");
  const std::atomic<bool> stop{true};
  const BatchResult batch =
      run_batch(small_sweep(), {.run = {.stop = &stop}, .directory = directory / "out"});
  EXPECT_FALSE(batch.is_complete());
  EXPECT_EQ(batch.runs_done, 10);
  const Files files = files_below(directory / "out");
  EXPECT_EQ(files.size(), 1U);
  EXPECT_TRUE(files.contains(kJournalName));
}

TEST(RunBatch, KeepsNothingWithoutADirectory) {
  const BatchResult batch = run_batch(small_sweep(), {});
  const ExperimentResult expected = run_experiment(small_sweep().points[1].experiment);
  std::ostringstream mine;
  std::ostringstream theirs;
  write_summary(batch.points[1].result, mine);
  write_summary(expected, theirs);
  EXPECT_EQ(mine.str(), theirs.str());
  EXPECT_THROW(static_cast<void>(run_batch(small_sweep(), {.shard = {.number = 1, .count = 2}})),
               Error);
}

TEST(MergeBatches, WritesWhatOneRunWrites) {
  const Files expected = expected_files(small_sweep());
  for (const std::int64_t count : {1, 3, 7, 40}) {
    const TemporaryDirectory directory;
    std::vector<fs::path> parts;
    for (std::int64_t number = count; number >= 1; --number) {  // in any order
      parts.push_back(directory / std::to_string(number));
      const BatchResult part = run_batch(
          small_sweep(), {.directory = parts.back(), .shard = {.number = number, .count = count}});
      EXPECT_TRUE(part.is_complete());
    }
    if (count > 1) {
      static_cast<void>(merge_batches(directory / "out", parts));
    }
    expect_same(files_below(count > 1 ? directory / "out" : parts[0]), expected);
  }
}

TEST(MergeBatches, RefusesWhatIsNotEveryRunOnce) {
  const TemporaryDirectory directory;
  const auto shard = [&](const std::string& name, std::int64_t number, const std::string& more) {
    static_cast<void>(run_batch(small_sweep(more), {.directory = directory / name,
                                                    .shard = {.number = number, .count = 2}}));
    return directory / name;
  };
  const fs::path one = shard("one", 1, "");
  const fs::path two = shard("two", 2, "");
  const fs::path other = shard("other", 2, "# the same\n");
  const fs::path out = directory / "out";
  EXPECT_NE(error_of_merge({one}, out)
                .find("10 of 20 are missing, the first run 0 of \"ours\" at "
                      "noise_scale=0.1: the directory of shard 2/2 was not "
                      "given"),
            std::string::npos);
  EXPECT_NE(error_of_merge({one, two, other}, out).find("is in both"), std::string::npos);
  EXPECT_NE(error_of_merge({one, directory / "none"}, out).find("must be the journal of a shard"),
            std::string::npos);
  fs::resize_file(two / kJournalName, fs::file_size(two / kJournalName) - 1);
  EXPECT_NE(error_of_merge({one, two}, out).find("two/runs.journal is not finished; start its"),
            std::string::npos);
  EXPECT_THROW(static_cast<void>(merge_batches(out, {})), Error);
  EXPECT_EQ(error_of_merge({one, other}, out), "");
}

TEST(WorkItems, AreDealtOutEvenlyAlongRunsAndPolicies) {
  const WorkItems items({{.runs = 6, .policies = 2}, {.runs = 3, .policies = 4}});
  ASSERT_EQ(items.size(), 24U);
  std::vector<std::vector<int>> counts(3, std::vector<int>(4));
  for (std::uint64_t item = 0; item < items.size(); ++item) {
    EXPECT_EQ(items.index(items.at(item)), item);
    int owners = 0;
    for (std::int64_t number = 1; number <= 3; ++number) {
      if (is_in_shard(items, item, {.number = number, .count = 3})) {
        ++owners;
        ++counts[static_cast<std::size_t>(number - 1)][items.at(item).policy];
      }
    }
    EXPECT_EQ(owners, 1);
  }
  // Nine runs of the policies 0 and 1, three of 2 and 3, for three shards.
  EXPECT_EQ(counts, std::vector<std::vector<int>>(3, {3, 3, 1, 1}));
}

}  // namespace
}  // namespace foothold::simulation
