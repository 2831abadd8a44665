#include "document/csv_matrix.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "foothold/base/error.hpp"
#include "foothold/config/text_file.hpp"

#include "document/document.hpp"

namespace foothold::config {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

class CsvParser {
 public:
  CsvParser(const std::string& source, const std::string& field) : source_(source), field_(field) {}

  Eigen::MatrixXd parse(std::string_view text) {
    // As many cells as separators, so that the cells are never copied to a larger place.
    const auto count = [&](char separator) {
      return std::count(text.begin(), text.end(), separator);
    };
    cells_.reserve(static_cast<std::size_t>(count(',') + count('\n') + 1));
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      ++line_;
      add_row(text.substr(0, end), end == std::string_view::npos || end + 1 == text.size());
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    if (cols_ == 0) {
      fail("must have at least one row, got none");
    }
    const auto cols = static_cast<Eigen::Index>(cols_);
    const auto rows = static_cast<Eigen::Index>(cells_.size()) / cols;
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return Eigen::Map<const RowMajor>(cells_.data(), rows, cols);
  }

 private:
  void add_row(std::string_view row, bool is_last) {
    if (is_last && trimmed(row).empty()) {
      return;
    }
    std::size_t count = 0;
    for (std::size_t begin = 0; begin <= row.size(); ++count) {
      const std::size_t end = std::min(row.find(',', begin), row.size());
      cells_.push_back(number(trimmed(row.substr(begin, end - begin))));
      begin = end + 1;
    }
    cols_ = cols_ == 0 ? count : cols_;
    if (count != cols_) {
      fail(fmt::format("must have {} numbers like the first row, got {}", cols_, count));
    }
  }

  [[nodiscard]] double number(std::string_view cell) const {
    double value = 0.0;
    const auto [end, status] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (status != std::errc{} || end != cell.data() + cell.size() || !std::isfinite(value)) {
      fail(fmt::format("must have finite numbers only, got \"{}\"", plain(cell, 60)));
    }
    return value;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorCode::InvalidArgument, field_,
                fmt::format("{} ({}:{})", message, source_, std::max<std::size_t>(line_, 1)));
  }

  const std::string& source_;
  const std::string& field_;
  std::vector<double> cells_;
  std::size_t cols_ = 0;
  std::size_t line_ = 0;
};

}  // namespace

Eigen::MatrixXd parse_csv_matrix(std::string_view text, const std::string& source,
                                 const std::string& field) {
  return CsvParser(source, field).parse(text);
}

CsvFile read_csv_matrix(const std::filesystem::path& path, const Value& value, std::size_t limit) {
  std::string text;
  try {
    text = read_text_file(path, limit);
  } catch (const Error&) {
    value.fail(fmt::format("must name a readable file of at most {} bytes, which {} is not", limit,
                           quote(path.string(), 4096)));
  }
  return {.matrix = parse_csv_matrix(text, path.string(), value.path()), .bytes = text.size()};
}

}  // namespace foothold::config
