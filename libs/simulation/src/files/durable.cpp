#include "files/durable.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "foothold/base/error.hpp"

namespace foothold::simulation {
namespace {

// A directory, open as long as it is needed.
class OpenDirectory {
 public:
  explicit OpenDirectory(const std::filesystem::path& directory)
      : descriptor_(::open(directory.empty() ? "." : directory.c_str(),
                           O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}
  OpenDirectory(const OpenDirectory&) = delete;
  OpenDirectory& operator=(const OpenDirectory&) = delete;
  OpenDirectory(OpenDirectory&&) = delete;
  OpenDirectory& operator=(OpenDirectory&&) = delete;
  ~OpenDirectory() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

void sync_directory(const std::filesystem::path& directory) {
  const OpenDirectory open(directory);
  if (open.descriptor() >= 0) {
    static_cast<void>(::fsync(open.descriptor()));
  }
}

void sync_file_system(const std::filesystem::path& directory) {
  const OpenDirectory open(directory);
  if (open.descriptor() >= 0 && ::syncfs(open.descriptor()) != 0 &&
      (errno == EIO || errno == ENOSPC || errno == EDQUOT)) {
    throw Error(ErrorCode::Unavailable, "out",
                fmt::format("must be on a disk that takes what is written, but syncing {} failed: "
                            "{}",
                            directory.string(), std::strerror(errno)));
  }
}

}  // namespace foothold::simulation
