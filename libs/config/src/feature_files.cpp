#include "feature_files.hpp"

#include <utility>

#include "document/csv_matrix.hpp"

namespace foothold::config {

geometry::Arms FeatureFiles::arms(const std::filesystem::path& path, const Value& name,
                                  const Value& table) {
  const auto known = arms_.find(path.string());
  if (known != arms_.end()) {
    return known->second;
  }
  CsvFile file = read_csv_matrix(path, name, kMaxFeatureBytes - bytes_);
  geometry::Arms arms = on_behalf_of(table, [&] { return geometry::Arms(std::move(file.matrix)); });
  bytes_ += file.bytes;
  arms_.emplace(path.string(), arms);
  return arms;
}

}  // namespace foothold::config
