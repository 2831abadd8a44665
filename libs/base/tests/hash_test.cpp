#include "foothold/base/hash.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace foothold {
namespace {

// The sanity check of the author of XXH3: bytes from a fixed generator, digests for several
// lengths.
std::vector<std::byte> sanity_bytes(std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::uint64_t state = 2'654'435'761U;
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(state >> 56U);
    state *= 11'400'714'785'074'694'797U;
  }
  return bytes;
}

struct SanityValue {
  std::size_t size;
  Digest128 digest;
};

class PublishedHash : public ::testing::TestWithParam<SanityValue> {};

TEST_P(PublishedHash, IsWhatWeCompute) {
  EXPECT_EQ(hash(sanity_bytes(GetParam().size)).hex(), GetParam().digest.hex());
}

// Lengths on every path of the function: 0, 1–3, 4–8, 9–16, 17–128, 129–240, longer.
INSTANTIATE_TEST_SUITE_P(
    AllLengths, PublishedHash,
    ::testing::Values(SanityValue{0, {0x99AA06D3014798D8U, 0x6001C324468D497FU}},
                      SanityValue{1, {0xA6CD5E9392000F6AU, 0xC44BDFF4074EECDBU}},
                      SanityValue{6, {0x082AFE0B8162D12AU, 0x3E7039BDDA43CFC6U}},
                      SanityValue{12, {0x6E3EFD8FC7802B18U, 0x061A192713F69AD9U}},
                      SanityValue{48, {0xA002AC4E5478227EU, 0xF942219AED80F67BU}},
                      SanityValue{222, {0x337E09641B948717U, 0xF1AEBD597CEC6B3AU}},
                      SanityValue{403, {0x1B6DE21E332DD73DU, 0xCDEB804D65C6DEA4U}},
                      SanityValue{2240, {0xCCB134FBFA7CE49DU, 0x6E73A90539CF2948U}}));

// The bytes that the contract of `chained` names, put together one by one.
Digest128 chained_by_definition(const Digest128& previous, const Eigen::VectorXd& action,
                                double loss) {
  std::vector<std::byte> bytes;
  const auto append = [&bytes](std::uint64_t word) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
      bytes.push_back(static_cast<std::byte>((word >> shift) & 0xFFU));
    }
  };
  append(previous.high);
  append(previous.low);
  append(static_cast<std::uint64_t>(action.size()));
  for (const double entry : action) {
    append(std::bit_cast<std::uint64_t>(entry));
  }
  append(std::bit_cast<std::uint64_t>(loss));
  return hash(bytes);
}

TEST(Chained, IsTheHashOfItsWordsForEverySize) {
  const Digest128 previous{0x0123456789ABCDEFU, 0xFEDCBA9876543210U};
  for (const Eigen::Index dim : {0, 1, 2, 3, 12, 13, 26, 27, 63, 64, 65, 66, 200, 1000}) {
    const Eigen::VectorXd action = Eigen::VectorXd::LinSpaced(dim, -1.0, 2.0);
    EXPECT_EQ(chained(previous, action.data(), dim, 0.25),
              chained_by_definition(previous, action, 0.25))
        << dim;
  }
}

TEST(Chained, DependsOnEveryArgument) {
  const Eigen::Vector3d x(1.0, 2.0, 3.0);
  const Digest128 start{};
  const Digest128 value = chained(start, x.data(), 3, 0.5);
  EXPECT_NE(value, chained({1, 0}, x.data(), 3, 0.5));
  EXPECT_NE(value, chained({0, 1}, x.data(), 3, 0.5));
  EXPECT_NE(value, chained(start, x.data(), 2, 3.0));  // the same numbers in another division
  EXPECT_NE(value, chained(start, x.data(), 3, std::nextafter(0.5, 1.0)));
  EXPECT_NE(chained(start, x.data(), 3, 0.0), chained(start, x.data(), 3, -0.0));
}

TEST(Chained, DependsOnTheOrderOfRounds) {
  const Eigen::Vector2d x(1.0, 2.0);
  const Eigen::Vector2d y(3.0, 4.0);
  const Digest128 x_first = chained(chained({}, x.data(), 2, 0.5), y.data(), 2, 0.5);
  const Digest128 y_first = chained(chained({}, y.data(), 2, 0.5), x.data(), 2, 0.5);
  EXPECT_NE(x_first, y_first);
}

TEST(Chained, DependsOnTheOrderOfEntries) {
  std::array<double, 5> x{1.0, 2.0, 3.0, 4.0, 5.0};
  std::set<std::string> digests;
  int count = 0;
  do {
    digests.insert(chained({}, x.data(), 5, 0.0).hex());
    ++count;
  } while (std::next_permutation(x.begin(), x.end()));
  EXPECT_EQ(count, 120);
  EXPECT_EQ(digests.size(), 120U);
}

