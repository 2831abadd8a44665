#pragma once

#include <string_view>

namespace foothold::simulation {

/// The version of Foothold that made a result, such as "0.2.0".
[[nodiscard]] std::string_view version();

/// The commit that was built, as `git describe --always --dirty` names it; empty if it was built
/// from elsewhere than a repository. For reports only: results do not depend on it.
[[nodiscard]] std::string_view commit();

}  // namespace foothold::simulation
