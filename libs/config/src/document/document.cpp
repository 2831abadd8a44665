#include "document/document.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "foothold/base/error.hpp"

namespace foothold::config {
namespace {

constexpr std::size_t kMaxDescription = 60;

bool is_continuation_byte(char letter) {
  return (static_cast<unsigned char>(letter) & 0xC0U) == 0x80U;
}

std::string describe_items(const Array& items) {
  std::string text = "[";
  for (const Node& item : items) {
    if (text.size() > kMaxDescription) {
      return fmt::format("an array of {}", items.size());
    }
    text += (text.size() > 1 ? ", " : "") + describe(item);
  }
  return text + "]";
}

struct Describe {
  std::string operator()(std::monostate /*null*/) const { return "null"; }
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
  std::string operator()(double number) const { return fmt::format("{}", number); }
  std::string operator()(const std::string& text) const { return quote(text); }
  std::string operator()(const Foreign& foreign) const { return foreign.kind; }
  std::string operator()(const Array& items) const { return describe_items(items); }
  std::string operator()(const Table& table) const {
    return fmt::format("a table of {}", table.size());
  }
};

// One step of a path: the child named by its beginning, and what is left of the path.
struct Step {
  const Node* child = nullptr;
  std::string_view rest{};
};

Step step_into_array(const Node& node, std::string_view path) {
  const auto* items = std::get_if<Array>(&node.value);
  const std::size_t close = path.find(']');
  std::size_t index = 0;
  if (items == nullptr || close == std::string_view::npos ||
      std::from_chars(path.data() + 1, path.data() + close, index).ec != std::errc{} ||
      index >= items->size()) {
    return {};
  }
  return {.child = &(*items)[index], .rest = path.substr(close + 1)};
}

Step step_into_table(const Node& node, std::string_view path) {
  const auto* table = std::get_if<Table>(&node.value);
  if (table == nullptr) {
    return {};
  }
  const std::size_t end = std::min(path.find_first_of(".["), path.size());
  return {.child = find(*table, path.substr(0, end)), .rest = path.substr(end)};
}

}  // namespace

// Here and not in the class, where the members of a table are not complete yet.
Node::Node() = default;
Node::Node(Content content) : value(std::move(content)) {}
Node::Node(Content content, std::size_t from_line) : value(std::move(content)), line(from_line) {}

const Node* find(const Table& table, std::string_view key) {
  const auto member =
      std::find_if(table.begin(), table.end(), [key](const Member& m) { return m.key == key; });
  return member == table.end() ? nullptr : &member->node;
}

Location locate(const Node& node, std::string_view path) {
  if (path.starts_with('.')) {
    path.remove_prefix(1);
  }
  if (path.empty()) {
    return {.node = node, .is_there = true};
  }
  const Step step =
      path.starts_with('[') ? step_into_array(node, path) : step_into_table(node, path);
  return step.child == nullptr ? Location{.node = node} : locate(*step.child, step.rest);
}

std::string describe(const Node& node) {
  return std::visit(Describe{}, node.value);
}

std::string quote(std::string_view text, std::size_t limit) {
  std::size_t end = std::min(text.size(), limit);
  while (end > 0 && end < text.size() && is_continuation_byte(text[end])) {
    --end;  // never cut a character in half
  }
  std::string quoted = "\"";
  for (const char letter : text.substr(0, end)) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 0x20U || byte == 0x7FU) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += letter;
    }
  }
  return quoted + (end < text.size() ? "…\"" : "\"");
}

std::string plain(std::string_view bytes, std::size_t limit) {
  std::string shown;
  for (const char letter : bytes.substr(0, limit)) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool is_printable = byte >= 0x20U && byte < 0x7FU;
    shown += is_printable ? std::string(1, letter) : fmt::format("\\x{:02x}", byte);
  }
  return shown;
}

std::string float_text(double number) {
  std::string text = fmt::format("{}", number);
  const bool is_integral = text.find_first_not_of("-0123456789") == std::string::npos;
  return is_integral ? text + ".0" : text;
}

void fail_text(const std::string& source, std::size_t line, const std::string& requirement) {
  throw Error(ErrorCode::InvalidArgument, "", fmt::format("{} ({}:{})", requirement, source, line));
}

void check_text(std::string_view text, const std::string& source) {
  if (text.size() > kMaxTextSize) {
    fail_text(source, 1,
              fmt::format("must have at most {} bytes, got {}", kMaxTextSize, text.size()));
  }
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) {
    fail_text(source, 1, "must be UTF-8 without a byte order mark, got one");
  }
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos) {
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n');
    fail_text(source, static_cast<std::size_t>(line),
              fmt::format("must be text, got a NUL byte in {}", excerpt(text, nul)));
  }
}

std::string excerpt(std::string_view text, std::size_t offset) {
  constexpr std::size_t kBefore = 24;
  constexpr std::size_t kWidth = 48;
  offset = std::min(offset, text.size());
  while (offset == text.size() && text.ends_with('\n')) {  // at the end, show the last line
    text.remove_suffix(1);
    offset = text.size();
  }
  std::size_t begin = offset;
  while (begin > 0 && text[begin - 1] != '\n' && offset - begin < kBefore) {
    --begin;
  }
  std::string_view line = text.substr(begin, kWidth);
  line = line.substr(0, line.find('\n'));
  return fmt::format("\"{}\"", plain(line));
}

}  // namespace foothold::config
