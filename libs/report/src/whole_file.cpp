#include "whole_file.hpp"

#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "foothold/base/error.hpp"

namespace foothold::report {

namespace fs = std::filesystem;

void write_whole_file(const fs::path& path, std::string_view content) {
  const fs::path temporary =
      path.parent_path() / fmt::format(".{}.{}.tmp", path.filename().string(), ::getpid());
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  std::error_code error;
  if (out) {
    fs::rename(temporary, path, error);
  }
  if (!out || error) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw Error(ErrorCode::Unavailable, "out",
                fmt::format("must be a directory that can be written, but {} cannot{}",
                            path.string(), error ? ": " + error.message() : ""));
  }
}

std::string read_whole_file(const fs::path& path, std::size_t limit) {
  std::error_code error;
  const bool is_file = fs::is_regular_file(path, error);
  std::ifstream in(path, std::ios::binary);
  if (!is_file || !in) {
    throw Error(ErrorCode::NotFound, "path",
                fmt::format("must be a file that can be read, got {}", path.string()));
  }
  const std::uintmax_t size = fs::file_size(path, error);
  std::string text;
  if (!error && size <= limit) {
    text.resize(size);
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
  } else {
    throw Error(ErrorCode::InvalidArgument, "path",
                fmt::format("must have at most {} bytes, got more in {}", limit, path.string()));
  }
  return text;
}

}  // namespace foothold::report