// A sum of hashes of (entry + place · step) does not depend on the order of its terms: entries a, b
// at places p, q trade them if a grows and b shrinks by (q − p) steps. The 64-bit digest of
// earlier versions was such a sum.
TEST(Chained, TellsApartEntriesThatTradePlaces) {
  constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15U;
  const auto sum_of_terms = [](const std::array<double, 2>& x) {
    const auto mixed = [](std::uint64_t word) {
      word = (word ^ (word >> 30U)) * 0xBF58476D1CE4E5B9U;
      word = (word ^ (word >> 27U)) * 0x94D049BB133111EBU;
      return word ^ (word >> 31U);
    };
    return mixed(std::bit_cast<std::uint64_t>(x[0]) + kStep) +
           mixed(std::bit_cast<std::uint64_t>(x[1]) + 2 * kStep);
  };
  int traded = 0;
  for (int i = 0; i < 200; ++i) {
    const std::array<double, 2> x{1.0 + 0.01 * i, -1.5 + 0.003 * i};
    const std::array<double, 2> y{
        std::bit_cast<double>(std::bit_cast<std::uint64_t>(x[1]) + kStep),
        std::bit_cast<double>(std::bit_cast<std::uint64_t>(x[0]) - kStep)};
    ASSERT_TRUE(std::isfinite(y[0]) && std::isfinite(y[1]));
    ASSERT_EQ(sum_of_terms(x), sum_of_terms(y));  // the pair does collide there
    ASSERT_NE(x, y);
    traded += chained({}, x.data(), 2, 0.5) == chained({}, y.data(), 2, 0.5) ? 1 : 0;
  }
  EXPECT_EQ(traded, 0);
}

// Entries with few digits in binary differ in few bits. 5⁶ of 2¹²⁸ values collide by chance with
// probability 4e-31, and 5⁶ of 2⁶⁴ low words with probability 7e-12.
TEST(Chained, TellsSimpleVectorsApart) {
  std::set<std::uint64_t> low;
  std::set<std::uint64_t> high;
  std::array<double, 6> x{};
  for (int code = 0; code < 15'625; ++code) {
    int rest = code;
    for (double& entry : x) {
      entry = 0.5 * static_cast<double>(rest % 5 - 2);
      rest /= 5;
    }
    const Digest128 digest = chained({}, x.data(), 6, 0.0);
    low.insert(digest.low);
    high.insert(digest.high);
  }
  EXPECT_EQ(low.size(), 15'625U);
  EXPECT_EQ(high.size(), 15'625U);
}

template <typename... Values>
Digest128 hashed(const Values&... values) {
  Hasher hasher;
  (hasher.add(values), ...);
  return hasher.value();
}

TEST(Hasher, DependsOnKindOrderAndDivision) {
  const std::string_view ab = "ab";
  const std::array<std::byte, 2> ab_bytes{std::byte{'a'}, std::byte{'b'}};
  const Eigen::VectorXd x = Eigen::Vector4d(1.0, 2.0, 3.0, 4.0);
  const std::vector<Digest128> digests{
      hashed(),
      hashed(std::uint64_t{0}),
      hashed(0.0),
      hashed(-0.0),
      hashed(std::uint64_t{0}, std::uint64_t{0}),
      hashed(std::uint64_t{1}, std::uint64_t{2}),
      hashed(std::uint64_t{2}, std::uint64_t{1}),
      hashed(Digest128{1, 2}),
      hashed(std::string_view()),
      hashed(ab),
      hashed(std::span<const std::byte>(ab_bytes)),
      hashed(std::string_view("a"), std::string_view("b")),
      hashed(ab, std::string_view("c")),
      hashed(std::string_view("a"), std::string_view("bc")),
      hashed(x),
      hashed(Eigen::MatrixXd(x.transpose())),
      hashed(Eigen::MatrixXd(x.reshaped(2, 2))),
      hashed(Eigen::VectorXd(x.reverse())),
      hashed(Eigen::VectorXd(x.head(2)), Eigen::VectorXd(x.tail(2))),
      hashed(Eigen::MatrixXd(0, 2)),
      hashed(Eigen::MatrixXd(2, 0)),
      chained({}, x.data(), 4, 0.0),
  };
  std::set<std::string> distinct;
  for (const Digest128& digest : digests) {
    distinct.insert(digest.hex());
  }
  EXPECT_EQ(distinct.size(), digests.size());
}

TEST(Hasher, DoesNotDependOnWhereAMatrixLies) {
  Eigen::MatrixXd frame = Eigen::MatrixXd::Constant(5, 4, 7.0);
  const Eigen::Matrix2d inner{{1.0, -2.0}, {0.25, 1e300}};
  frame.block(1, 1, 2, 2) = inner;
  EXPECT_EQ(hashed(frame.block(1, 1, 2, 2)), hashed(inner));
}

TEST(Hasher, ContinuesFromItsValue) {
  Hasher whole;
  whole.add(Eigen::Vector2d(1.0, 2.0));
  Hasher rest(whole.value());
  whole.add(3.0);
  rest.add(3.0);
  EXPECT_EQ(whole.value(), rest.value());
}

TEST(Digest128, IsReadBackFromItsDigits) {
  const Digest128 digest{0x0000000000000001U, 0xFEDCBA9876543210U};
  EXPECT_EQ(digest.hex(), "0000000000000001fedcba9876543210");
  EXPECT_EQ(Digest128::from_hex(digest.hex()), digest);
}

TEST(Digest128, IsNotReadFromOtherText) {
  for (const std::string_view text :
       {"", "0", "0000000000000001fedcba987654321", "0000000000000001fedcba98765432100",
        "0000000000000001FEDCBA9876543210", "+000000000000001fedcba9876543210",
        "0x00000000000001fedcba9876543210", "0000000000000001 edcba9876543210"}) {
    EXPECT_FALSE(Digest128::from_hex(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace foothold
