#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "foothold/base/check.hpp"

#include "document/table_reader.hpp"
#include "family_types.hpp"
#include "readers.hpp"

namespace foothold::config {
namespace {

// A key that not every type of family has.
struct TypedKey {
  std::string_view key;
  bool (*applies)(FamilyType);
};

constexpr std::array kTypedKeys = {TypedKey{"arms", has_arms},
                                   TypedKey{"safe_arms", has_arms},
                                   TypedKey{"rows", has_rows},
                                   TypedKey{"gap", is_convex},
                                   TypedKey{"constraint_active", is_fixed},
                                   TypedKey{"min_gap", is_fixed}};

void refuse_keys_of_other_types(const TableReader& table, FamilyType type) {
  for (const TypedKey& typed : kTypedKeys) {
    const std::optional<Value> member = table.find(typed.key);
    if (member && !typed.applies(type)) {
      std::vector<std::string_view> types;
      for (const EnumName<FamilyType>& entry : kFamilyTypes) {
        if (typed.applies(entry.value)) {
          types.push_back(entry.name);
        }
      }
      member->fail(fmt::format("must be left out unless the type is {}", alternatives(types)));
    }
  }
  // A gap that is built in decides whether the constraint binds.
  for (const std::string_view key : {"constraint_active", "min_gap"}) {
    const std::optional<Value> member = table.find(key);
    if (member && table.find("gap")) {
      member->fail("must be left out if gap is given, which decides it");
    }
  }
}

// Every run draws matrices with dim² entries.
constexpr std::int64_t kMaxFamilyDim = 1000;

// Far above what rounding does to slacks in up to some hundred dimensions.
constexpr double kMinGap = 1e-9;

Eigen::Index index_or(const TableReader& table, std::string_view key, Eigen::Index fallback,
                      std::int64_t highest) {
  const std::optional<Value> member = table.find(key);
  return member ? member->integer(1, highest) : fallback;
}

std::optional<Eigen::Index> read_rows(const TableReader& table, Eigen::Index dim) {
  const std::optional<Value> rows = table.find("rows");
  return rows ? std::optional<Eigen::Index>(rows->integer(2 * dim, kMaxDim)) : std::nullopt;
}

void validate_family(const FamilyConfig& family) {
  check::non_negative(family.noise_scale, "noise_scale");
  check::positive(family.norm_bound, "norm_bound");
  check::open_unit_interval(family.failure_prob, "failure_prob");
  if (family.ridge) {
    check::positive(*family.ridge, "ridge");
  }
  if (family.min_gap) {
    check::positive(*family.min_gap, "min_gap");
  }
  if (family.gap && !(*family.gap == 0.0 || *family.gap >= kMinGap)) {
    throw Error(ErrorCode::InvalidArgument, "gap",
                fmt::format("must be 0 or at least {}, got {}", kMinGap, *family.gap));
  }
  // One gigabyte, and far beyond what a round could look at.
  constexpr Eigen::Index kMaxEntries = Eigen::Index{1} << 27U;
  const auto check_entries = [&](Eigen::Index rows, const char* field) {
    if (rows > kMaxEntries / family.dim) {
      throw Error(ErrorCode::InvalidArgument, field,
                  fmt::format("must be at most {}, {} numbers in {} dimensions, got {}",
                              kMaxEntries / family.dim, kMaxEntries, family.dim, rows));
    }
  };
  check_entries(family.arms, "arms");
  check_entries(family.rows.value_or(0), "rows");
  if (family.safe_arms > family.arms) {
    throw Error(ErrorCode::InvalidArgument, "safe_arms",
                fmt::format("must be at most {}, the number of arms, got {}", family.arms,
                            family.safe_arms));
  }
}

}  // namespace

FamilyConfig read_family(const Value& value) {
  static constexpr std::array<std::string_view, 13> kKeys = {
      "type", "dim",         "arms",       "safe_arms",    "rows",  "constraint_active", "min_gap",
      "gap",  "noise_scale", "norm_bound", "failure_prob", "ridge", "feedback"};
  const TableReader table(value);
  table.allow(kKeys);
  const FamilyType type =
      table.get("type").one_of(std::span<const EnumName<FamilyType>>(kFamilyTypes));
  refuse_keys_of_other_types(table, type);
  const FamilyConfig defaults;
  FamilyConfig family{.type = table.get("type").text(),
                      .dim = index_or(table, "dim", defaults.dim, kMaxFamilyDim),
                      .arms = index_or(table, "arms", defaults.arms, kMaxDim),
                      .constraint_active = table.boolean_or("constraint_active", false),
                      .min_gap = table.optional_number("min_gap"),
                      .gap = table.optional_number("gap"),
                      .noise_scale = table.number_or("noise_scale", defaults.noise_scale),
                      .norm_bound = table.number_or("norm_bound", defaults.norm_bound),
                      .failure_prob = table.number_or("failure_prob", defaults.failure_prob),
                      .ridge = table.optional_number("ridge"),
                      .feedback = read_optional_feedback(table)};
  family.safe_arms = index_or(table, "safe_arms", defaults.safe_arms, kMaxDim);
  family.rows = read_rows(table, family.dim);
  on_behalf_of(value, [&] { validate_family(family); });
  return family;
}

}  // namespace foothold::config
