#include <atomic>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/simulation/batch/runner.hpp"
#include "foothold/simulation/files/result_files.hpp"

#include "paper_polytope.hpp"

namespace foothold::simulation {
namespace {

config::ExperimentConfig family_experiment() {
  return {.name = "family",
          .horizon = 300,
          .runs = 7,
          .seed = 9,
          .family = config::FamilyConfig{.type = "k-armed",
                                         .feedback = config::FeedbackConfig{.delay_mean = 3.0,
                                                                            .missing = 0.05}},
          .policies = {{.name = "worst case",
                        .algorithm = policy::Algorithm::SafeLucb,
                        .options = {.warmup = {.schedule = policy::Schedule::WorstCase}},
                        .ridge = 1.0},
                       {.name = "none"},
                       {.name = "unsafe", .is_unsafe = true}}};
}

std::string bytes_of(const config::ExperimentConfig& config, unsigned threads) {
  const ExperimentResult result = run_experiment(config, {.threads = threads});
  std::ostringstream out;
  write_summary(result, out);
  write_trace(result, out);
  return out.str();
}

TEST(RunExperimentThreads, GiveTheSameBytesInAnyNumber) {
  for (const config::ExperimentConfig& config :
       {testing::paper_experiment(300, 5), family_experiment()}) {
    const std::string one = bytes_of(config, 1);
    for (const unsigned threads : {2U, 3U, 16U}) {
      EXPECT_TRUE(bytes_of(config, threads) == one) << threads;
    }
  }
}

TEST(RunExperimentThreads, ReportTheFirstFailureInOrder) {
  config::ExperimentConfig config = testing::paper_experiment(2000, 4);
  // The second policy fails at once, the first one never; the third would fail, too.
  config.policies.push_back({.name = "bad", .options = {.optimism = policy::Optimism::Ellipsoid}});
  config.policies[1].is_unsafe = true;
  config.policies.push_back(config.policies[1]);
  config.policies[2].name = "worse";
  for (const unsigned threads : {1U, 2U, 4U}) {
    try {
      static_cast<void>(run_experiment(config, {.threads = threads}));
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find("policies[1]: \"bad\", run 0"), 0U) << error.what();
    }
  }
}

TEST(RunExperimentThreads, StopWithinSomeRoundsWhenAsked) {
  // Far too long to finish.
  const config::ExperimentConfig config = testing::paper_experiment(1'000'000'000'000, 4);
  std::atomic<bool> stop{false};
  const RunOptions options{.threads = 2,
                           .stop = &stop,
                           .progress =
                               [&stop](const Progress& progress) {
                                 if (progress.rounds_done > 0) {
                                   stop.store(true);
                                 }
                               },
                           .progress_interval = std::chrono::milliseconds(1)};
  const ExperimentResult result = run_experiment(config, options);
  EXPECT_FALSE(result.is_complete);
  EXPECT_TRUE(result.policies.at(0).runs.empty());
}

TEST(RunExperimentThreads, ReportProgressUpToAll) {
  const config::ExperimentConfig config = testing::paper_experiment(1000, 6);
  Progress last;
  std::int64_t calls = 0;
  const RunOptions options{.threads = 2,
                           .progress =
                               [&](const Progress& progress) {
                                 EXPECT_GE(progress.rounds_done, last.rounds_done);
                                 last = progress;
                                 ++calls;
                               },
                           .progress_interval = std::chrono::milliseconds(1)};
  static_cast<void>(run_experiment(config, options));
  EXPECT_GE(calls, 1);
  EXPECT_EQ(last.rounds_done, 6000);
  EXPECT_EQ(last.rounds_total, 6000);
  EXPECT_EQ(last.runs_done, 6);
  EXPECT_EQ(last.runs_total, 6);
}

TEST(RunExperimentThreads, AreJoinedWhenTheProgressCallbackThrows) {
  const config::ExperimentConfig config = testing::paper_experiment(1'000'000'000'000, 4);
  const RunOptions options{.threads = 2,
                           .progress = [](const Progress&) { throw std::runtime_error("enough"); },
                           .progress_interval = std::chrono::milliseconds(1)};
  EXPECT_THROW(static_cast<void>(run_experiment(config, options)), std::runtime_error);
}

}  // namespace
}  // namespace foothold::simulation
