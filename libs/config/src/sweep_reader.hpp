#pragma once

#include "foothold/config/sweep.hpp"

#include "document/value.hpp"

namespace foothold::config {

// The points of a document, without their hashes. Throws as the other readers do.
[[nodiscard]] Sweep read_sweep(const Node& root, const Origin& origin);

}  // namespace foothold::config
