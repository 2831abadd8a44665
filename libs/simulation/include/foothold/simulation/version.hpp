#pragma once

#include <string_view>

namespace foothold::simulation {

/// The version of Foothold that made a result, such as "0.1.0".
[[nodiscard]] std::string_view version();

}  // namespace foothold::simulation
