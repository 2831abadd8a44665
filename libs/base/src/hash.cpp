#include "foothold/base/hash.hpp"

#include <array>
#include <bit>
#include <charconv>

#include <fmt/core.h>

// Compiled into this source instead of linked: the code uses the CPU type of the build, short
// inputs cost no call through the linker's table, and programs that use the installed archives need
// no libxxhash.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace foothold {
namespace {

// XXH3 reads bytes; digests must not depend on the machine that took them.
constexpr bool kIsLittleEndian = std::endian::native == std::endian::little;

std::uint64_t little(std::uint64_t word) noexcept {
  return kIsLittleEndian ? word : __builtin_bswap64(word);
}

std::uint64_t little(double number) noexcept {
  return little(std::bit_cast<std::uint64_t>(number));
}

Digest128 digest_of(const XXH128_hash_t& hash) noexcept {
  return {.high = hash.high64, .low = hash.low64};
}

// Longer inputs pass through a state of XXH3, with the same result as one call.
class Stream {
 public:
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): that is what the call does.
  Stream() noexcept { XXH3_128bits_reset(&state_); }

  void add_bytes(const void* bytes, std::size_t size) noexcept {
    XXH3_128bits_update(&state_, bytes, size);
  }
  void add(std::uint64_t word) noexcept {
    const std::uint64_t bytes = little(word);
    add_bytes(&bytes, sizeof(bytes));
  }
  void add_numbers(const double* numbers, Eigen::Index count) noexcept {
    if constexpr (kIsLittleEndian) {
      add_bytes(numbers, static_cast<std::size_t>(count) * sizeof(double));
    } else {
      for (Eigen::Index i = 0; i < count; ++i) {
        add(std::bit_cast<std::uint64_t>(numbers[i]));
      }
    }
  }
  void add(const Digest128& digest) noexcept {
    add(digest.high);
    add(digest.low);
  }

  [[nodiscard]] Digest128 value() const noexcept { return digest_of(XXH3_128bits_digest(&state_)); }

 private:
  XXH3_state_t state_;
};

// What a `Hasher` adds. The highest bit keeps it apart from the dimension that stands at this place
// in a link of `chained`.
enum class Kind : std::uint64_t {
  Word = std::uint64_t{1} << 63U,
  Number,
  Bytes,
  Text,
  Matrix,
  Digest,
};

// (digest, kind, words…) in one call.
template <std::size_t N>
Digest128 linked(const Digest128& previous, Kind kind,
                 const std::array<std::uint64_t, N>& words) noexcept {
  std::array<std::uint64_t, N + 3> input{};
  input[0] = little(previous.high);
  input[1] = little(previous.low);
  input[2] = little(static_cast<std::uint64_t>(kind));
  for (std::size_t i = 0; i < N; ++i) {
    input[i + 3] = little(words[i]);
  }
  return digest_of(XXH3_128bits(input.data(), sizeof(input)));
}

Digest128 linked(const Digest128& previous, Kind kind, const void* bytes,
                 std::size_t size) noexcept {
  Stream stream;
  stream.add(previous);
  stream.add(static_cast<std::uint64_t>(kind));
  stream.add(static_cast<std::uint64_t>(size));
  stream.add_bytes(bytes, size);
  return stream.value();
}

}  // namespace

std::string Digest128::hex() const {
  return fmt::format("{:016x}{:016x}", high, low);
}

std::optional<Digest128> Digest128::from_hex(std::string_view text) noexcept {
  constexpr std::size_t kDigits = 16;
  constexpr std::string_view kAllowed = "0123456789abcdef";
  if (text.size() != 2 * kDigits || text.find_first_not_of(kAllowed) != std::string_view::npos) {
    return std::nullopt;
  }
  Digest128 digest;
  const char* const middle = text.data() + kDigits;
  std::from_chars(text.data(), middle, digest.high, 16);
  std::from_chars(middle, middle + kDigits, digest.low, 16);
  return digest;
}

Digest128 hash(std::span<const std::byte> bytes) noexcept {
  return digest_of(XXH3_128bits(bytes.data(), bytes.size()));
}

Digest128 chained(const Digest128& previous, const double* action, Eigen::Index dim,
                  double loss) noexcept {
  constexpr Eigen::Index kMaxStackDim = 64;
  if (dim > kMaxStackDim) {
    Stream stream;
    stream.add(previous);
    stream.add(static_cast<std::uint64_t>(dim));
    stream.add_numbers(action, dim);
    stream.add_numbers(&loss, 1);
    return stream.value();
  }
  std::array<std::uint64_t, kMaxStackDim + 4> input;  // NOLINT: written below as far as it is read
  input[0] = little(previous.high);
  input[1] = little(previous.low);
  input[2] = little(static_cast<std::uint64_t>(dim));
  std::uint64_t* next = input.data() + 3;
  for (Eigen::Index i = 0; i < dim; ++i) {
    *next++ = little(action[i]);
  }
  *next++ = little(loss);
  return digest_of(
      XXH3_128bits(input.data(), static_cast<std::size_t>(dim + 4) * sizeof(std::uint64_t)));
}

void Hasher::add(std::uint64_t word) noexcept {
  state_ = linked<1>(state_, Kind::Word, {word});
}

void Hasher::add(double number) noexcept {
  state_ = linked<1>(state_, Kind::Number, {std::bit_cast<std::uint64_t>(number)});
}

void Hasher::add(std::string_view text) noexcept {
  state_ = linked(state_, Kind::Text, text.data(), text.size());
}

void Hasher::add(std::span<const std::byte> bytes) noexcept {
  state_ = linked(state_, Kind::Bytes, bytes.data(), bytes.size());
}

void Hasher::add(const Eigen::Ref<const Eigen::MatrixXd>& matrix) noexcept {
  Stream stream;
  stream.add(state_);
  stream.add(static_cast<std::uint64_t>(Kind::Matrix));
  stream.add(static_cast<std::uint64_t>(matrix.rows()));
  stream.add(static_cast<std::uint64_t>(matrix.cols()));
  for (Eigen::Index col = 0; col < matrix.cols(); ++col) {
    stream.add_numbers(matrix.data() + col * matrix.outerStride(), matrix.rows());
  }
  state_ = stream.value();
}

void Hasher::add(const Digest128& digest) noexcept {
  state_ = linked<2>(state_, Kind::Digest, {digest.high, digest.low});
}

}  // namespace foothold
