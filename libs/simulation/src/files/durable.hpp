#pragma once

#include <filesystem>

namespace foothold::simulation {

/// Puts the names in a directory on the disk: a new file whose name is not there is lost with the
/// power, however well its bytes were synced. A file system that cannot is left alone.
void sync_directory(const std::filesystem::path& directory);

/// Puts all that was written to the file system of `directory` on the disk: one call for the files
/// of a whole sweep. Throws `Error{Unavailable}` if the disk fails.
void sync_file_system(const std::filesystem::path& directory);

}  // namespace foothold::simulation
