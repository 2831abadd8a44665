#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "foothold/base/error.hpp"

#include "document/document.hpp"

namespace foothold::config {

class FeatureFiles;

// Where a document came from.
struct Origin {
  std::string source{};                              // for messages
  std::optional<std::filesystem::path> directory{};  // of a file on disk: files it names are there
  // What was read of those files, with `directory`. Shared by everything that is read from the
  // document.
  std::shared_ptr<FeatureFiles> files{};
};

// The text of an enumerator in a file.
template <typename Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};

// A node with its field path. Everything that reads it throws `Error{InvalidArgument, path}` with
// requirement, value, file and line if the node is not what is asked for. Borrows the node and
// the origin.
class Value {
 public:
  Value(const Node& node, std::string path, const Origin& origin)
      : node_(&node), path_(std::move(path)), origin_(&origin) {}

  [[nodiscard]] const Node& node() const noexcept { return *node_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const Origin& origin() const noexcept { return *origin_; }

  // "path: requirement, got value (file:line)".
  [[noreturn]] void fail(std::string_view requirement) const;
  // The same for a field below this one, at its line if it exists and at this one's otherwise.
  // `message` says itself what it got.
  [[noreturn]] void fail_at(std::string_view field, std::string_view message) const;
  // The same for an error of the library about this value.
  [[noreturn]] void rethrow(const Error& error) const;

  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::string text() const;  // not empty
  [[nodiscard]] double number() const;     // finite
  [[nodiscard]] std::int64_t integer(std::int64_t low, std::int64_t high) const;
  [[nodiscard]] Eigen::VectorXd vector() const;    // not empty
  [[nodiscard]] Eigen::MatrixXd matrix() const;    // not empty, rows of equal size
  [[nodiscard]] std::vector<Value> items() const;  // of an array
  [[nodiscard]] const Table& table() const;

  // One of `names`; `later` are known names that this version has no code for.
  template <typename Enum>
  [[nodiscard]] Enum one_of(std::span<const EnumName<Enum>> names,
                            std::span<const std::string_view> later = {}) const {
    std::vector<std::string_view> known;
    for (const EnumName<Enum>& entry : names) {
      known.push_back(entry.name);
    }
    return names[index_in(known, later)].value;
  }

 private:
  [[nodiscard]] std::size_t index_in(std::span<const std::string_view> known,
                                     std::span<const std::string_view> later) const;

  const Node* node_;
  std::string path_;
  const Origin* origin_;
};

// Runs code of the library on behalf of a value: its errors get the value's path, file and line.
template <typename Make>
auto on_behalf_of(const Value& value, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    value.rethrow(error);
  }
}

// path.field, or path[3] for a field that starts with a bracket.
[[nodiscard]] std::string join_path(std::string_view path, std::string_view field);

// `"a", "b" or "c"`
[[nodiscard]] std::string alternatives(std::span<const std::string_view> names);

// The name with the smallest edit distance to `typed`, if that is a likely slip.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view typed,
                                                      std::span<const std::string_view> names);

}  // namespace foothold::config
