#include "foothold/simulation/files/result_files.hpp"

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "foothold/base/error.hpp"
#include "foothold/simulation/files/version.hpp"
#include "foothold/simulation/play/summary.hpp"

namespace foothold::simulation {
namespace {

namespace fs = std::filesystem;

// Two policies, two runs, small round numbers: means and deviations are done in the head.
ExperimentResult small_result() {
  const RunResult first{.final_regret = 10.0,
                        .violations = 0,
                        .min_margin = 0.5,
                        .warmup_rounds = 4,
                        .optimum_certified_round = 5,
                        .safety_gap = 1.25,
                        .best_loss = -0.5,
                        .trace_regret = {1.0, 10.0},
                        .trace_violations = {0, 0},
                        .seconds = 0.5};
  RunResult second = first;
  second.final_regret = 14.0;
  second.violations = 3;
  second.min_margin = -0.25;
  second.has_lost_coverage = true;
  second.optimum_certified_round.reset();
  second.trace_regret = {2.0, 14.0};
  second.trace_violations = {1, 3};
  return {.name = "small",
          .seed = 7,
          .horizon = 100,
          .runs = 2,
          .config_hash = 0xABC,
          .trace_rounds = {1, 100},
          .policies = {{.name = "a, \"b\"",
                        .algorithm = "safe-lucb",
                        .has_oracle_gap = true,
                        .runs = {first, second}},
                       {.name = "u", .algorithm = "unsafe-lucb", .runs = {first, first}}},
          .notes = {"a note"},
          .threads = 2,
          .seconds = 0.25};
}

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ResultFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "foothold-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { fs::remove_all(directory_); }

  fs::path directory_;
};

TEST(Summarize, CondensesTheRunsOfAPolicy) {
  const PolicySummary summary = summarize(small_result().policies[0], 100);
  EXPECT_EQ(summary.runs, 2);
  EXPECT_DOUBLE_EQ(summary.mean_regret, 12.0);
  EXPECT_DOUBLE_EQ(summary.std_regret, std::sqrt(8.0));
  EXPECT_DOUBLE_EQ(summary.median_regret, 12.0);
  EXPECT_NEAR(summary.regret_quantiles[0], 10.2, 1e-12);
  EXPECT_NEAR(summary.regret_quantiles[3], 13.8, 1e-12);
  // A quarter of the resamples has both times 10, another both times 14.
  EXPECT_DOUBLE_EQ(summary.regret_bootstrap.lower, 10.0);
  EXPECT_DOUBLE_EQ(summary.regret_bootstrap.upper, 14.0);
  EXPECT_DOUBLE_EQ(summary.per_step_regret, 0.12);
  // t_{1, 0.975} = 12.7062 and std/√2 = 2.
  EXPECT_NEAR(summary.regret_half_width, 25.4124, 1e-4);
  EXPECT_EQ(summary.violations, 3);
  EXPECT_EQ(summary.violating_runs, 1);
  // P(X ≤ 1) = 1 − p² = 0.05.
  EXPECT_NEAR(summary.violating_limit, std::sqrt(0.95), 1e-12);
  EXPECT_EQ(summary.min_margin, -0.25);
  EXPECT_EQ(summary.median_warmup, 4.0);
  EXPECT_EQ(summary.coverage_failures, 1);
}

TEST(Summarize, LeavesRunsThatFailedOutOfTheRegretAndCountsThem) {
  PolicyResult policy = small_result().policies[0];
  policy.runs.push_back(policy.runs[0]);
  policy.runs[2].failed_round = 50;
  policy.runs[2].final_regret = std::numeric_limits<double>::quiet_NaN();
  policy.runs[2].min_margin = -0.5;
  const PolicySummary summary = summarize(policy, 100);
  EXPECT_EQ(summary.runs, 3);
  EXPECT_EQ(summary.failed_runs, 1);
  EXPECT_DOUBLE_EQ(summary.mean_regret, 12.0);
  EXPECT_DOUBLE_EQ(summary.median_regret, 12.0);
  EXPECT_EQ(summary.min_margin, -0.5);  // Its rounds were played.
}

TEST(WriteSummary, HasTheDocumentedShape) {
  ExperimentResult result = small_result();
  result.policies.resize(1);
  result.policies[0].runs.resize(1);  // One run: no deviation, hence null.
  std::ostringstream out;
  write_summary(result, out);
  const std::string expected = R"({
  "name": "small",
  "seed": 7,
  "horizon": 100,
  "version": ")" + std::string(version()) +
                               R"(",
  "config_hash": "0000000000000abc",
  "policies": [
    {
      "name": "a, \"b\"",
      "runs": 1,
      "mean_regret": 10,
      "std_regret": null,
      "final_regrets": [10],
      "violations": 0,
      "violating_runs": 0,
      "min_margin": 0.5,
      "warmup_rounds": [4],
      "coverage_failures": 0,
      "algorithm": "safe-lucb",
      "oracle_gap": true,
      "regret_half_width": null,
      "median_regret": 10,
      "regret_quantiles": [10, 10, 10, 10],
      "regret_bootstrap": [null, null],
      "per_step_regret": 0.1,
      "violating_runs_limit": 0.95,
      "run_violations": [0],
      "run_min_margins": [0.5],
      "run_coverage_failed": [false],
      "optimum_certified_rounds": [5],
      "explorations": [0],
      "failed_runs": 0,
      "failed_rounds": [null]
    }
  ],
  "safety_gaps": [1.25],
  "best_losses": [-0.5],
  "notes": [
    "a note"
  ]
}
)";
  EXPECT_EQ(out.str(), expected);
}

