#include "option_checks.hpp"

#include <optional>
#include <string>
#include <type_traits>

#include <fmt/core.h>

#include "foothold/base/error.hpp"
#include "foothold/policy/option_table.hpp"

namespace foothold::policy {
namespace {

template <typename Field>
inline constexpr bool kIsTable =
    std::is_same_v<Field, WarmupOptions> || std::is_same_v<Field, optimism::SearchLimits>;

bool uses(Users users, Algorithm algorithm) {
  return ((users >> static_cast<std::uint64_t>(algorithm)) & 1U) != 0U;
}

std::string names_of(Users users) {
  std::string names;
  for (const Algorithm algorithm : algorithms()) {
    if (uses(users, algorithm)) {
      names += fmt::format("{}'{}'", names.empty() ? "" : " or ", name(algorithm));
    }
  }
  return names;
}

// Compares a struct with its defaults, option by option.
template <typename Options>
void require_defaults_of_others(const Options& options, Algorithm algorithm,
                                const std::string& prefix) {
  const Options defaults{};
  visit_options(options, [&](const OptionRow& row, const auto& field) {
    using Field = std::decay_t<decltype(field)>;
    const std::string path = prefix + std::string(row.name);
    if constexpr (kIsTable<Field>) {
      require_defaults_of_others(field, algorithm, path + ".");
    } else {
      if (uses(row.users, algorithm)) {
        return;
      }
      visit_options(defaults, [&](const OptionRow& other, const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Field>) {
          if (other.name == row.name && !(value == field)) {
            throw Error(
                ErrorCode::InvalidArgument, path,
                fmt::format("must be left out unless the policy is {}; '{}' does not use it",
                            names_of(row.users), name(algorithm)));
          }
        }
      });
    }
  });
}

void add_field(double number, Hasher& hasher) {
  hasher.add(number);
}
void add_field(bool flag, Hasher& hasher) {
  hasher.add(static_cast<std::uint64_t>(flag ? 1 : 0));
}
template <typename Integer>
requires std::is_integral_v<Integer> || std::is_enum_v<Integer>
void add_field(Integer number, Hasher& hasher) {
  hasher.add(static_cast<std::uint64_t>(number));
}
template <typename Field>
void add_field(const std::optional<Field>& field, Hasher& hasher) {
  add_field(field.has_value(), hasher);
  if (field) {
    add_field(*field, hasher);
  }
}

template <typename Options>
void add_table(const Options& options, Hasher& hasher) {
  visit_options(options, [&hasher](const OptionRow& row, const auto& field) {
    hasher.add(row.name);
    if constexpr (kIsTable<std::decay_t<decltype(field)>>) {
      add_table(field, hasher);
    } else {
      add_field(field, hasher);
    }
  });
}

}  // namespace

void require_used(const PolicyOptions& options, Algorithm algorithm) {
  require_defaults_of_others(options, algorithm, "");
}

void add_options(const PolicyOptions& options, Hasher& hasher) {
  add_table(options, hasher);
}

}  // namespace foothold::policy
