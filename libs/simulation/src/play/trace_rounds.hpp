#pragma once

#include <cstdint>
#include <vector>

namespace foothold::simulation {

/// At most `count` rounds from 1 to `horizon`, both included, spaced evenly on a logarithmic scale
/// and strictly increasing. Requires horizon ≥ 1 and count ≥ 2.
[[nodiscard]] std::vector<std::int64_t> log_spaced_rounds(std::int64_t horizon, int count);

/// The rounds that traces of experiments hold: about 200.
[[nodiscard]] std::vector<std::int64_t> traced_rounds(std::int64_t horizon);

}  // namespace foothold::simulation
