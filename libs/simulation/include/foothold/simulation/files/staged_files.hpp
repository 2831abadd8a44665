#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foothold::simulation {

/// Files under temporary names beside their own, which they get all together at the end. Those that
/// did not get theirs are removed.
class StagedFiles {
 public:
  explicit StagedFiles(std::filesystem::path directory) : directory_(std::move(directory)) {}
  StagedFiles(const StagedFiles&) = delete;
  StagedFiles& operator=(const StagedFiles&) = delete;
  StagedFiles(StagedFiles&&) = delete;
  StagedFiles& operator=(StagedFiles&&) = delete;
  ~StagedFiles();

  /// A name that is written again gets the later content. Throws `Error{Unavailable, "out"}` if
  /// the file cannot be written.
  void write(const std::string& name, const std::function<void(std::ostream&)>& content);
  void write(const std::string& name, std::string_view content);

  /// Throws `Error{Unavailable, "out"}` if one cannot be renamed.
  void commit();

 private:
  struct Staged {
    std::filesystem::path temporary;
    std::filesystem::path final;
  };

  std::filesystem::path directory_;
  std::vector<Staged> files_;
};

}  // namespace foothold::simulation
