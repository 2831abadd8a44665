#pragma once

#include <filesystem>
#include <string>

namespace foothold::config {

// The whole file. Throws `Error{NotFound, "path"}` if it is no readable file and
// `Error{InvalidArgument, "path"}` if it is larger than a document may be.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& path);

}  // namespace foothold::config
