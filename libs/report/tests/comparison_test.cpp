#include "foothold/report/comparison.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/config/text_file.hpp"
#include "foothold/report/stored_results.hpp"
#include "foothold/simulation/batch/runner.hpp"
#include "foothold/simulation/files/result_files.hpp"

namespace foothold::report {
namespace {

namespace fs = std::filesystem;
using simulation::ExperimentResult;

// The polytope instance of [AAT19, App. F], with a line of the problem and the learners left open.
config::ExperimentConfig experiment(const std::string& line, const std::string& policies) {
  return config::parse_experiment_toml(fmt::format(R"(
name = "polytope"
horizon = 40
runs = 3
seed = 7
[problem]
decision_set = {{ type = "box", lower = [-1.0, -1.0], upper = [1.0, 1.0] }}
noise_scale = 0.1
norm_bound = 1.0
{}
[[problem.constraints]]
matrix = [[0.6, 1.8], [1.8, 0.4]]
limit = 0.9
[environment]
parameter = [0.9, 0.044]
noise = {{ type = "gaussian", scale = 0.1 }}
{}
)",
                                                   line, policies),
                                       "polytope.toml");
}

config::ExperimentConfig two_learners() {
  return experiment("ridge = 1.0", R"(
[[policies]]
name = "with warm-up"
algorithm = "safe-lucb"
warmup = { rounds = 20 }
[[policies]]
name = "without warm-up"
algorithm = "safe-lucb"
)");
}

config::ExperimentConfig targeted() {
  return experiment("", R"(
[[policies]]
name = "targeted"
algorithm = "targeted"
)");
}

void write(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::vector<NamedExperiment> two_files() {
  return {{.file = "a/x.toml", .config = two_learners()},
          {.file = "b/y.toml", .config = targeted()}};
}

std::string field_of_error(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    return error.field();
  }
  return "none";
}

TEST(Comparable, LearnersMayDifferTheWorldMayNot) {
  EXPECT_NO_THROW(require_comparable(two_files()));  // λ differs
  const auto field_after = [](const auto& change) {
    std::vector<NamedExperiment> files = two_files();
    change(files[1].config);
    return field_of_error([&] { require_comparable(files); });
  };
  EXPECT_EQ(field_after([](auto& config) { config.horizon = 41; }), "horizon");
  EXPECT_EQ(field_after([](auto& config) { config.runs = 4; }), "runs");
  EXPECT_EQ(field_after([](auto& config) { config.seed = 8; }), "seed");
  EXPECT_EQ(field_after([](auto& config) { config.problem->constraints[0].limit = 0.8; }),
            "problem");
  EXPECT_EQ(field_after([](auto& config) { config.environment->parameter(0) = 0.8; }),
            "environment");
  EXPECT_EQ(field_after([](auto& config) {
              config.problem.reset();
              config.environment.reset();
              config.family.emplace();
            }),
            "problem");
}

TEST(Comparable, NeedsTwoPolicies) {
  std::vector<NamedExperiment> one{two_files()[1]};
  EXPECT_EQ(field_of_error([&] { require_comparable(one); }), "policies");
}

ExperimentResult result_of(const std::vector<std::vector<double>>& regrets) {
  ExperimentResult result{.name = "r", .horizon = 10, .runs = 3, .trace_rounds = {1, 10}};
  for (const std::vector<double>& values : regrets) {
    result.policies.push_back({.name = "p"});
    for (const double value : values) {
      result.policies.back().runs.push_back(
          {.final_regret = value, .trace_regret = {0.0, value}, .trace_violations = {0, 0}});
    }
  }
  return result;
}

// By hand: differences −2, −1, 2; mean −1/3, sample variance 13/3, t with 2 degrees of
// freedom at 97.5 %: 4.302653.
TEST(PairedRows, AreDifferencesRunByRun) {
  const std::vector<PairedRow> rows = paired_rows(result_of({{3.0, 5.0, 10.0}, {1.0, 4.0, 12.0}}));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NEAR(rows[0].difference.mean, -1.0 / 3.0, 1e-12);
  EXPECT_NEAR(rows[0].difference.half_width, 4.302653 * std::sqrt(13.0 / 9.0), 1e-5);
  EXPECT_NEAR(rows[0].difference.median, -1.0, 1e-12);
  EXPECT_NEAR(rows[0].difference.wins, 2.0 / 3.0, 1e-12);
  EXPECT_LE(rows[0].bootstrap.lower, -1.0 / 3.0);
  EXPECT_GE(rows[0].bootstrap.upper, -1.0 / 3.0);
}

TEST(Joined, NamesFilesWhereNamesClash) {
  const ExperimentResult all =
      joined(two_files(), {result_of({{1.0, 1.0, 1.0}}), result_of({{2.0, 2.0, 2.0}})});
  ASSERT_EQ(all.policies.size(), 2U);
  EXPECT_EQ(all.policies[0].name, "x: p");
  EXPECT_EQ(all.policies[1].name, "y: p");
}

TEST(Joined, TellsFilesOfOneNameApart) {
  std::vector<NamedExperiment> files = two_files();
  files.push_back(files[0]);
  files[0].file = "one/x.toml";
  files[1].file = "two/x.toml";
  files[2].file = "one/x.toml";
  const std::vector<double> any{1.0, 1.0, 1.0};
  const ExperimentResult all =
      joined(files, {result_of({any}), result_of({any}), result_of({any})});
  ASSERT_EQ(all.policies.size(), 3U);
  EXPECT_EQ(all.policies[0].name, "one/x.toml: p");
  EXPECT_EQ(all.policies[1].name, "two/x.toml: p");
  EXPECT_EQ(all.policies[2].name, "one/x.toml (2): p");
}

TEST(StoredResults, ReadBackAsTheyWere) {
  const fs::path directory = fs::temp_directory_path() / "foothold-stored-results";
  fs::remove_all(directory);
  config::ExperimentConfig config = two_learners();
  config.policies[0].name = "a, \"b\"";
  const ExperimentResult written = simulation::run_experiment(config);
  simulation::write_result_files(written, directory);
  const ExperimentResult read = read_results(directory);
  EXPECT_EQ(read.name, written.name);
  EXPECT_EQ(read.trace_rounds, written.trace_rounds);
  ASSERT_EQ(read.policies.size(), written.policies.size());
  for (std::size_t i = 0; i < read.policies.size(); ++i) {
    EXPECT_EQ(read.policies[i].name, written.policies[i].name);
    ASSERT_EQ(read.policies[i].runs.size(), written.policies[i].runs.size());
    for (std::size_t run = 0; run < read.policies[i].runs.size(); ++run) {
      EXPECT_EQ(read.policies[i].runs[run].trace_regret,
                written.policies[i].runs[run].trace_regret);
      EXPECT_EQ(read.policies[i].runs[run].final_regret,
                written.policies[i].runs[run].final_regret);
    }
  }
  // And refuse what they are not.
  const std::string trace = config::read_text_file(directory / "trace.csv", 1U << 20U);
  write(directory / "trace.csv", trace + "\"a, \"\"b\"\"\",9,1,1,0\n");
  EXPECT_THROW(static_cast<void>(read_results(directory)), Error);
  write(directory / "trace.csv", trace.substr(0, trace.size() / 2));
  EXPECT_THROW(static_cast<void>(read_results(directory)), Error);
  write(directory / "summary.json", "{\"name\": \"x\"}");
  EXPECT_THROW(static_cast<void>(read_results(directory)), Error);
  fs::remove_all(directory);
}

}  // namespace
}  // namespace foothold::report
