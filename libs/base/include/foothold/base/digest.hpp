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
    value_ = mixed(value_ ^ (word + kGolden + (value_ << 6U) + (value_ >> 2U)));
  }
  void add(double number) noexcept { add(std::bit_cast<std::uint64_t>(number)); }
  void add(std::string_view text) noexcept;
  /// Sizes and entries. Each entry is mixed with its place, whereupon their order does not matter:
  /// none waits for the one before.
  void add(const Eigen::Ref<const Eigen::MatrixXd>& matrix) noexcept;

  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15U;

  // The finaliser of SplitMix64 [SLF14].
  static std::uint64_t mixed(std::uint64_t word) noexcept {
    word = (word ^ (word >> 30U)) * 0xBF58476D1CE4E5B9U;
    word = (word ^ (word >> 27U)) * 0x94D049BB133111EBU;
    return word ^ (word >> 31U);
  }

  std::uint64_t value_ = 0;
};

}  // namespace foothold
