#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

#include "foothold/geometry/arms.hpp"

#include "document/value.hpp"

namespace foothold::config {

// The files of arms that one document names. Each is read once, and whoever names it again shares
// its table: the points of a sweep mostly have the same one.
class FeatureFiles {
 public:
  // The arms in a file named by `name`, the member of a `table`. All files of a document have at
  // most `kMaxFeatureBytes` together. Throws `Error{InvalidArgument}` about `name` if they have
  // more, or the file is not readable or not a matrix.
  [[nodiscard]] geometry::Arms arms(const std::filesystem::path& path, const Value& name,
                                    const Value& table);

 private:
  std::map<std::string, geometry::Arms> arms_;
  std::size_t bytes_ = 0;
};

inline constexpr std::size_t kMaxFeatureBytes = std::size_t{1} << 28U;

}  // namespace foothold::config
