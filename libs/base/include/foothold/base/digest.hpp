#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include <Eigen/Core>

namespace foothold {

/// A 64-bit fingerprint of a sequence of numbers, to tell states apart. Order matters.
/// Not cryptographic: it finds mistakes, not forgeries.
class Digest {
 public:
  Digest() noexcept = default;
  /// Goes on from the value of an earlier digest.
  explicit Digest(std::uint64_t value) noexcept : value_(value) {}

  void add(std::uint64_t word) noexcept {
    // The finaliser of SplitMix64 [SLF14] over the running value and the word.
    std::uint64_t mixed = value_ ^ (word + 0x9E3779B97F4A7C15U + (value_ << 6U) + (value_ >> 2U));
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    value_ = mixed ^ (mixed >> 31U);
  }
  void add(double number) noexcept { add(std::bit_cast<std::uint64_t>(number)); }
  void add(std::string_view text) noexcept;
  void add(const Eigen::Ref<const Eigen::MatrixXd>& matrix) noexcept;

  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace foothold
