#include "shortlist/arm_latitude.hpp"

#include <algorithm>

namespace foothold::arms {
namespace {

// Of the work of a sweep, what the rounds of a list may cost before it counts as too long, and what
// they should cost before it counts as too short.
constexpr double kMuch = 1.0;
constexpr double kLittle = 0.25;
constexpr int kLongestPause = 64;

}  // namespace

double ArmLatitude::next() {
  if (pause_ > 0) {
    --pause_;
    return 0.0;
  }
  return latitude_;
}

void ArmLatitude::pause() {
  pause_ = next_pause_;
  next_pause_ = std::min(2 * next_pause_, kLongestPause);
}

void ArmLatitude::was_too_long() {
  if (latitude_ <= kLeast) {
    pause();
  }
  latitude_ = std::max(0.5 * latitude_, kLeast);
  patience_ = next_patience_;
  next_patience_ = std::min(2 * next_patience_, kLongestPause);
}

void ArmLatitude::has_expired(int rounds, double share) {
  const double work = share * rounds;
  if (work > kMuch) {
    latitude_ = std::max(0.5 * latitude_, kLeast);
  } else if (work < kLittle && patience_ == 0) {
    latitude_ = std::min(2.0 * latitude_, kLargest);
  }
  if (rounds < 2) {
    pause();
  } else {
    next_pause_ = 1;
  }
  patience_ = std::max(patience_ - 1, 0);
}

}  // namespace foothold::arms
