#include "foothold/base/byte_stream.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "foothold/base/digest.hpp"
#include "foothold/base/error.hpp"

namespace foothold {
namespace {

template <typename Action>
void expect_rejected(Action action, const std::string& fragment) {
  try {
    action();
    ADD_FAILURE() << "no error about: " << fragment;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(error.field(), "snapshot");
    EXPECT_NE(std::string(error.what()).find(fragment), std::string::npos) << error.what();
  }
}

// Words sealed by hand, as a forger who knows the format would: the seal is a digest of the
// number of bytes and of the words.
Bytes sealed_words(std::initializer_list<std::uint64_t> words) {
  Digest digest;
  digest.add(static_cast<std::uint64_t>(8 * words.size()));
  Bytes bytes;
  const auto append = [&bytes](std::uint64_t word) {
    for (unsigned i = 0; i < 8; ++i) {
      bytes.push_back(static_cast<std::byte>((word >> (8U * i)) & 0xFFU));
    }
  };
  for (const std::uint64_t word : words) {
    digest.add(word);
    append(word);
  }
  append(digest.value());
  return bytes;
}

Bytes example() {
  ByteWriter writer;
  writer.write(std::uint64_t{0x0123456789ABCDEF});
  writer.write(std::int64_t{-42});
  writer.write(0.1);
  writer.write((Eigen::MatrixXd(2, 3) << 1, 2, 3, 4, 5, 6).finished());
  return writer.sealed();
}

TEST(ByteStream, WhatWasWrittenIsReadBack) {
  const Bytes bytes = example();
  ByteReader reader(bytes);
  EXPECT_EQ(reader.read_word(), 0x0123456789ABCDEFU);
  EXPECT_EQ(reader.read_integer(), -42);
  EXPECT_EQ(reader.read_double(), 0.1);
  EXPECT_EQ(reader.read_matrix(2, 3), (Eigen::MatrixXd(2, 3) << 1, 2, 3, 4, 5, 6).finished());
  EXPECT_EQ(reader.remaining(), 0U);
  EXPECT_NO_THROW(reader.finish());
}

TEST(ByteStream, NumbersAreReadBackBitForBit) {
  const double signalling = std::bit_cast<double>(std::uint64_t{0x7FF0000000000001});
  for (const double number : {-0.0, std::numeric_limits<double>::denorm_min(),
                              std::numeric_limits<double>::infinity(), std::nan("7"), signalling}) {
    ByteWriter writer;
    writer.write(number);
    const Bytes bytes = writer.sealed();
    ByteReader reader(bytes);
    EXPECT_EQ(reader.read_word(), std::bit_cast<std::uint64_t>(number));
  }
}

TEST(ByteStream, WordsAreStoredLeastSignificantByteFirst) {
  ByteWriter writer;
  writer.write(std::uint64_t{0x0102030405060708});
  const Bytes bytes = writer.sealed();
  ASSERT_EQ(bytes.size(), 16U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(std::to_integer<int>(bytes[i]), 8 - static_cast<int>(i));
  }
}

TEST(ByteStream, TheSealIsTheDigestOfSizeAndWords) {
  ByteWriter writer;
  writer.write(std::uint64_t{3});
  writer.write(std::uint64_t{5});
  EXPECT_EQ(writer.sealed(), sealed_words({3, 5}));
}

TEST(ByteStream, AMatrixIsItsShapeAndItsColumns) {
  ByteWriter writer;
  writer.write((Eigen::MatrixXd(2, 2) << 1, 2, 3, 4).finished());
  const auto bits = [](double number) { return std::bit_cast<std::uint64_t>(number); };
  EXPECT_EQ(writer.sealed(), sealed_words({2, 2, bits(1), bits(3), bits(2), bits(4)}));
}

TEST(ByteStream, SealingDoesNotEndTheWriting) {
  ByteWriter writer;
  writer.write(std::uint64_t{1});
  static_cast<void>(writer.sealed());
  writer.write(std::uint64_t{2});
  EXPECT_EQ(writer.sealed(), sealed_words({1, 2}));
}

TEST(ByteStream, AnEmptyMessageIsValid) {
  const Bytes bytes = ByteWriter().sealed();
  const ByteReader reader(bytes);
  EXPECT_EQ(reader.remaining(), 0U);
  EXPECT_NO_THROW(reader.finish());
}

TEST(ByteReader, RejectsEveryFlippedBit) {
  const Bytes intact = example();
  for (std::size_t bit = 0; bit < 8 * intact.size(); ++bit) {
    Bytes damaged = intact;
    damaged[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    expect_rejected([&] { const ByteReader reader(damaged); }, "checksum");
  }
}

TEST(ByteReader, RejectsEveryTruncation) {
  const Bytes intact = example();
  for (std::size_t size = 0; size < intact.size(); ++size) {
    const Bytes cut(intact.begin(), intact.begin() + static_cast<std::ptrdiff_t>(size));
    expect_rejected([&] { const ByteReader reader(cut); },
                    size % 8 != 0 || size == 0 ? "8-byte words" : "checksum");
  }
}

TEST(ByteReader, RejectsSwappedWordsAndAppendedZeros) {
  Bytes swapped = example();
  std::swap_ranges(swapped.begin(), swapped.begin() + 8, swapped.begin() + 8);
  expect_rejected([&] { const ByteReader reader(swapped); }, "checksum");
  Bytes longer = example();
  longer.resize(longer.size() + 8);
  expect_rejected([&] { const ByteReader reader(longer); }, "checksum");
}

TEST(ByteReader, ReadsNothingPastTheEnd) {
  const Bytes bytes = sealed_words({1});
  ByteReader reader(bytes);
  EXPECT_EQ(reader.read_word(), 1U);
  expect_rejected([&] { static_cast<void>(reader.read_word()); }, "cut short");
  expect_rejected([&] { static_cast<void>(reader.read_integer()); }, "cut short");
  expect_rejected([&] { static_cast<void>(reader.read_double()); }, "cut short");
  expect_rejected([&] { static_cast<void>(reader.read_matrix(1, 1)); }, "cut short");
}

TEST(ByteReader, RejectsAMatrixOfAnotherShape) {
  const Bytes bytes = sealed_words({2, 3, 0, 0, 0, 0, 0, 0});
  ByteReader reader(bytes);
  expect_rejected([&] { static_cast<void>(reader.read_matrix(3, 2)); }, "3 x 2 matrix");
}

TEST(ByteReader, RejectsAHugeShapeBeforeAllocatingIt) {
  // A forged header of 2⁴⁰ × 1 with a valid seal, where the caller expects that shape.
  const Bytes bytes = sealed_words({std::uint64_t{1} << 40U, 1, 0});
  ByteReader reader(bytes);
  expect_rejected([&] { static_cast<void>(reader.read_matrix(Eigen::Index{1} << 40U, 1)); },
                  "cut short");
}

// 2³² · 2³² and 2⁶¹ · 8 are 0 in 64 bits, (2³² + 1)² is 2³³ + 1: products must not be formed.
TEST(ByteReader, RejectsShapesWhoseProductOverflows) {
  const std::uint64_t large = std::uint64_t{1} << 32U;
  const std::uint64_t larger = std::uint64_t{1} << 61U;
  for (const auto& [rows, cols] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {large, large}, {larger, 8}, {8, larger}, {large + 1, large + 1}, {larger, larger}}) {
    const Bytes bytes = sealed_words({rows, cols, 0});
    ByteReader reader(bytes);
    expect_rejected(
        [&, rows = rows, cols = cols] {
          static_cast<void>(
              reader.read_matrix(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(cols)));
        },
        "cut short");
  }
}

TEST(ByteReader, RejectsNegativeShapes) {
  for (const auto& [rows, cols] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{-1, 1}, {1, -1}, {-1, -1}, {-1, 0}}) {
    const Bytes bytes =
        sealed_words({static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(cols), 0});
    ByteReader reader(bytes);
    expect_rejected(
        [&, rows = rows, cols = cols] { static_cast<void>(reader.read_matrix(rows, cols)); },
        "non-negative size");
  }
}

// Without entries there is nothing to read, whatever the other size: no loop over 2⁶⁰ columns.
TEST(ByteReader, ReadsAMatrixWithoutEntriesAtOnce) {
  const std::int64_t many = std::int64_t{1} << 60U;
  const Bytes bytes =
      sealed_words({0, static_cast<std::uint64_t>(many), static_cast<std::uint64_t>(many), 0});
  ByteReader reader(bytes);
  EXPECT_EQ(reader.read_matrix(0, many).cols(), many);
  EXPECT_EQ(reader.read_matrix(many, 0).rows(), many);
  EXPECT_NO_THROW(reader.finish());
}

TEST(ByteReader, RejectsCountsThatTheBytesLeftCannotHold) {
  const std::uint64_t huge = ~std::uint64_t{0};
  const Bytes bytes = sealed_words({huge, 4, 0, 0, 0});
  ByteReader reader(bytes);
  expect_rejected([&] { static_cast<void>(reader.read_count(8)); },
                  "must hold the 18446744073709551615 items");
  expect_rejected([&] { static_cast<void>(reader.read_count()); }, "must hold the 4 items");
  const auto count = [](const Bytes& good, std::size_t words) {
    return ByteReader(good).read_count(words);
  };
  EXPECT_EQ(count(sealed_words({3, 0, 0, 0}), 1), 3U);
  EXPECT_EQ(count(sealed_words({1, 0, 0, 0}), 3), 1U);
  EXPECT_EQ(count(sealed_words({0}), 5), 0U);
}

TEST(ByteReader, RejectsIntegersOutOfTheirRange) {
  const Bytes bytes = sealed_words({5, 5, ~std::uint64_t{0}});
  ByteReader reader(bytes);
  EXPECT_EQ(reader.read_integer(0, 5), 5);
  expect_rejected([&] { static_cast<void>(reader.read_integer(0, 4)); }, "from 0 to 4 here, got 5");
  expect_rejected([&] { static_cast<void>(reader.read_integer(0, 4)); },
                  "from 0 to 4 here, got -1");
}

TEST(ByteReader, RejectsDataAfterTheEnd) {
  const Bytes bytes = sealed_words({1, 2});
  ByteReader reader(bytes);
  static_cast<void>(reader.read_word());
  expect_rejected([&] { reader.finish(); }, "8 bytes follow");
}

}  // namespace
}  // namespace foothold
