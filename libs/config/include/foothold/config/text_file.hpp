#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace foothold::config {

/// The whole file, text or not. Throws `Error{NotFound, "path"}` if it is no readable file and
/// `Error{InvalidArgument, "path"}` if it has more than `limit` bytes.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& path, std::size_t limit);

}  // namespace foothold::config
