#pragma once

#include <string>

#include "document/document.hpp"

namespace foothold::config {

// Text that parses back to the same document; `root` is a table. Numbers keep every bit. Members
// keep their order, except that TOML wants the subtables of a table after its other members.
[[nodiscard]] std::string print_toml(const Node& root);
[[nodiscard]] std::string print_json(const Node& root);

}  // namespace foothold::config
