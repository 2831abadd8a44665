#include "foothold/simulation/files/staged_files.hpp"

#include <algorithm>
#include <fstream>
#include <ostream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "foothold/base/error.hpp"

namespace foothold::simulation {

StagedFiles::~StagedFiles() {
  for (const Staged& file : files_) {
    std::error_code ignored;
    std::filesystem::remove(file.temporary, ignored);  // Gone already if it was renamed.
  }
}

void StagedFiles::write(const std::string& name,
                        const std::function<void(std::ostream&)>& content) {
  const std::filesystem::path temporary = directory_ / fmt::format(".{}.{}.tmp", name, ::getpid());
  const auto is_same = [&](const Staged& file) { return file.temporary == temporary; };
  if (std::ranges::none_of(files_, is_same)) {
    files_.push_back({.temporary = temporary, .final = directory_ / name});
  }
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  content(out);
  out.close();
  if (!out) {
    throw Error(
        ErrorCode::Unavailable, "out",
        fmt::format("must be a directory that can be written, but {} cannot", temporary.string()));
  }
}

void StagedFiles::write(const std::string& name, std::string_view content) {
  write(name, [content](std::ostream& out) {
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
  });
}

void StagedFiles::commit() {
  for (const Staged& file : files_) {
    std::error_code error;
    std::filesystem::rename(file.temporary, file.final, error);
    if (error) {
      throw Error(ErrorCode::Unavailable, "out",
                  fmt::format("must take {}, but: {}", file.final.string(), error.message()));
    }
  }
}

}  // namespace foothold::simulation
