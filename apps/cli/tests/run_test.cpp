#include "commands/run.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "commands/merge.hpp"
#include "experiment_file.hpp"
#include "outcome.hpp"

namespace foothold::cli {
namespace {

namespace fs = std::filesystem;

Outcome run(const RunArgs& args, const std::atomic<bool>* stop = nullptr) {
  std::ostringstream out;
  std::ostringstream err;
  const ExitCode exit_code = run_run(args, {.out = out, .err = err, .stop = stop});
  return {.exit_code = exit_code, .out = out.str(), .err = err.str()};
}

TEST(Run, PrintsATableWithNotesAndProgressAside) {
  const testing::TemporaryDirectory directory;
  const Outcome outcome =
      run({.file = directory.write("box.toml", testing::box_experiment("50", "3"))});
  EXPECT_EQ(outcome.exit_code, ExitCode::Success);
  EXPECT_EQ(outcome.out.find("box: horizon 50, seed 3, 3 runs\n\npolicy  runs  "), 0U)
      << outcome.out;
  EXPECT_NE(outcome.out.find("\nsafe       3  "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("note: \"gap\" is told the true safety gap"), std::string::npos);
  EXPECT_EQ(outcome.err.find("box: 2 policies x 3 runs x 50 rounds\n6 of 6 runs, 300 rounds in"),
            0U)
      << outcome.err;
}

TEST(Run, PrintsJsonAsTheSummaryFile) {
  const testing::TemporaryDirectory directory;
  const std::string file = directory.write("box.toml", testing::box_experiment("50", "2"));
  const fs::path results = directory.path() / "results";
  const Outcome outcome =
      run({.file = file, .out = results.string(), .format = OutputFormat::Json, .quiet = true});
  EXPECT_EQ(outcome.out, testing::slurp(results / "summary.json"));
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(fs::exists(results / "trace.csv"));
  EXPECT_TRUE(fs::exists(results / "timing.json"));
}

TEST(Run, PrintsOneLineOfCsvPerPolicy) {
  const testing::TemporaryDirectory directory;
  const Outcome outcome =
      run({.file = directory.write("box.toml", testing::box_experiment("50", "2")),
           .format = OutputFormat::Csv,
           .quiet = true});
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 3);
  EXPECT_NE(outcome.out.find("\nsafe,2,"), std::string::npos);
}

TEST(Run, TakesTheSeedOfTheCommandLine) {
  const testing::TemporaryDirectory directory;
  const std::string file = directory.write("box.toml", testing::box_experiment("50", "2"));
  RunArgs args{.file = file, .format = OutputFormat::Json, .quiet = true};
  const std::string by_file = run(args).out;
  args.seed = 3;
  EXPECT_EQ(run(args).out, by_file);
  args.seed = 4;
  EXPECT_NE(run(args).out, by_file);
}

TEST(Run, StopsWithoutResultsWhenInterrupted) {
  const testing::TemporaryDirectory directory;
  const fs::path results = directory.path() / "results";
  const std::atomic<bool> stop{true};
  const Outcome outcome =
      run({.file = directory.write("box.toml", testing::box_experiment("1000000000", "2")),
           .out = results.string()},
          &stop);
  EXPECT_EQ(outcome.exit_code, ExitCode::Interrupted);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("interrupted; 0 of 4 runs are finished and kept in " +
                             (results / "runs.journal").string() + "; the same command goes on"),
            std::string::npos)
      << outcome.err;
  EXPECT_FALSE(fs::exists(results / "summary.json"));
}

TEST(Run, SaysThatNothingIsKeptWithoutADirectory) {
  const testing::TemporaryDirectory directory;
  const std::atomic<bool> stop{true};
  const Outcome outcome =
      run({.file = directory.write("box.toml", testing::box_experiment("1000000000", "2"))}, &stop);
  EXPECT_NE(outcome.err.find("0 of 4 runs are finished; no results were written"),
            std::string::npos)
      << outcome.err;
}

TEST(Run, WritesResultsAndExitsWith5WhenARunFindsNoSafeAction) {
  const testing::TemporaryDirectory directory;
  std::string text = testing::box_experiment("50", "2");
  // One arm, not known to be safe: nothing can be played.
  const std::string box = R"({ type = "box", lower = [-1.0, -1.0], upper = [1.0, 1.0] })";
  text.replace(text.find(box), box.size(), R"({ type = "arms", features = [[-0.9, -0.9]] })");
  text.resize(text.rfind("[[policies]]"));  // the schedule of "gap" would not have it
  const fs::path results = directory.path() / "results";
  const Outcome outcome =
      run({.file = directory.write("box.toml", text), .out = results.string(), .quiet = true});
  EXPECT_EQ(outcome.exit_code, ExitCode::NoSafeAction);
  EXPECT_NE(outcome.out.find("note: \"safe\" found no safe action in 2 of 2 runs"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(testing::slurp(results / "summary.json").find("\"failed_rounds\": [1, 1]"),
            std::string::npos);
}

TEST(Run, PrintsASweepWithItsSettings) {
  const testing::TemporaryDirectory directory;
  const std::string file =
      directory.write("box.toml", testing::box_experiment("50", "2") +
                                      "[sweep]\n\"problem.constraints.0.limit\" = [0.9, 1.25]\n");
  const Outcome table = run({.file = file});
  EXPECT_EQ(table.out.find("box: 2 points\n\nlimit  policy  runs  "), 0U) << table.out;
  EXPECT_NE(table.out.find("\n1.25      gap     2  "), std::string::npos) << table.out;
  EXPECT_EQ(table.err.find("box: 2 points x 2 policies\n8 of 8 runs, 400 rounds in"), 0U)
      << table.err;
  const Outcome csv = run({.file = file, .format = OutputFormat::Csv, .quiet = true});
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 5);
  const Outcome json = run({.file = file, .format = OutputFormat::Json, .quiet = true});
  EXPECT_NE(json.out.find("\"problem.constraints.0.limit\": 1.25"), std::string::npos);
}

TEST(Run, RefusesASeedForASweepOverSeeds) {
  const testing::TemporaryDirectory directory;
  const std::string file =
      directory.write("box.toml", testing::box_experiment("50", "2") + "[sweep]\nseed = [1, 2]\n");
  EXPECT_THROW(static_cast<void>(run({.file = file, .seed = 3})), Error);
}

TEST(Run, WritesAShardThatMergeTakes) {
  const testing::TemporaryDirectory directory;
  const std::string file = directory.write("box.toml", testing::box_experiment("50", "3"));
  const auto out = [&](const std::string& name) { return (directory.path() / name).string(); };
  const Outcome whole = run({.file = file, .out = out("whole"), .quiet = true});
  std::vector<std::string> parts;
  for (const std::int64_t number : {1, 2}) {
    parts.push_back(out(std::to_string(number)));
    const Outcome part = run({.file = file,
                              .out = parts.back(),
                              .shard = {.number = number, .count = 2},
                              .quiet = true});
    EXPECT_EQ(part.out, "shard " + std::to_string(number) + "/2: 3 of 3 runs in " + parts.back() +
                            "/runs.journal\n");
  }
  std::ostringstream printed;
  std::ostringstream err;
  EXPECT_EQ(run_merge({.out = out("merged"), .directories = parts}, {.out = printed, .err = err}),
            ExitCode::Success);
  EXPECT_EQ(printed.str(), whole.out);
  EXPECT_EQ(testing::slurp(directory.path() / "merged" / "trace.csv"),
            testing::slurp(directory.path() / "whole" / "trace.csv"));
}

TEST(Run, NamesTheFileOfARunThatFails) {
  const testing::TemporaryDirectory directory;
  std::string text = testing::box_experiment("50", "2");
  // Against the loss: the best safe action lies on the constraint, the gap is 0.
  text.replace(text.find("[[0.6, 1.8], [1.8, 0.4]]"), 24, "[[-1.0, 0.0], [0.0, -1.0]]");
  text.replace(text.find("limit = 0.9"), 11, "limit = 0.2");
  const std::string file = directory.write("box.toml", text);
  try {
    static_cast<void>(run({.file = file, .quiet = true}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find(file + ": policies[1]: \"gap\", run 0: "), 0U)
        << error.what();
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  }
}

TEST(Run, ChecksTheDirectoryBeforeItBegins) {
  const testing::TemporaryDirectory directory;
  const std::string file =
      directory.write("box.toml", testing::box_experiment("1000000000000", "1"));
  EXPECT_THROW(static_cast<void>(run({.file = file, .out = file})), Error);
}

}  // namespace
}  // namespace foothold::cli
