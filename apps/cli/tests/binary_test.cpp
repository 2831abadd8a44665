// Runs the executable itself: exit codes, files and signals as a shell sees them.
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): <csignal> has no kill
#include <sys/wait.h>
#include <unistd.h>

#include "experiment_file.hpp"

namespace foothold::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{60};

// A child process with its standard error on a pipe and its standard output in a file.
class Child {
 public:
  Child(const std::vector<std::string>& arguments, const fs::path& output)
      : Child(FOOTHOLD_BINARY, arguments, output) {}
  Child(std::string binary, const std::vector<std::string>& arguments, const fs::path& output) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) {
      throw std::runtime_error("no pipe");
    }
    std::vector<char*> argv;
    argv.push_back(binary.data());
    std::vector<std::string> copies = arguments;
    for (std::string& argument : copies) {
      argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      if (::freopen(output.c_str(), "w", stdout) == nullptr || ::dup2(ends[1], 2) < 0) {
        ::_exit(99);
      }
      ::close(ends[0]);
      ::execv(binary.c_str(), argv.data());
      ::_exit(98);
    }
    ::close(ends[1]);
    err_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  Child(Child&&) = delete;
  Child& operator=(Child&&) = delete;
  ~Child() {
    if (is_running_) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(err_);
  }

  // Whether it says something on standard error in time.
  [[nodiscard]] bool has_spoken() const {
    pollfd entry{.fd = err_, .events = POLLIN, .revents = 0};
    return ::poll(&entry, 1, static_cast<int>(std::chrono::milliseconds(kPatience).count())) == 1;
  }

  void send(int signal) const { ::kill(pid_, signal); }

  // The exit code; −1 if a signal ended it or patience did.
  int wait() {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < deadline) {
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        is_running_ = false;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return -1;
  }

  std::string standard_error() {
    std::string text;
    std::array<char, 4096> block{};
    for (ssize_t size = 0; (size = ::read(err_, block.data(), block.size())) > 0;) {
      text.append(block.data(), static_cast<std::size_t>(size));
    }
    return text;
  }

 private:
  pid_t pid_ = -1;
  int err_ = -1;
  bool is_running_ = true;
};

using Files = std::map<std::string, std::string>;

// The results below a directory with their bytes; times differ, and a journal is no result.
Files results_below(const fs::path& directory) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && name != "timing.json" && name != "runs.journal") {
      files[fs::relative(entry.path(), directory).string()] = testing::slurp(entry.path());
    }
  }
  return files;
}

// A small sweep, and what one thread makes of it.
class BinarySweep : public ::testing::Test {
 protected:
  void SetUp() override {
    run({"--threads", "1"}, "one");
    one_ = results_below(path("one"));
    ASSERT_EQ(one_.size(), 6U);  // summary.json and trace.csv of two points, sweep.json, sweep.csv
    ASSERT_GT(one_.at("limit=0.9/trace.csv").size(), 1000U);
  }

  [[nodiscard]] fs::path path(const std::string& name) const { return directory_.path() / name; }

