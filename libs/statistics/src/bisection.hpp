#pragma once

namespace foothold::statistics {

/// The root of an increasing function on [low, high], to the last bit.
template <typename Function>
double bisect(Function function, double low, double high) {
  constexpr int kMaxHalvings = 2000;  // A double has no more than that from 10³⁰⁸ to 10⁻³⁰⁸.
  for (int i = 0; i < kMaxHalvings; ++i) {
    const double middle = low + 0.5 * (high - low);
    if (middle <= low || middle >= high) {
      break;
    }
    (function(middle) < 0.0 ? low : high) = middle;
  }
  return high;
}

}  // namespace foothold::statistics
