#include "sweep_reader.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "document/node_path.hpp"
#include "document/table_reader.hpp"
#include "expansion_budget.hpp"
#include "readers.hpp"

namespace foothold::config {
namespace {

// More points than this are a slip; each is a folder.
constexpr std::size_t kMaxPoints = 10'000;
// More lists than this are a slip: each of two values or more doubles the points.
constexpr std::size_t kMaxAxes = 100;
// Names of folders that every file system takes, with room for what is put behind.
constexpr std::size_t kMaxFolder = 200;
constexpr std::size_t kMaxLabel = 40;

// One list of the grid.
struct Axis {
  std::string path{};
  Value list;
  std::vector<Value> values{};
  std::vector<std::string> labels{};  // of the values, for folders
};

// policies[0].ridge is policies.0.ridge: messages write the former.
std::string normalized(std::string_view path) {
  std::string dotted;
  for (const char letter : path) {
    if (letter == '[') {
      dotted += '.';
    } else if (letter != ']') {
      dotted += letter;
    }
  }
  return dotted;
}

// A value in one line, whatever it is.
std::string compact_text(const Node& node) {
  std::string text;
  if (const auto* items = std::get_if<Array>(&node.value)) {
    for (const Node& item : *items) {
      text += (text.empty() ? "" : ", ") + compact_text(item);
    }
    return "[" + text + "]";
  }
  if (const auto* table = std::get_if<Table>(&node.value)) {
    for (const Member& member : *table) {
      text +=
          fmt::format("{}{} = {}", text.empty() ? "" : ", ", member.key, compact_text(member.node));
    }
    return "{" + text + "}";
  }
  const auto* content = std::get_if<std::string>(&node.value);
  return content != nullptr ? '"' + *content + '"' : describe(node);
}

SweepValue value_of(const Node& node) {
  if (const auto* flag = std::get_if<bool>(&node.value)) {
    return *flag;
  }
  if (const auto* integer = std::get_if<std::int64_t>(&node.value)) {
    return *integer;
  }
  if (const auto* number = std::get_if<double>(&node.value)) {
    return *number;
  }
  if (const auto* text = std::get_if<std::string>(&node.value)) {
    return *text;
  }
  return compact_text(node);
}

std::string label_of(const Node& node) {
  const SweepValue value = value_of(node);
  std::string label =
      std::visit([](const auto& content) { return fmt::format("{}", content); }, value);
  for (char& letter : label) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
                          std::string_view("._+-").find(letter) != std::string_view::npos;
    letter = is_plain ? letter : '-';
  }
  return label;
}

// Readable where the values allow it, numbers in the list otherwise.
std::vector<std::string> labels_of(const std::vector<Value>& values) {
  std::vector<std::string> labels;
  labels.reserve(values.size());
  bool is_readable = true;
  for (const Value& value : values) {
    labels.push_back(label_of(value.node()));
    is_readable = is_readable && labels.back().size() <= kMaxLabel;
  }
  is_readable = is_readable && std::set(labels.begin(), labels.end()).size() == labels.size();
  for (std::size_t k = 0; !is_readable && k < labels.size(); ++k) {
    labels[k] = fmt::format("value-{}", k);
  }
  return labels;
}

void check_distinct(const std::vector<Value>& values) {
  std::set<std::string> seen;
  for (const Value& value : values) {
    if (!seen.insert(compact_text(value.node())).second) {
      value.fail("must not be in the list twice");
    }
  }
}

Axis read_axis(std::string path, const Value& list) {
  if (!std::holds_alternative<Array>(list.node().value)) {
    list.fail("must be a list of values");
  }
  std::vector<Value> values = list.items();
  if (values.empty()) {
    list.fail("must have at least one value");
  }
  check_distinct(values);
  std::vector<std::string> labels = labels_of(values);
  return {.path = std::move(path),
          .list = list,
          .values = std::move(values),
          .labels = std::move(labels)};
}

void check_path(const std::string& path, const Value& list) {
  if (path.empty() || path.starts_with('.') || path.ends_with('.')) {
    list.fail_at("", fmt::format("must be the dotted path of a key, got {}", quote(path)));
  }
  if (std::count(path.begin(), path.end(), '.') >= static_cast<std::ptrdiff_t>(kMaxDepth)) {
    list.fail_at("",
                 fmt::format("must be a path of at most {} steps, got {}", kMaxDepth, quote(path)));
  }
}

// Lists under quoted paths, and under the tables that TOML makes of bare ones.
void collect_axes(const Value& table, const std::string& prefix, std::vector<Axis>& axes) {
  for (const Member& member : table.table()) {
    const std::string path = join_path(prefix, normalized(member.key));
    const Value value(member.node, join_path(table.path(), member.key), table.origin());
    if (std::holds_alternative<Table>(member.node.value)) {
      collect_axes(value, path, axes);
      continue;
    }
    const auto same =
        std::find_if(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.path == path; });
    if (same != axes.end()) {
      value.fail(
          fmt::format("must be swept once, but {} leads to the same key", same->list.path()));
    }
    check_path(path, value);
    if (axes.size() == kMaxAxes) {
      value.fail_at(
          "", fmt::format("must be one of at most {} lists of a sweep, got another", kMaxAxes));
    }
    axes.push_back(read_axis(path, value));
  }
}

