// Runs the executable itself: exit codes, files and signals as a shell sees them.
#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

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
  Child(const std::vector<std::string>& arguments, const fs::path& output) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) {
      throw std::runtime_error("no pipe");
    }
    std::vector<char*> argv;
    std::string binary = FOOTHOLD_BINARY;
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

TEST(Binary, WritesTheSameResultsOnOneThreadAndOnFour) {
  const testing::TemporaryDirectory directory;
  const std::string file = directory.write("box.toml", testing::box_experiment("200", "5"));
  for (const std::string threads : {"1", "4"}) {
    const fs::path out = directory.path() / threads;
    Child child({"run", file, "--out", out.string(), "--threads", threads, "--quiet"},
                directory.path() / "stdout");
    ASSERT_EQ(child.wait(), 0) << child.standard_error();
  }
  for (const char* name : {"summary.json", "trace.csv"}) {
    const std::string one = testing::slurp(directory.path() / "1" / name);
    EXPECT_FALSE(one.empty());
    EXPECT_TRUE(one == testing::slurp(directory.path() / "4" / name)) << name;
  }
  EXPECT_NE(testing::slurp(directory.path() / "stdout").find("mean regret"), std::string::npos);
}

class BinaryInterrupted : public ::testing::TestWithParam<int> {};

TEST_P(BinaryInterrupted, ExitsWith130AndWritesNothing) {
  const testing::TemporaryDirectory directory;
  const std::string file =
      directory.write("box.toml", testing::box_experiment("1000000000000", "2"));
  const fs::path out = directory.path() / "out";
  Child child({"run", file, "--out", out.string()}, directory.path() / "stdout");
  ASSERT_TRUE(child.has_spoken());  // It has begun.
  child.send(GetParam());
  EXPECT_EQ(child.wait(), 130);
  EXPECT_NE(child.standard_error().find("interrupted"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(out));
  EXPECT_EQ(testing::slurp(directory.path() / "stdout"), "");
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
