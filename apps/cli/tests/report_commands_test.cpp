#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "application.hpp"
#include "experiment_file.hpp"
#include "outcome.hpp"

namespace foothold::cli {
namespace {

namespace fs = std::filesystem;

TEST(Compare, PairsAPolicyWithItselfToZero) {
  const testing::TemporaryDirectory directory;
  const std::string a = directory.write("a.toml", testing::box_experiment("50", "3"));
  const std::string b = directory.write("b.toml", testing::box_experiment("60", "4"));
  const Outcome outcome = call({"compare", a, b, "--horizon", "40", "--runs", "3", "--quiet"});
  EXPECT_EQ(outcome.exit_code, ExitCode::Success) << outcome.err;
  // The same policy in both files: no difference in any run, and half of the ties are won.
  const std::size_t row = outcome.out.rfind("\nb: safe ");
  ASSERT_NE(row, std::string::npos) << outcome.out;
  const std::string line = outcome.out.substr(row + 1, outcome.out.find('\n', row + 1) - row - 1);
  EXPECT_NE(line.find("0 ± 0"), std::string::npos) << line;
  EXPECT_NE(line.find("[0, 0]"), std::string::npos) << line;
  EXPECT_NE(line.find("50 %"), std::string::npos) << line;
}

TEST(Compare, RefusesDifferentWorlds) {
  const testing::TemporaryDirectory directory;
  const std::string a = directory.write("a.toml", testing::box_experiment("50", "3"));
  const std::string b = directory.write("b.toml", testing::box_experiment("60", "3"));
  const Outcome outcome = call({"compare", a, b, "--quiet"});
  EXPECT_EQ(outcome.exit_code, ExitCode::Usage);
  EXPECT_EQ(outcome.err, "foothold: horizon: must be 50 in " + b + " as in " + a + ", got 60\n");
  EXPECT_EQ(call({"compare", a, "--runs", "0"}).exit_code, ExitCode::Usage);
  EXPECT_EQ(call({"compare", a, "--seed", "-1"}).exit_code, ExitCode::Usage);
  EXPECT_EQ(call({"compare", a, "missing.toml"}).exit_code, ExitCode::NotFound);
}

TEST(Plot, DrawsWhatRunWrote) {
  const testing::TemporaryDirectory directory;
  const std::string file = directory.write("a.toml", testing::box_experiment("50", "3"));
  const std::string results = (directory.path() / "results").string();
  ASSERT_EQ(call({"run", file, "--out", results, "--quiet"}).exit_code, ExitCode::Success);
  const Outcome outcome = call({"plot", results});
  EXPECT_EQ(outcome.exit_code, ExitCode::Success) << outcome.err;
  EXPECT_EQ(outcome.out, "report: " + results + "/report.html\n");
  for (const char* name : {"report.html", "regret.svg", "regret.png", "regret-quantiles.pdf"}) {
    EXPECT_TRUE(fs::is_regular_file(fs::path(results) / name)) << name;
  }
}

TEST(Plot, SaysWhatADirectoryIsInstead) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.path().string();
  const auto complaint = [&](const std::string& folder) {
    const Outcome outcome = call({"plot", folder});
    EXPECT_EQ(outcome.exit_code, ExitCode::NotFound);
    return outcome.err;
  };
  const std::string begin =
      "foothold: DIR: must be a directory that `foothold run --out` wrote, got ";
  EXPECT_EQ(complaint(path + "/none"), begin + path + "/none; it does not exist\n");
  EXPECT_EQ(complaint(path), begin + path + "; it has no summary.json\n");
  static_cast<void>(directory.write("runs.journal", ""));
  EXPECT_NE(complaint(path).find("not finished"), std::string::npos);
  static_cast<void>(directory.write("sweep.json", ""));
  EXPECT_NE(complaint(path).find("it holds a sweep"), std::string::npos);
}

TEST(Reproduce, RefusesWrongArguments) {
  EXPECT_EQ(call({"reproduce", "fig9"}).exit_code, ExitCode::Usage);
  EXPECT_EQ(call({"reproduce", "--quick", "--full"}).exit_code, ExitCode::Usage);
  EXPECT_EQ(call({"reproduce", "--threads", "0"}).exit_code, ExitCode::Usage);
}

}  // namespace
}  // namespace foothold::cli