// In the order of the file, which the table in memory need not have.
std::vector<Axis> read_axes(const Value& sweep) {
  std::vector<Axis> axes;
  collect_axes(sweep, "", axes);
  if (axes.empty()) {
    sweep.fail("must have at least one list");
  }
  std::stable_sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) {
    return a.list.node().line < b.list.node().line;
  });
  return axes;
}

std::size_t count_points(const Value& sweep, const std::vector<Axis>& axes) {
  std::size_t points = 1;
  for (const Axis& axis : axes) {
    // Both factors are below 2³²: at most kMaxPoints, and the values of a text of limited size.
    points *= axis.values.size();
    if (points > kMaxPoints) {
      sweep.fail_at(
          "", fmt::format("must have at most {} points, got {} or more with the {} values of {}",
                          kMaxPoints, points, axis.values.size(), quote(axis.path)));
    }
  }
  return points;
}

// The last step of each path, or all of it where two paths end alike.
std::vector<std::string> folder_keys(const std::vector<Axis>& axes) {
  std::vector<std::string> keys;
  keys.reserve(axes.size());
  for (const Axis& axis : axes) {
    keys.push_back(axis.path.substr(axis.path.rfind('.') + 1));
  }
  const bool is_unique = std::set(keys.begin(), keys.end()).size() == keys.size();
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const Node key(Node::Content(is_unique ? keys[k] : axes[k].path));
    keys[k] = label_of(key);
  }
  return keys;
}

class Grid {
 public:
  // The axes borrow what `sweep` is part of; the points are made from `root`, a copy of that.
  Grid(Node root, const Value& sweep, const Origin& origin)
      : origin_(origin),
        sweep_(sweep),
        axes_(read_axes(sweep)),
        keys_(folder_keys(axes_)),
        size_(count_points(sweep, axes_)),
        base_(std::move(root)) {
    auto& members = std::get<Table>(base_.value);
    std::erase_if(members, [](const Member& member) { return member.key == "sweep"; });
    charge_points(sweep);
  }

  [[nodiscard]] Sweep expand() {
    Sweep expanded;
    for (const Axis& axis : axes_) {
      expanded.axes.push_back(axis.path);
    }
    for (std::size_t number = 0; number < size_; ++number) {
      expanded.points.push_back(point(number));
    }
    return expanded;
  }

 private:
  // What all points take, before one is made; what `*` adds is charged where it is.
  void charge_points(const Value& sweep) {
    budget_.charge(sizeof(SweepPoint) + footprint(base_), size_, sweep);
    for (const Axis& axis : axes_) {
      budget_.charge(sizeof(SweepSetting) + axis.path.size(), size_, axis.list);
      for (const Value& value : axis.values) {
        // Once in the configuration and once, as text, in the settings.
        budget_.charge(2 * footprint(value.node()), size_ / axis.values.size(), axis.list);
      }
    }
  }

  // Each point has at most kMaxPlays, hence no overflow.
  void count_plays(const ExperimentConfig& experiment) {
    plays_ += experiment.runs * static_cast<std::int64_t>(experiment.policies.size());
    if (plays_ > kMaxPlays) {
      sweep_.fail_at(
          "", fmt::format("must have at most {} runs of all policies in all points, got {} or more",
                          kMaxPlays, plays_));
    }
  }

  [[nodiscard]] SweepPoint point(std::size_t number) {
    SweepPoint point;
    Node root = base_;
    std::size_t block = size_;
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      const Axis& axis = axes_[k];
      block /= axis.values.size();
      const std::size_t choice = number / block % axis.values.size();
      const Node& value = axis.values[choice].node();
      set_at_path(root, axis.path, value, axis.list, budget_);
      point.settings.push_back({.path = axis.path, .value = value_of(value)});
      point.folder += fmt::format("{}{}={}", k == 0 ? "" : ",", keys_[k], axis.labels[choice]);
    }
    if (point.folder.size() > kMaxFolder) {
      point.folder = fmt::format("point-{:04}", number);
    }
    point.experiment = read_experiment(root, origin_);
    count_plays(point.experiment);
    return point;
  }

  const Origin& origin_;
  Value sweep_;
  std::vector<Axis> axes_;
  std::vector<std::string> keys_;
  std::size_t size_;
  Node base_;  // without the sweep
  ExpansionBudget budget_;
  std::int64_t plays_ = 0;
};

}  // namespace

Sweep read_sweep(const Node& root, const Origin& origin) {
  const TableReader table(Value(root, "", origin));
  const std::optional<Value> sweep = table.find("sweep");
  if (!sweep) {
    return {.points = {{.experiment = read_experiment(root, origin)}}};
  }
  static_cast<void>(sweep->table());
  return Grid(root, *sweep, origin).expand();
}

}  // namespace foothold::config
