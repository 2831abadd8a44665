#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <Eigen/Core>

namespace foothold {

/// A 128-bit fingerprint. Two different inputs share one with probability 2⁻¹²⁸, as far as chance
/// goes. Not cryptographic: it finds mistakes, and somebody who wants a collision can make one.
struct Digest128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  bool operator==(const Digest128&) const = default;

  /// 32 lower-case hexadecimal digits, the high word first.
  [[nodiscard]] std::string hex() const;
  /// What `hex` wrote; nothing for any other text.
  [[nodiscard]] static std::optional<Digest128> from_hex(std::string_view text) noexcept;
};

/// XXH3-128 of the bytes, with seed 0: what `xxhsum -H128` prints.
[[nodiscard]] Digest128 hash(std::span<const std::byte> bytes) noexcept;

/// One link of a chain of rounds: XXH3-128 of the little-endian words
///
///     previous.high, previous.low, dim, action[0], …, action[dim − 1], loss,
///
/// numbers by their bits, so 0.0 and −0.0 differ. Order matters within a round and between rounds.
/// One call, no allocation: a round pays for it. `action` points to `dim` ≥ 0 numbers.
[[nodiscard]] Digest128 chained(const Digest128& previous, const double* action, Eigen::Index dim,
                                double loss) noexcept;

/// The digest of a sequence of values of several kinds. Each `add` replaces the digest by the
/// XXH3-128 of itself, the kind, the size and the value. Therefore order, kind and size matter: the
/// texts "ab", "c" differ from "a", "bc", the number 0.0 from the word 0, a vector from its
/// transpose. The digest is all of the state: a `Hasher` made from `value()` continues the
/// sequence.
class Hasher {
 public:
  Hasher() noexcept = default;
  /// Continues the sequence whose `value()` was `state`.
  explicit Hasher(const Digest128& state) noexcept : state_(state) {}

  void add(std::uint64_t word) noexcept;
  /// By its bits: 0.0 and −0.0 differ.
  void add(double number) noexcept;
  void add(std::string_view text) noexcept;
  void add(std::span<const std::byte> bytes) noexcept;
  /// Rows, columns, then the entries' bits column by column.
  void add(const Eigen::Ref<const Eigen::MatrixXd>& matrix) noexcept;
  void add(const Digest128& digest) noexcept;

  [[nodiscard]] const Digest128& value() const noexcept { return state_; }

 private:
  Digest128 state_{};
};

}  // namespace foothold
