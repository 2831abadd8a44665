#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "foothold/base/error.hpp"

#include "document/document.hpp"

namespace foothold::config {
namespace {

// Reads characters and leaves behind how far it got, which is how the handler below knows the
// line: nlohmann's SAX interface does not tell it.
class TrackingIterator {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the names that std::iterator_traits asks for
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  // NOLINTEND(readability-identifier-naming)

  TrackingIterator(const char* position, const char** reached)
      : position_(position), reached_(reached) {}

  reference operator*() const { return *position_; }
  TrackingIterator& operator++() {
    ++position_;
    *reached_ = position_;
    return *this;
  }
  TrackingIterator operator++(int) {
    TrackingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const TrackingIterator& a, const TrackingIterator& b) {
    return a.position_ == b.position_;
  }
  friend bool operator!=(const TrackingIterator& a, const TrackingIterator& b) { return !(a == b); }

 private:
  const char* position_;
  const char** reached_;
};

// Builds the tree, and refuses what nlohmann takes: repeated keys, integers beyond 64 bits (which
// it turns into floats) and any depth.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, const std::string& source)
      : text_(text), source_(source), reached_(text.data()), counted_(text.data()) {}

  [[nodiscard]] const char** reached() { return &reached_; }
  [[nodiscard]] Node take() { return std::move(root_); }

  bool null() override { return add({std::monostate{}, line()}); }
  bool boolean(bool flag) override { return add({flag, line()}); }
  bool number_integer(number_integer_t number) override {
    return add({std::int64_t{number}, line_of_number()});
  }
  bool number_unsigned(number_unsigned_t number) override {
    if (!std::in_range<std::int64_t>(number)) {
      fail_range(fmt::format("{}", number));
    }
    return add({static_cast<std::int64_t>(number), line_of_number()});
  }
  bool number_float(number_float_t number, const string_t& text) override {
    if (text.find_first_of(".eE") == std::string::npos) {
      fail_range(text);
    }
    return add({number, line_of_number()});
  }
  bool string(string_t& text) override { return add({std::move(text), line()}); }
  bool binary(binary_t& /*bytes*/) override { return false; }  // not a part of JSON text

  bool start_object(std::size_t /*size*/) override { return open({Table{}, line()}); }
  bool start_array(std::size_t /*size*/) override { return open({Array{}, line()}); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Frame& frame = open_.back();
    if (!frame.keys.insert(name).second) {
      fail_text(source_, line(),
                fmt::format("must have every key once, got {} twice", quote(name)));
    }
    frame.key = name;
    frame.key_line = line();
    return true;
  }

  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::json::exception& error) override {
    std::string reason = error.what();
    reason.erase(0, reason.find("] ") == std::string::npos ? 0 : reason.find("] ") + 2);
    const auto offset = static_cast<std::size_t>(reached_ - text_.data());
    fail_text(source_, line(),
              fmt::format("must be JSON: {}, got {}", plain(reason),
                          excerpt(text_, offset == 0 ? 0 : offset - 1)));
  }

 private:
  // An object or array whose end has not come yet.
  struct Frame {
    Node node{};
    std::string key{};
    std::size_t key_line = 0;
    std::set<std::string> keys{};
  };

  [[noreturn]] void fail_range(const std::string& number) {
    fail_text(
        source_, line_of_number(),
        fmt::format("must have integers of at most 64 bits with sign, got {}", plain(number)));
  }

  // The line of the last character read.
  std::size_t line() { return line_at(reached_); }

  // The parser reads one character past a number, which may be the end of the line.
  std::size_t line_of_number() {
    const bool is_past = reached_ > text_.data() && *(reached_ - 1) == '\n';
    return line_at(is_past ? reached_ - 1 : reached_);
  }

  std::size_t line_at(const char* position) {
    if (position > counted_) {
      line_ += static_cast<std::size_t>(std::count(counted_, position, '\n'));
      counted_ = position;
    }
    return line_;
  }

  bool open(Node node) {
    if (open_.size() >= kMaxDepth) {
      fail_text(source_, node.line, fmt::format("must nest at most {} deep, got more", kMaxDepth));
    }
    open_.push_back({.node = std::move(node)});
    return true;
  }

  bool close() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    return add(std::move(node));
  }

  bool add(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return true;
    }
    Frame& frame = open_.back();
    if (auto* items = std::get_if<Array>(&frame.node.value)) {
      items->push_back(std::move(node));
    } else {
      std::get<Table>(frame.node.value)
          .push_back(
              {.key = std::move(frame.key), .node = std::move(node), .line = frame.key_line});
    }
    return true;
  }

  std::string_view text_;
  const std::string& source_;
  const char* reached_;
  const char* counted_;  // up to here line_ has counted
  std::size_t line_ = 1;
  std::vector<Frame> open_;
  Node root_;
};

}  // namespace

Node parse_json(std::string_view text, const std::string& source) {
  check_text(text, source);
  Builder builder(text, source);
  const TrackingIterator begin(text.data(), builder.reached());
  const TrackingIterator end(text.data() + text.size(), builder.reached());
  if (!nlohmann::json::sax_parse(begin, end, &builder)) {
    fail_text(source, 1, "must be JSON");
  }
  return builder.take();
}

}  // namespace foothold::config