TEST(WriteTrace, HasOneLinePerPolicyRunAndRound) {
  std::ostringstream out;
  write_trace(small_result(), out);
  EXPECT_EQ(out.str(),
            "policy,run,round,regret,violations\n"
            "\"a, \"\"b\"\"\",0,1,1,0\n\"a, \"\"b\"\"\",0,100,10,0\n"
            "\"a, \"\"b\"\"\",1,1,2,1\n\"a, \"\"b\"\"\",1,100,14,3\n"
            "u,0,1,1,0\nu,0,100,10,0\nu,1,1,1,0\nu,1,100,10,0\n");
}

TEST(WritePolicies, HasOneLinePerPolicyAndLeavesOutWhatDoesNotExist) {
  ExperimentResult result = small_result();
  result.policies.erase(result.policies.begin());
  result.policies[0].runs.resize(1);
  std::ostringstream out;
  write_policies(result, out);
  EXPECT_EQ(out.str(),
            "policy,runs,mean_regret,regret_half_width,std_regret,median_regret,per_step_regret,"
            "violations,violating_runs,violating_runs_limit,min_margin,median_warmup,"
            "coverage_failures,oracle_gap,failed_runs\n"
            "u,1,10,,,10,0.1,0,0,0.95,0.5,4,0,false,0\n");
}

TEST(WriteTiming, GivesRoundsPerSecondAndThreads) {
  std::ostringstream out;
  write_timing(small_result(), out);
  // 2 policies · 2 runs · 100 rounds in 0.25 s; 1 s of thread time per policy.
  EXPECT_NE(out.str().find("\"rounds_per_second\": 1600,"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("\"threads\": 2,"), std::string::npos);
  EXPECT_NE(out.str().find("\"microseconds_per_round\": 5000"), std::string::npos);
  EXPECT_NE(out.str().find("\"machine\": \""), std::string::npos);
}

TEST_F(ResultFiles, AppearTogetherInADirectoryThatIsMade) {
  const fs::path target = directory_ / "deep" / "results";
  write_result_files(small_result(), target);
  std::ostringstream summary;
  write_summary(small_result(), summary);
  EXPECT_EQ(slurp(target / "summary.json"), summary.str());
  EXPECT_FALSE(slurp(target / "trace.csv").empty());
  EXPECT_FALSE(slurp(target / "timing.json").empty());
  EXPECT_EQ(std::distance(fs::directory_iterator(target), {}), 3);  // and nothing else
  EXPECT_NO_THROW(write_result_files(small_result(), target));      // again, in their place
}

TEST_F(ResultFiles, AreNotWrittenForAnInterruptedExperiment) {
  ExperimentResult result = small_result();
  result.is_complete = false;
  EXPECT_THROW(write_result_files(result, directory_), Error);
  EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(ResultFiles, SayWhyADirectoryCannotTakeThem) {
  std::ofstream(directory_ / "file") << "not a directory";
  for (const fs::path& target : {directory_ / "file", directory_ / "file" / "below"}) {
    try {
      prepare_directory(target);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::Unavailable);
      EXPECT_EQ(error.field(), "out");
      EXPECT_NE(std::string(error.what()).find(target.string()), std::string::npos);
    }
  }
}

TEST_F(ResultFiles, LeaveNothingHalfWrittenBehind) {
  // A directory in the place of trace.csv cannot be replaced by a file.
  fs::create_directories(directory_ / "trace.csv" / "occupied");
  EXPECT_THROW(write_result_files(small_result(), directory_), Error);
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_)) {
    EXPECT_NE(entry.path().extension(), ".tmp");
  }
  EXPECT_FALSE(fs::exists(directory_ / "timing.json"));
}

}  // namespace
}  // namespace foothold::simulation
