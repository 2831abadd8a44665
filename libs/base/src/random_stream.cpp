#include "foothold/base/random_stream.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "foothold/base/invariant.hpp"

#include "philox.hpp"

namespace foothold {
namespace {

struct Bits {
  std::uint64_t first;
  std::uint64_t second;
};

Bits random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t position) {
  const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
  const auto high = [](std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32U); };
  const auto join = [](std::uint32_t lower, std::uint32_t upper) {
    return (static_cast<std::uint64_t>(upper) << 32U) | lower;
  };
  const PhiloxCounter block = philox4x32({low(position), high(position), low(stream), high(stream)},
                                         {low(seed), high(seed)});
  return {join(block[0], block[1]), join(block[2], block[3])};
}

// The upper 53 bits, scaled to [0, 1): exact in binary64.
double to_unit_interval(std::uint64_t bits) {
  return static_cast<double>(bits >> 11U) * 0x1p-53;
}

// Midpoints of 2⁵² cells, so that neither 0 nor 1 occurs: exact in binary64.
double to_open_unit_interval(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12U) + 0.5) * 0x1p-52;
}

}  // namespace

double RandomStream::uniform() {
  return to_unit_interval(random_bits(seed_, stream_, position_++).first);
}

double RandomStream::normal() {
  const Bits bits = random_bits(seed_, stream_, position_++);
  // The second normal of the pair is discarded: keeping it would be state that
  // `position` does not describe.
  return std::sqrt(-2.0 * std::log(to_open_unit_interval(bits.first))) *
         std::cos(2.0 * std::numbers::pi * to_unit_interval(bits.second));
}

std::uint64_t RandomStream::index(std::uint64_t count) {
  FOOTHOLD_ASSERT(count >= 1);
  // ⌊count · bits / 2⁶⁴⌋, in 128-bit arithmetic.
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t bits = random_bits(seed_, stream_, position_++).first;
  return static_cast<std::uint64_t>((static_cast<Wide>(bits) * count) >> 64U);
}

}  // namespace foothold
