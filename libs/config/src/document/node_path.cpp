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

// An entry of an array, and what is left of the path behind its name or number.
struct Entry {
  std::size_t number = 0;
  std::string_view rest{};
};

// Names first: they may hold dots, and be numbers.
std::optional<Entry> entry_of(const Array& items, std::string_view path) {
  for (std::size_t k = 0; k < items.size(); ++k) {
    const std::string* name = name_of_entry(items[k]);
    if (name != nullptr && begins_with_step(path, *name)) {
      return Entry{.number = k, .rest = rest_after(path, name->size())};
    }
  }
  const std::string_view step = path.substr(0, path.find('.'));
  const std::optional<std::size_t> number = number_of(step);
  if (!number || *number >= items.size()) {
    return std::nullopt;
  }
  return Entry{.number = *number, .rest = rest_after(path, step.size())};
}

bool is_star(std::string_view path) {
  return begins_with_step(path, "*");
}

// How many nodes `path` leads to, those included that are not there yet.
std::size_t count_places(const Node& node, std::string_view path) {
  if (path.empty()) {
    return 1;
  }
  if (const auto* items = std::get_if<Array>(&node.value)) {
    const std::optional<Entry> entry = entry_of(*items, path);
    if (entry) {
      return count_places((*items)[entry->number], entry->rest);
    }
    std::size_t places = 0;
    for (std::size_t k = 0; is_star(path) && k < items->size(); ++k) {
      places += count_places((*items)[k], rest_after(path, 1));
    }
    return places;
  }
  const auto* table = std::get_if<Table>(&node.value);
  const std::string_view step = path.substr(0, path.find('.'));
  const Node* member = table == nullptr ? nullptr : find(*table, step);
  return member == nullptr ? 1 : count_places(*member, rest_after(path, step.size()));
}

// Walks one path of a sweep.
class PathSetter {
 public:
  PathSetter(const Node& value, const Value& key) : value_(value), key_(key) {}

  void set(Node& node, std::string_view path) const {
    if (path.empty()) {
      node = value_;
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
  void set_in_table(Table& table, std::string_view path) const {
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

  void set_in_array(Array& items, std::string_view path) const {
    if (const std::optional<Entry> entry = entry_of(items, path)) {
      set(items[entry->number], entry->rest);
      return;
    }
    if (!is_star(path)) {
      refuse_entry(items, path.substr(0, path.find('.')));
    }
    for (Node& item : items) {
      set(item, rest_after(path, 1));
    }
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
};

}  // namespace

void set_at_path(Node& root, std::string_view path, const Node& value, const Value& key,
                 ExpansionBudget& budget) {
  const std::size_t places = count_places(root, path);
  if (places > 1) {
    budget.charge(footprint(value), places - 1, key);
  }
  PathSetter(value, key).set(root, path);
}

}  // namespace foothold::config
