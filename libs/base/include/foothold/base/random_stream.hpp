#pragma once

#include <cstdint>

namespace foothold {

/// Reproducible random numbers: Philox4x32-10 [SMDS11] in counter mode.
///
/// Draw n is a pure function of (seed, stream, n) and each draw, of any kind,
/// advances n by one. Hence streams with different numbers are independent, and
/// work split over threads or machines draws the same numbers as one loop if
/// each piece of work has its own stream. A value: copying it forks a replay.
class RandomStream {
 public:
  /// `position` is the number of draws already taken, for a stream that goes on
  /// where a snapshot left it.
  RandomStream(std::uint64_t seed, std::uint64_t stream, std::uint64_t position = 0) noexcept
      : seed_(seed), stream_(stream), position_(position) {}

  /// Uniform on the multiples of 2⁻⁵³ in [0, 1).
  [[nodiscard]] double uniform();

  /// Standard normal, by the formula of Box and Muller.
  [[nodiscard]] double normal();

  /// Uniform on {0, …, count − 1}, for 1 ≤ count; exact to count/2⁶⁴.
  [[nodiscard]] std::uint64_t index(std::uint64_t count);

  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  [[nodiscard]] std::uint64_t stream() const noexcept { return stream_; }
  /// Number of draws so far; with seed and stream, all that a snapshot needs.
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t position_;
};

}  // namespace foothold
