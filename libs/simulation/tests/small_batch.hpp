#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

#include <unistd.h>

#include "foothold/config/sweep.hpp"
#include "foothold/simulation/batch/batch.hpp"

#include "batch/batch_plan.hpp"
#include "batch/journal.hpp"

namespace foothold::simulation::testing {

/// A directory that is removed with everything in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "foothold-batch-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw std::runtime_error("no temporary directory");
    }
    path_ = pattern;
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  TemporaryDirectory(TemporaryDirectory&&) = delete;
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// All files below a directory with their bytes, but for the times.
inline std::map<std::string, std::string> files_below(const std::filesystem::path& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file() && entry.path().filename() != "timing.json") {
      files[std::filesystem::relative(entry.path(), directory).string()] = slurp(entry.path());
    }
  }
  return files;
}

/// Two points of two policies and five runs each.
inline config::Sweep small_sweep(const std::string& more = "") {
  return config::parse_sweep_toml(R"(name = "small"
horizon = 40
runs = 5
seed = 11
)" + more + R"(
[family]
type = "k-armed"
dim = 2
[[policies]]
name = "safe"
algorithm = "safe-lucb"
[[policies]]
name = "ours"
[sweep]
"family.noise_scale" = [0.1, 0.2]
)",
                                  "small.toml");
}

/// Leaves in a directory what a run of `sweep` leaves that was stopped halfway: a journal of the
/// runs of one of two shards, and a record that was cut short. Returns how many they are.
inline std::int64_t leave_half(const config::Sweep& sweep, const std::filesystem::path& directory) {
  const TemporaryDirectory elsewhere;
  const BatchResult half =
      run_batch(sweep, {.directory = elsewhere / "half", .shard = {.number = 2, .count = 2}});
  std::filesystem::create_directories(directory);
  {
    Journal journal =
        Journal::resume(directory / kJournalName, plan_of(sweep, {}), Journal::Start::GoOn, {});
    const auto copy = [&](const RunRecord& record, std::uint64_t) {
      journal.append(record.item, record.run);
    };
    static_cast<void>(Journal::read(elsewhere / "half" / kJournalName).visit_records(copy));
  }
  std::ofstream(directory / kJournalName, std::ios::binary | std::ios::app) << "torn";
  return half.runs_done;
}

}  // namespace foothold::simulation::testing
