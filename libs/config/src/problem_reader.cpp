#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "document/table_reader.hpp"
#include "feature_files.hpp"
#include "readers.hpp"

namespace foothold::config {
namespace {

// The set itself checks what it is made of; its errors are about members of the table.
template <typename Set, typename... Parts>
geometry::DecisionSet make_set(const TableReader& table, Parts&&... parts) {
  return on_behalf_of(table.value(), [&] { return Set(std::forward<Parts>(parts)...); });
}

geometry::DecisionSet read_box(const TableReader& table) {
  static constexpr std::array<std::string_view, 3> kKeys = {"type", "lower", "upper"};
  table.allow(kKeys);
  Eigen::VectorXd lower = table.get("lower").vector();
  Eigen::VectorXd upper = table.get("upper").vector();
  return make_set<geometry::Box>(table, std::move(lower), std::move(upper));
}

geometry::DecisionSet read_ball(const TableReader& table) {
  static constexpr std::array<std::string_view, 3> kKeys = {"type", "dim", "radius"};
  table.allow(kKeys);
  const Eigen::Index dim = table.get("dim").integer(1, kMaxDim);
  const double radius = table.get("radius").number();
  return make_set<geometry::Ball>(table, dim, radius);
}

geometry::DecisionSet read_polytope(const TableReader& table) {
  static constexpr std::array<std::string_view, 3> kKeys = {"type", "normals", "offsets"};
  table.allow(kKeys);
  Eigen::MatrixXd normals = table.get("normals").matrix();
  Eigen::VectorXd offsets = table.get("offsets").vector();
  return make_set<geometry::Polytope>(table, std::move(normals), std::move(offsets));
}

geometry::DecisionSet read_features_file(const Value& file, const Value& table) {
  const std::string name = file.text();
  if (!file.origin().directory) {
    file.fail("must be written as inline features unless the configuration is itself a file");
  }
  return file.origin().files->arms(*file.origin().directory / name, file, table);
}

geometry::DecisionSet read_arms(const TableReader& table) {
  static constexpr std::array<std::string_view, 3> kKeys = {"type", "features", "features_file"};
  table.allow(kKeys);
  const std::optional<Value> file = table.find("features_file");
  if (!file) {
    return make_set<geometry::Arms>(table, table.get("features").matrix());
  }
  if (table.find("features")) {
    file->fail("must not be given together with features");
  }
  return read_features_file(*file, table.value());
}

geometry::DecisionSet read_contextual(const TableReader& table) {
  static constexpr std::array<std::string_view, 2> kKeys = {"type", "dim"};
  table.allow(kKeys);
  return make_set<geometry::ContextualArms>(table, table.get("dim").integer(1, kMaxDim));
}

using SetReader = geometry::DecisionSet (*)(const TableReader&);
constexpr std::array kSetReaders = {
    EnumName<SetReader>{read_box, "box"}, EnumName<SetReader>{read_ball, "ball"},
    EnumName<SetReader>{read_polytope, "polytope"}, EnumName<SetReader>{read_arms, "arms"},
    EnumName<SetReader>{read_contextual, "contextual"}};

static_assert(kSetReaders.size() == std::variant_size_v<geometry::DecisionSet>,
              "every decision set needs a reader");

geometry::DecisionSet read_decision_set(const Value& value) {
  const TableReader table(value);
  if (!table.find("type")) {
    // Perhaps it is there with a slip.
    static constexpr std::array<std::string_view, 9> kKeys = {
        "type",    "lower",   "upper",    "dim",          "radius",
        "normals", "offsets", "features", "features_file"};
    table.allow(kKeys);
  }
  const auto read = table.get("type").one_of(std::span<const EnumName<SetReader>>(kSetReaders));
  return read(table);
}

safety::SafetyConstraint read_constraint(const Value& value) {
  static constexpr std::array<std::string_view, 2> kKeys = {"matrix", "limit"};
  const TableReader table(value);
  table.allow(kKeys);
  return {.matrix = table.get("matrix").matrix(), .limit = table.get("limit").number()};
}

safety::Baseline read_baseline(const Value& value) {
  static constexpr std::array<std::string_view, 2> kKeys = {"action", "margin"};
  const TableReader table(value);
  table.allow(kKeys);
  return {.action = table.get("action").vector(), .margin = table.get("margin").number()};
}

estimation::Assumptions read_assumptions(const TableReader& table) {
  estimation::Assumptions assumptions;
  assumptions.noise_scale = table.get("noise_scale").number();
  assumptions.norm_bound = table.get("norm_bound").number();
  assumptions.action_bound = table.optional_number("action_bound");
  assumptions.ridge = table.optional_number("ridge");
  assumptions.failure_prob = table.number_or("failure_prob", assumptions.failure_prob);
  return assumptions;
}

}  // namespace

safety::Problem read_problem(const Value& value) {
  static constexpr std::array<std::string_view, 8> kKeys = {
      "decision_set", "noise_scale",  "norm_bound", "action_bound",
      "ridge",        "failure_prob", "baseline",   "constraints"};
  const TableReader table(value);
  table.allow(kKeys);
  safety::Problem problem{.decision_set = read_decision_set(table.get("decision_set")),
                          .assumptions = read_assumptions(table)};
  for (const Value& constraint : table.get("constraints").items()) {
    problem.constraints.push_back(read_constraint(constraint));
  }
  if (const std::optional<Value> baseline = table.find("baseline")) {
    problem.baseline = read_baseline(*baseline);
  }
  on_behalf_of(value, [&] { safety::validate(problem); });
  return problem;
}

}  // namespace foothold::config
