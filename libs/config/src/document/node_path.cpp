#include "document/node_path.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace foothold::config {
namespace {

// What is left of a path after one of its steps.
std::string_view rest_after(std::string_view path, std::size_t step) {
  path.remove_prefix(std::min(step, path.size()));
  return path.starts_with('.') ? path.substr(1) : path;
}

bool begins_with_step(std::string_view path, std::string_view step) {
  return path.starts_with(step) && (path.size() == step.size() || path[step.size()] == '.');
}

const std::string* name_of_entry(const Node& entry) {
  const auto* table = std::get_if<Table>(&entry.value);
  const Node* name = table == nullptr ? nullptr : find(*table, "name");
  return name == nullptr ? nullptr : std::get_if<std::string>(&name->value);
}

std::optional<std::size_t> number_of(std::string_view step) {
  std::size_t number = 0;
  const char* end = step.data() + step.size();
  const auto [stop, error] = std::from_chars(step.data(), end, number);
  return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

// Walks one path of a sweep.
class PathSetter {
 public:
  PathSetter(const Node& value, const Value& key, ExpansionBudget& budget)
      : value_(value), key_(key), budget_(budget) {}

  void set(Node& node, std::string_view path) {
    if (path.empty()) {
      copy_to(node);
    } else if (auto* items = std::get_if<Array>(&node.value)) {
      set_in_array(*items, path);
    } else if (auto* table = std::get_if<Table>(&node.value)) {
      set_in_table(*table, path);
    } else {
      key_.fail_at("", fmt::format("must lead to a key, but what comes before {} is {}",
                                   quote(path), describe(node)));
    }
  }

 private:
  void copy_to(Node& node) {
    if (has_copied_) {
      budget_.charge(footprint(value_), 1, key_);
    }
    has_copied_ = true;
    node = value_;
  }

  void set_in_table(Table& table, std::string_view path) {
    const std::string_view step = path.substr(0, path.find('.'));
    auto member =
        std::find_if(table.begin(), table.end(), [step](const Member& m) { return m.key == step; });
    if (member == table.end()) {
      const std::size_t line = key_.node().line;
      table.push_back({.key = std::string(step), .node = Node(Table{}, line), .line = line});
      member = std::prev(table.end());
    }
    set(member->node, rest_after(path, step.size()));
  }

  void set_in_array(Array& items, std::string_view path) {
    // Names first: they may hold dots, and be numbers.
    for (Node& item : items) {
      const std::string* name = name_of_entry(item);
      if (name != nullptr && begins_with_step(path, *name)) {
        set(item, rest_after(path, name->size()));
        return;
      }
    }
    const std::string_view step = path.substr(0, path.find('.'));
    const std::string_view rest = rest_after(path, step.size());
    if (step == "*") {
      for (Node& item : items) {
        set(item, rest);
      }
      return;
    }
    const std::optional<std::size_t> number = number_of(step);
    if (!number || *number >= items.size()) {
      refuse_entry(items, step);
    }
    set(items[*number], rest);
  }

  [[noreturn]] void refuse_entry(const Array& items, std::string_view step) const {
    std::vector<std::string_view> names;
    for (const Node& item : items) {
      if (const std::string* name = name_of_entry(item)) {
        names.push_back(*name);
      }
    }
    const std::optional<std::string_view> near = nearest(step, names);
    key_.fail_at(
        "", fmt::format("must name an entry by its number below {}, by its name or by *"
                        "{}, got {}",
                        items.size(), near ? fmt::format(" (did you mean {}?)", quote(*near)) : "",
                        quote(step)));
  }

  const Node& value_;
  const Value& key_;
  ExpansionBudget& budget_;
  bool has_copied_ = false;
};

}  // namespace

void set_at_path(Node& root, std::string_view path, const Node& value, const Value& key,
                 ExpansionBudget& budget) {
  PathSetter(value, key, budget).set(root, path);
}

}  // namespace foothold::config
