#include "document/value.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace foothold::config {
namespace {

// Levenshtein distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, diagonal + 1, row[j] + 1});
    }
  }
  return row[b.size()];
}

// The part of an error's text after its field.
std::string message_of(const Error& error) {
  const std::string text = error.what();
  return error.field().empty() ? text : text.substr(error.field().size() + 2);
}

}  // namespace

void Value::fail(std::string_view requirement) const {
  fail_at("", fmt::format("{}, got {}", requirement, describe(*node_)));
}

void Value::fail_at(std::string_view field, std::string_view message) const {
  const std::size_t line = std::max<std::size_t>(locate(*node_, field).node.line, 1);
  throw Error(ErrorCode::InvalidArgument, join_path(path_, field),
              fmt::format("{} ({}:{})", message, origin_->source, line));
}

void Value::rethrow(const Error& error) const {
  if (error.code() != ErrorCode::InvalidArgument) {
    throw error;
  }
  std::string message = message_of(error);
  if (message.find("got ") == std::string::npos) {
    const Location place = locate(*node_, error.field());
    message += ", got " + (place.is_there ? describe(place.node) : "nothing");
  }
  fail_at(error.field(), message);
}

bool Value::boolean() const {
  const auto* flag = std::get_if<bool>(&node_->value);
  if (flag == nullptr) {
    fail("must be true or false");
  }
  return *flag;
}

std::string Value::text() const {
  const auto* text = std::get_if<std::string>(&node_->value);
  if (text == nullptr) {
    fail("must be a string");
  }
  if (text->empty()) {
    fail("must not be empty");
  }
  return *text;
}

double Value::number() const {
  if (const auto* integer = std::get_if<std::int64_t>(&node_->value)) {
    // Up to 2⁵³ every integer is a double.
    constexpr std::int64_t kLargestExact = std::int64_t{1} << 53U;
    if (*integer > kLargestExact || *integer < -kLargestExact) {
      fail("must be an integer of at most 53 bits, or be written as a float");
    }
    return static_cast<double>(*integer);
  }
  const auto* number = std::get_if<double>(&node_->value);
  if (number == nullptr) {
    fail("must be a number");
  }
  if (!std::isfinite(*number)) {
    fail("must be finite");
  }
  return *number;
}

std::int64_t Value::integer(std::int64_t low, std::int64_t high) const {
  const auto* integer = std::get_if<std::int64_t>(&node_->value);
  if (integer == nullptr || *integer < low || *integer > high) {
    fail(fmt::format("must be an integer from {} to {}", low, high));
  }
  return *integer;
}

std::vector<Value> Value::items() const {
  const auto* items = std::get_if<Array>(&node_->value);
  if (items == nullptr) {
    fail("must be an array");
  }
  std::vector<Value> values;
  values.reserve(items->size());
  for (std::size_t k = 0; k < items->size(); ++k) {
    values.emplace_back((*items)[k], fmt::format("{}[{}]", path_, k), *origin_);
  }
  return values;
}

Eigen::VectorXd Value::vector() const {
  const auto* items = std::get_if<Array>(&node_->value);
  if (items == nullptr) {
    fail("must be an array");
  }
  if (items->empty()) {
    fail("must have at least one number");
  }
  Eigen::VectorXd vector(static_cast<Eigen::Index>(items->size()));
  for (std::size_t k = 0; k < items->size(); ++k) {
    // Only what will fail needs a path; there may be millions of good ones.
    const auto* number = std::get_if<double>(&(*items)[k].value);
    const bool is_plain = number != nullptr && std::isfinite(*number);
    vector[static_cast<Eigen::Index>(k)] =
        is_plain ? *number : Value((*items)[k], fmt::format("{}[{}]", path_, k), *origin_).number();
  }
  return vector;
}

Eigen::MatrixXd Value::matrix() const {
  const std::vector<Value> rows = items();
  if (rows.empty()) {
    fail("must have at least one row");
  }
  const Eigen::VectorXd first = rows.front().vector();
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(rows.size()), first.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Eigen::VectorXd row = rows[k].vector();
    if (row.size() != first.size()) {
      rows[k].fail(fmt::format("must have {} numbers like the first row", first.size()));
    }
    matrix.row(static_cast<Eigen::Index>(k)) = row.transpose();
  }
  return matrix;
}

const Table& Value::table() const {
  const auto* table = std::get_if<Table>(&node_->value);
  if (table == nullptr) {
    fail("must be a table");
  }
  return *table;
}

std::size_t Value::index_in(std::span<const std::string_view> known,
                            std::span<const std::string_view> later) const {
  const auto* text = std::get_if<std::string>(&node_->value);
  const auto found = text == nullptr ? known.end() : std::find(known.begin(), known.end(), *text);
  if (found != known.end()) {
    return static_cast<std::size_t>(found - known.begin());
  }
  if (text != nullptr && std::find(later.begin(), later.end(), *text) != later.end()) {
    fail(fmt::format("is not available in this version, which has {}", alternatives(known)));
  }
  fail(fmt::format("must be {}", alternatives(known)));
}

std::string join_path(std::string_view path, std::string_view field) {
  const bool needs_dot = !path.empty() && !field.empty() && !field.starts_with('[');
  return fmt::format("{}{}{}", path, needs_dot ? "." : "", field);
}

std::string alternatives(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const bool is_last = k + 1 == names.size();
    const std::string_view separator = k == 0 ? "" : (is_last ? " or " : ", ");
    text += fmt::format("{}\"{}\"", separator, names[k]);
  }
  return text;
}

std::optional<std::string_view> nearest(std::string_view typed,
                                        std::span<const std::string_view> names) {
  // A name is a slip of another if at most a third of it changed, and never more than three
  // letters.
  constexpr std::size_t kMostEdits = 3;
  // Keys of the schema are shorter than this; the distance to a longer one costs for nothing.
  constexpr std::size_t kLongest = 40;
  if (typed.size() > kLongest) {
    return std::nullopt;
  }
  std::optional<std::string_view> best;
  std::size_t best_distance = std::min(kMostEdits, (typed.size() + 2) / 3) + 1;
  for (const std::string_view name : names) {
    const std::size_t distance = edit_distance(typed, name);
    if (distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace foothold::config