  [[nodiscard]] std::vector<std::string> command(const std::vector<std::string>& options,
                                                 const std::string& out) const {
    std::vector<std::string> arguments = {"run", file_, "--quiet", "--out", path(out).string()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return arguments;
  }

  void run(const std::vector<std::string>& options, const std::string& out) const {
    expect_success(command(options, out));
  }

  void expect_success(const std::vector<std::string>& arguments) const {
    Child child(arguments, path("stdout"));
    EXPECT_EQ(child.wait(), 0) << child.standard_error();
  }

  testing::TemporaryDirectory directory_;
  std::string file_ =
      directory_.write("sweep.toml", testing::box_experiment("200", "7") +
                                         "[sweep]\n\"problem.constraints.0.limit\" = [0.9, 1]\n");
  Files one_;
};

TEST_F(BinarySweep, WritesTheSameBytesOnTwoThreads) {
  run({"--threads", "2"}, "two");
  EXPECT_TRUE(results_below(path("two")) == one_);
}

TEST_F(BinarySweep, WritesTheSameBytesFromOneThreeAndSevenShards) {
  run({"--shard", "1/1"}, "whole");
  EXPECT_TRUE(results_below(path("whole")) == one_);
  for (const int count : {3, 7}) {
    const std::string out = std::to_string(count);
    std::vector<std::string> merge = {"merge", path(out).string()};
    for (int number = 1; number <= count; ++number) {
      const std::string part = fmt::format("{}-{}", number, count);
      run({"--shard", fmt::format("{}/{}", number, count)}, part);
      EXPECT_TRUE(results_below(path(part)).empty());
      merge.push_back(path(part).string());
    }
    expect_success(merge);
    EXPECT_TRUE(results_below(path(out)) == one_) << count;
  }
}

TEST_F(BinarySweep, WritesTheSameBytesOnOneTwoAndFourRanks) {
  const std::string mpirun = FOOTHOLD_MPIRUN;
  if (mpirun.empty()) {
    GTEST_SKIP() << "NOT TESTED: this build has no MPI (see FOOTHOLD_WITH_MPI)";
  }
  for (const char* variable : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"}) {
    ::setenv(variable, "1", 1);
  }
  ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // MPI's own
  for (const std::string ranks : {"1", "2", "4"}) {
    std::vector<std::string> arguments = {"--oversubscribe", "--bind-to", "none", "-n", ranks,
                                          FOOTHOLD_BINARY};
    const std::vector<std::string> rest = command({}, ranks);
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    Child child(mpirun, arguments, path("stdout"));
    ASSERT_EQ(child.wait(), 0) << child.standard_error();
    EXPECT_TRUE(results_below(path(ranks)) == one_) << ranks;
    // Rank 0 alone speaks.
    const std::string text = testing::slurp(path("stdout"));
    EXPECT_NE(text.find("box: 2 points"), std::string::npos);
    EXPECT_EQ(text.find("box: 2 points"), text.rfind("box: 2 points"));
  }
}

// Starts a command and kills it once its journal has some bytes; false if it ended by itself, as it
// may where this test gets no time on the CPU.
bool kill_in_the_middle(const std::vector<std::string>& arguments, const fs::path& journal,
                        std::uintmax_t enough, const fs::path& output) {
  Child child(arguments, output);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  std::error_code error;
  while (std::chrono::steady_clock::now() < deadline) {
    const std::uintmax_t size = fs::file_size(journal, error);
    if (!error && size > enough) {
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  child.send(SIGKILL);
  return child.wait() == -1;
}

TEST_F(BinarySweep, GoesOnAfterKill9) {
  const std::string longer =
      directory_.write("long.toml", testing::box_experiment("100", "120") +
                                        "[sweep]\nproblem.norm_bound = [1.0, 1.1]\n");
  const auto arguments = [&](const std::string& out) {
    return std::vector<std::string>{"run", longer, "--out", path(out).string(), "--threads", "1"};
  };
  expect_success(arguments("uninterrupted"));
  const fs::path journal = path("killed") / "runs.journal";
  bool is_killed_twice = false;
  for (int attempt = 0; attempt < 5 && !is_killed_twice; ++attempt) {
    fs::remove_all(path("killed"));
    // Bytes: a few runs, then some more.
    is_killed_twice = kill_in_the_middle(arguments("killed"), journal, 20'000, path("stdout")) &&
                      kill_in_the_middle(arguments("killed"), journal, 60'000, path("stdout"));
  }
  ASSERT_TRUE(is_killed_twice);
  ASSERT_TRUE(results_below(path("killed")).empty());
  Child child(arguments("killed"), path("stdout"));
  ASSERT_EQ(child.wait(), 0);
  EXPECT_NE(child.standard_error().find("rounds of earlier starts"), std::string::npos);
  EXPECT_TRUE(results_below(path("killed")) == results_below(path("uninterrupted")));
  EXPECT_FALSE(fs::exists(journal));
}

class BinaryInterrupted : public ::testing::TestWithParam<int> {};

TEST_P(BinaryInterrupted, ExitsWith130AndWritesNoResult) {
  const testing::TemporaryDirectory directory;
  const std::string file =
      directory.write("box.toml", testing::box_experiment("1000000000000", "2"));
  const fs::path out = directory.path() / "out";
  Child child({"run", file, "--out", out.string()}, directory.path() / "stdout");
  ASSERT_TRUE(child.has_spoken());  // It has begun.
  child.send(GetParam());
  EXPECT_EQ(child.wait(), 130);
  EXPECT_NE(child.standard_error().find("interrupted"), std::string::npos);
  EXPECT_TRUE(results_below(out).empty());
  EXPECT_EQ(testing::slurp(directory.path() / "stdout"), "");
}

// As `timeout` does: to the process, then to its group.
TEST_P(BinaryInterrupted, TakesASignalThatComesTwiceAtOnceForOne) {
  const testing::TemporaryDirectory directory;
  const std::string file =
      directory.write("box.toml", testing::box_experiment("1000000000000", "2"));
  Child child({"run", file}, directory.path() / "stdout");
  ASSERT_TRUE(child.has_spoken());
  child.send(GetParam());
  child.send(GetParam());
  EXPECT_EQ(child.wait(), 130);
  EXPECT_NE(child.standard_error().find("interrupted"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Signals, BinaryInterrupted, ::testing::Values(SIGINT, SIGTERM));

TEST(Binary, ExitsWithTheDocumentedCodes) {
  const testing::TemporaryDirectory directory;
  const fs::path stdout_file = directory.path() / "stdout";
  EXPECT_EQ(Child({"--version"}, stdout_file).wait(), 0);
  EXPECT_EQ(Child({"run"}, stdout_file).wait(), 2);
  EXPECT_EQ(Child({"run", "/nowhere/x.toml"}, stdout_file).wait(), 3);
  const std::string file = directory.write("box.toml", testing::box_experiment("10", "1"));
  EXPECT_EQ(Child({"run", file, "--out", file}, stdout_file).wait(), 4);
}

}  // namespace
}  // namespace foothold::cli
