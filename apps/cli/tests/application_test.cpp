#include "application.hpp"

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "foothold/simulation/files/version.hpp"

#include "experiment_file.hpp"
#include "outcome.hpp"

namespace foothold::cli {
namespace {

TEST(Application, TellsItsVersion) {
  const Outcome outcome = call({"--version"});
  EXPECT_EQ(outcome.exit_code, ExitCode::Success);
  EXPECT_EQ(outcome.out, "foothold " + std::string(simulation::version()) + "\n");
}

TEST(Application, HelpsWithExamples) {
  const Outcome outcome = call({"run", "--help"});
  EXPECT_EQ(outcome.exit_code, ExitCode::Success);
  for (const char* word :
       {"--out", "--threads", "--seed", "--shard", "--fresh", "--format", "--quiet", "Examples:"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
  }
}

TEST(Application, RefusesWrongArguments) {
  EXPECT_EQ(call({}).exit_code, ExitCode::Usage);
  EXPECT_EQ(call({"fly"}).exit_code, ExitCode::Usage);
  EXPECT_EQ(call({"run"}).exit_code, ExitCode::Usage);
  EXPECT_EQ(call({"run", "x.toml", "--threads", "0"}).exit_code, ExitCode::Usage);
  EXPECT_EQ(call({"run", "x.toml", "--threads", "-1"}).exit_code, ExitCode::Usage);
  EXPECT_EQ(call({"run", "x.toml", "--seed", "-1"}).exit_code, ExitCode::Usage);
  EXPECT_EQ(call({"run", "x.toml", "--seed", "18446744073709551616"}).exit_code, ExitCode::Usage);
  EXPECT_EQ(call({"run", "x.toml", "--seed", "1.5"}).exit_code, ExitCode::Usage);
  EXPECT_EQ(call({"run", "x.toml", "--seed", "18446744073709551615"}).exit_code,
            ExitCode::NotFound);
  EXPECT_EQ(call({"run", "x.toml", "--format", "xml"}).exit_code, ExitCode::Usage);
  EXPECT_EQ(call({"run", "x.toml", "--format", "1"}).exit_code, ExitCode::Usage);
  for (const char* shard : {"0/2", "3/2", "1/", "/2", "2", "1/2/3", "-1/2", "1/2000000"}) {
    EXPECT_EQ(call({"run", "x.toml", "--out", "o", "--shard", shard}).exit_code, ExitCode::Usage);
  }
  EXPECT_EQ(call({"run", "x.toml", "--shard", "1/2"}).exit_code, ExitCode::Usage);  // no --out
  EXPECT_EQ(call({"run", "x.toml", "--fresh"}).exit_code, ExitCode::Usage);
  EXPECT_EQ(call({"merge", "out"}).exit_code, ExitCode::Usage);
  EXPECT_EQ(call({"merge", "out", "/nowhere"}).exit_code, ExitCode::NotFound);
  EXPECT_EQ(call({"run", "x.toml", "--wrong"}).err.find("foothold: "), 0U);
}

TEST(Application, SaysWhichFileIsNotThere) {
  const Outcome outcome = call({"run", "/nowhere/x.toml"});
  EXPECT_EQ(outcome.exit_code, ExitCode::NotFound);
  EXPECT_EQ(outcome.err.find("foothold: "), 0U);
  EXPECT_NE(outcome.err.find("/nowhere/x.toml"), std::string::npos);
}

TEST(Application, SaysInWhichLineAFileIsWrong) {
  const testing::TemporaryDirectory directory;
  const std::string file = directory.write("bad.toml", "name = \"x\"\nhorizn = 3\n");
  const Outcome outcome = call({"run", file.c_str()});
  EXPECT_EQ(outcome.exit_code, ExitCode::Usage);
  EXPECT_EQ(outcome.err.find("foothold: " + file + ":2: horizn: "), 0U) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST(Application, RunsAnExperiment) {
  const testing::TemporaryDirectory directory;
  const std::string file = directory.write("box.toml", testing::box_experiment("20", "1"));
  const Outcome outcome =
      call({"run", file.c_str(), "--format", "csv", "--quiet", "--threads", "2", "--seed", "8"});
  EXPECT_EQ(outcome.exit_code, ExitCode::Success);
  EXPECT_NE(outcome.out.find("\nsafe,1,"), std::string::npos);
}

TEST(ExitCode, MapsEveryErrorCode) {
  EXPECT_EQ(exit_code_for(ErrorCode::InvalidArgument), ExitCode::Usage);
  EXPECT_EQ(exit_code_for(ErrorCode::Conflict), ExitCode::Usage);
  EXPECT_EQ(exit_code_for(ErrorCode::NotFound), ExitCode::NotFound);
  EXPECT_EQ(exit_code_for(ErrorCode::Unavailable), ExitCode::Unavailable);
  EXPECT_EQ(exit_code_for(ErrorCode::NoSafeAction), ExitCode::NoSafeAction);
  EXPECT_EQ(exit_code_for(ErrorCode::Internal), ExitCode::Failure);
}

}  // namespace
}  // namespace foothold::cli
