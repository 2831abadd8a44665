#include "foothold/base/byte_stream.hpp"

#include <bit>

#include <fmt/core.h>

#include "foothold/base/digest.hpp"
#include "foothold/base/error.hpp"
#include "foothold/base/invariant.hpp"

namespace foothold {
namespace {

constexpr std::size_t kWordSize = 8;

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorCode::InvalidArgument, "snapshot", message);
}

std::uint64_t word_at(const Bytes& bytes, std::size_t position) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < kWordSize; ++i) {
    word |= std::to_integer<std::uint64_t>(bytes[position + i]) << (8U * i);
  }
  return word;
}

void append(Bytes& bytes, std::uint64_t word) {
  for (std::size_t i = 0; i < kWordSize; ++i) {
    bytes.push_back(static_cast<std::byte>((word >> (8U * i)) & 0xFFU));
  }
}

std::uint64_t checksum(const Bytes& bytes, std::size_t size) {
  Digest digest;
  digest.add(static_cast<std::uint64_t>(size));
  for (std::size_t position = 0; position < size; position += kWordSize) {
    digest.add(word_at(bytes, position));
  }
  return digest.value();
}

}  // namespace

void ByteWriter::write(std::uint64_t word) {
  append(bytes_, word);
}

void ByteWriter::write(double number) {
  write(std::bit_cast<std::uint64_t>(number));
}

void ByteWriter::write(const Digest128& digest) {
  write(digest.high);
  write(digest.low);
}

void ByteWriter::write(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
  write(static_cast<std::uint64_t>(matrix.rows()));
  write(static_cast<std::uint64_t>(matrix.cols()));
  for (Eigen::Index col = 0; col < matrix.cols(); ++col) {
    for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
      write(matrix(row, col));
    }
  }
}

Bytes ByteWriter::sealed() const {
  Bytes bytes = bytes_;
  append(bytes, checksum(bytes_, bytes_.size()));
  return bytes;
}

ByteReader::ByteReader(const Bytes& bytes) : bytes_(&bytes) {
  if (bytes.size() < kWordSize || bytes.size() % kWordSize != 0) {
    fail(
        fmt::format("must be whole 8-byte words ending in a checksum, got {} bytes", bytes.size()));
  }
  end_ = bytes.size() - kWordSize;
  if (word_at(bytes, end_) != checksum(bytes, end_)) {
    fail("must match its checksum; it is damaged or cut short");
  }
}

Digest128 ByteReader::read_digest() {
  const std::uint64_t high = read_word();
  return {.high = high, .low = read_word()};
}

std::uint64_t ByteReader::read_word() {
  if (remaining() < kWordSize) {
    fail("must hold more data than it does; it is cut short");
  }
  const std::uint64_t word = word_at(*bytes_, position_);
  position_ += kWordSize;
  return word;
}

std::int64_t ByteReader::read_integer(std::int64_t low, std::int64_t high) {
  const std::int64_t number = read_integer();
  if (number < low || number > high) {
    fail(fmt::format("must hold an integer from {} to {} here, got {}", low, high, number));
  }
  return number;
}

std::size_t ByteReader::read_count(std::size_t words) {
  FOOTHOLD_ASSERT(words >= 1);
  const std::uint64_t count = read_word();
  if (count > remaining() / kWordSize / words) {
    fail(fmt::format(
        "must hold the {} items that it announces, but {} bytes are left; it is cut short", count,
        remaining()));
  }
  return static_cast<std::size_t>(count);
}

double ByteReader::read_double() {
  return std::bit_cast<double>(read_word());
}

Eigen::MatrixXd ByteReader::read_matrix(Eigen::Index rows, Eigen::Index cols) {
  const std::uint64_t stored_rows = read_word();
  const std::uint64_t stored_cols = read_word();
  if (stored_rows != static_cast<std::uint64_t>(rows) ||
      stored_cols != static_cast<std::uint64_t>(cols)) {
    fail(fmt::format("must hold a {} x {} matrix here, got {} x {}", rows, cols, stored_rows,
                     stored_cols));
  }
  if (rows < 0 || cols < 0) {
    fail(fmt::format("must hold a matrix of non-negative size here, got {} x {}", rows, cols));
  }
  if (rows == 0 || cols == 0) {
    return Eigen::MatrixXd::Zero(rows, cols);
  }
  // The product may be beyond 64 bits, the quotient not.
  if (static_cast<std::size_t>(rows) > remaining() / kWordSize / static_cast<std::size_t>(cols)) {
    fail(fmt::format(
        "must hold the {} x {} entries of a matrix, but {} bytes are left; it is cut short", rows,
        cols, remaining()));
  }
  Eigen::MatrixXd matrix(rows, cols);
  for (Eigen::Index col = 0; col < cols; ++col) {
    for (Eigen::Index row = 0; row < rows; ++row) {
      matrix(row, col) = read_double();
    }
  }
  return matrix;
}

void ByteReader::finish() const {
  if (remaining() != 0) {
    fail(fmt::format("must end after its state, but {} bytes follow", remaining()));
  }
}

}  // namespace foothold
