// What reaches the disk, and when. Oracle: this program's own fdatasync and syncfs, which the
// linker takes before those of the C library, write down what the files were when they were called.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "batch/journal.hpp"
#include "small_batch.hpp"

namespace {

std::vector<std::uint64_t>& synced_sizes() {
  static std::vector<std::uint64_t> sizes;
  return sizes;
}

// The names in the directory at each syncfs, in one line.
std::vector<std::string>& synced_listings() {
  static std::vector<std::string> listings;
  return listings;
}

}  // namespace

extern "C" int fdatasync(int descriptor) {
  struct stat status {};
  ::fstat(descriptor, &status);
  synced_sizes().push_back(static_cast<std::uint64_t>(status.st_size));
  return static_cast<int>(::syscall(SYS_fdatasync, descriptor));
}

extern "C" int syncfs(int descriptor) noexcept {
  const std::filesystem::path directory = "/proc/self/fd/" + std::to_string(descriptor);
  std::string names;
  for (const auto& [name, bytes] :
       foothold::simulation::testing::files_below(std::filesystem::read_symlink(directory))) {
    names += name + " ";
  }
  synced_listings().push_back(names);
  return 0;
}

namespace foothold::simulation {
namespace {

namespace fs = std::filesystem;
using testing::small_sweep;
using testing::TemporaryDirectory;

RunResult run_of(const BatchPlan& plan) {
  RunResult run{};
  run.trace_regret.resize(plan.points.front().outline.trace_rounds.size());
  run.trace_violations.resize(run.trace_regret.size());
  return run;
}

TEST(Durability, AJournalSyncsItsPlanAndThenWhatIsNew) {
  const TemporaryDirectory directory;
  const BatchPlan plan = plan_of(small_sweep(), {});
  const fs::path file = directory / "journal";
  synced_sizes().clear();
  Journal journal = Journal::resume(file, plan, Journal::Start::GoOn, {});
  EXPECT_EQ(synced_sizes(), std::vector<std::uint64_t>{fs::file_size(file)});
  journal.sync();
  EXPECT_EQ(synced_sizes().size(), 1U);
  journal.append(3, run_of(plan));
  journal.append(4, run_of(plan));
  journal.sync();
  journal.sync();
  ASSERT_EQ(synced_sizes().size(), 2U);
  EXPECT_EQ(synced_sizes()[1], fs::file_size(file));
}

// A power cut may leave the new size of a file without its new bytes: then they read as zeros.
TEST(Durability, ATailOfZerosIsDropped) {
  const TemporaryDirectory directory;
  const BatchPlan plan = plan_of(small_sweep(), {});
  const fs::path file = directory / "journal";
  {
    Journal journal = Journal::resume(file, plan, Journal::Start::GoOn, {});
    journal.append(3, run_of(plan));
  }
  fs::resize_file(file, fs::file_size(file) + 4096);
  std::vector<std::uint64_t> items;
  static_cast<void>(Journal::resume(
      file, plan, Journal::Start::GoOn,
      [&](const RunRecord& record, std::uint64_t) { items.push_back(record.item); }));
  EXPECT_EQ(items, std::vector<std::uint64_t>{3});
}

TEST(Durability, AShardIsOnTheDiskAtTheEnd) {
  const TemporaryDirectory directory;
  synced_sizes().clear();
  const BatchResult batch = run_batch(
      small_sweep(), {.directory = directory / "out", .shard = {.number = 1, .count = 2}});
  EXPECT_EQ(batch.runs_done, 10);
  EXPECT_EQ(synced_sizes().back(), fs::file_size(directory / "out" / kJournalName));
}

TEST(Durability, TheJournalGoesAfterTheResultsAreOnTheDisk) {
  const TemporaryDirectory directory;
  synced_listings().clear();
  static_cast<void>(run_batch(small_sweep(), {.directory = directory / "out"}));
  ASSERT_EQ(synced_listings().size(), 1U);
  for (const char* name : {"runs.journal ", "sweep.csv ", "noise_scale=0.2/trace.csv "}) {
    EXPECT_NE(synced_listings().front().find(name), std::string::npos) << name;
  }
  EXPECT_FALSE(fs::exists(directory / "out" / kJournalName));
}

}  // namespace
}  // namespace foothold::simulation
