#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "foothold/base/hash.hpp"

namespace foothold {

/// A snapshot: bytes that `restore` takes back bit for bit.
using Bytes = std::vector<std::byte>;

/// Writes numbers, least significant byte first, whatever the machine.
class ByteWriter {
 public:
  void write(std::uint64_t word);
  void write(std::int64_t number) { write(static_cast<std::uint64_t>(number)); }
  void write(double number);
  void write(const Digest128& digest);
  void write(const Eigen::Ref<const Eigen::MatrixXd>& matrix);

  /// The bytes so far, closed with a checksum over all of them.
  [[nodiscard]] Bytes sealed() const;

 private:
  Bytes bytes_;
};

/// Reads what `ByteWriter` wrote. Every read checks that the bytes suffice and throws
/// `Error{InvalidArgument, "snapshot"}` otherwise, so hostile input cannot read past the end
/// or make it allocate more than the input's own size.
class ByteReader {
 public:
  /// Checks the seal first. `bytes` must outlive the reader.
  explicit ByteReader(const Bytes& bytes);

  [[nodiscard]] std::uint64_t read_word();
  [[nodiscard]] std::int64_t read_integer() { return static_cast<std::int64_t>(read_word()); }
  /// Requires the integer to lie in [low, high]: for whatever is used as an index later.
  [[nodiscard]] std::int64_t read_integer(std::int64_t low, std::int64_t high);
  /// A number of items that follow, each of at least `words` ≥ 1 words of 8 bytes. Requires the
  /// bytes left to hold them: for whatever an allocation depends on.
  [[nodiscard]] std::size_t read_count(std::size_t words = 1);
  [[nodiscard]] double read_double();
  [[nodiscard]] Digest128 read_digest();
  /// Requires the stored shape to be the one given, which may itself come from the snapshot, and
  /// the bytes left to hold its entries before anything is allocated for them.
  [[nodiscard]] Eigen::MatrixXd read_matrix(Eigen::Index rows, Eigen::Index cols);
  [[nodiscard]] std::size_t remaining() const noexcept { return end_ - position_; }
  /// Throws unless everything was read.
  void finish() const;

 private:
  const Bytes* bytes_;
  std::size_t position_ = 0;
  std::size_t end_ = 0;
};

}  // namespace foothold
