#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <unistd.h>

namespace foothold::cli::testing {

/// A directory that is removed with everything in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "foothold-cli-XXXXXX").string();
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

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Writes a file and returns its path.
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

/// A small experiment on a box, of any length.
inline std::string box_experiment(const std::string& horizon, const std::string& runs) {
  return "name = \"box\"\nhorizon = " + horizon + "\nruns = " + runs + R"(
seed = 3
[problem]
decision_set = { type = "box", lower = [-1.0, -1.0], upper = [1.0, 1.0] }
noise_scale = 0.1
norm_bound = 1.0
[[problem.constraints]]
matrix = [[0.6, 1.8], [1.8, 0.4]]
limit = 0.9
[environment]
parameter = [0.9, 0.044]
noise = { type = "gaussian", scale = 0.1 }
[[policies]]
name = "safe"
algorithm = "safe-lucb"
[[policies]]
name = "gap"
algorithm = "safe-lucb"
warmup = { schedule = "gap" }
)";
}

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace foothold::cli::testing
