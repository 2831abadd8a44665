#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <Eigen/Core>

#include "document/value.hpp"

namespace foothold::config {

// One row per line, numbers separated by commas, no header; spaces around numbers, an empty last
// line and CRLF are allowed. Throws `Error{InvalidArgument, field}` with the line in `source` if
// there is no row, rows differ in size, or a cell is not a finite number.
[[nodiscard]] Eigen::MatrixXd parse_csv_matrix(std::string_view text, const std::string& source,
                                               const std::string& field);

struct CsvFile {
  Eigen::MatrixXd matrix{};
  std::size_t bytes = 0;  // of its text
};

// The file that `value` names. Throws also `Error{InvalidArgument}` at the value if it cannot be
// read or has more than `limit` bytes.
[[nodiscard]] CsvFile read_csv_matrix(const std::filesystem::path& path, const Value& value,
                                      std::size_t limit);

}  // namespace foothold::config
