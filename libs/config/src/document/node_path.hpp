#pragma once

#include <string_view>

#include "document/value.hpp"
#include "expansion_budget.hpp"

namespace foothold::config {

// Sets what the dotted `path` leads to in `root` to `value`, and makes the tables on the way that
// are not there: what they may hold is for the reader to say, at the line of `key`, the entry of
// the sweep that this is done for. Entries of arrays go by number or `name`, all of them by `*`.
// Throws if the path ends in something that has no members, or names no entry. The first copy of
// the value is paid for; further ones, which `*` asks for, are charged to `budget` before they are
// made.
void set_at_path(Node& root, std::string_view path, const Node& value, const Value& key,
                 ExpansionBudget& budget);

}  // namespace foothold::config
