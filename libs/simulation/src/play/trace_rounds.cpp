#include "play/trace_rounds.hpp"

#include <algorithm>
#include <cmath>

namespace foothold::simulation {

std::vector<std::int64_t> log_spaced_rounds(std::int64_t horizon, int count) {
  std::vector<std::int64_t> rounds;
  rounds.reserve(static_cast<std::size_t>(count));
  const double log_horizon = std::log(static_cast<double>(horizon));
  for (int i = 0; i < count - 1; ++i) {
    const double exponent = static_cast<double>(i) / static_cast<double>(count - 1);
    const auto round = static_cast<std::int64_t>(std::llround(std::exp(log_horizon * exponent)));
    if (round < horizon && (rounds.empty() || round > rounds.back())) {
      rounds.push_back(round);
    }
  }
  rounds.push_back(horizon);
  return rounds;
}

std::vector<std::int64_t> traced_rounds(std::int64_t horizon) {
  constexpr int kTracePoints = 200;
  return log_spaced_rounds(horizon, kTracePoints);
}

}  // namespace foothold::simulation
