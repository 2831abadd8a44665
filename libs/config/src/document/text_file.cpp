#include "foothold/config/text_file.hpp"

#include <fstream>

#include <fmt/format.h>

#include "foothold/base/error.hpp"

#include "document/document.hpp"

namespace foothold::config {

std::string read_text_file(const std::filesystem::path& path, std::size_t limit) {
  std::error_code ignored;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, ignored)) {
    throw Error(ErrorCode::NotFound, "path",
                fmt::format("must be a readable file, got {}", quote(path.string(), 4096)));
  }
  // The size is not asked for beforehand: a device or a pipe has none.
  std::string text;
  std::string block(std::size_t{1} << 16U, '\0');
  while (file && text.size() <= limit) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block, 0, static_cast<std::size_t>(file.gcount()));
  }
  if (text.size() > limit) {
    throw Error(ErrorCode::InvalidArgument, "path",
                fmt::format("must be a file of at most {} bytes, got {}", limit,
                            quote(path.string(), 4096)));
  }
  return text;
}

}  // namespace foothold::config
