#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace foothold::report {

/// Writes a file that appears whole, under its name, or not at all. Throws `Error{Unavailable,
/// "out"}`.
void write_whole_file(const std::filesystem::path& path, std::string_view content);

/// The whole file. Throws `Error{NotFound, "path"}` if it is no readable file and
/// `Error{InvalidArgument, "path"}` if it has more than `limit` bytes.
[[nodiscard]] std::string read_whole_file(const std::filesystem::path& path, std::size_t limit);

}  // namespace foothold::report
