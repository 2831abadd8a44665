#include "files/text_bytes.hpp"

#include <algorithm>

#include "foothold/base/error.hpp"

namespace foothold::simulation {
namespace {

constexpr std::size_t kLettersPerWord = 8;

}  // namespace

void write_text(ByteWriter& writer, std::string_view text) {
  writer.write(static_cast<std::uint64_t>(text.size()));
  for (std::size_t start = 0; start < text.size(); start += kLettersPerWord) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < std::min(kLettersPerWord, text.size() - start); ++i) {
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[start + i])) << (8U * i);
    }
    writer.write(word);
  }
}

std::uint64_t read_count(ByteReader& reader) {
  const std::uint64_t count = reader.read_word();
  if (count > reader.remaining()) {
    throw Error(ErrorCode::InvalidArgument, "bytes", "must hold what it announces");
  }
  return count;
}

std::string read_text(ByteReader& reader) {
  const std::uint64_t size = read_count(reader);
  std::string text;
  while (text.size() < size) {
    const std::uint64_t word = reader.read_word();
    for (std::size_t i = 0; i < kLettersPerWord && text.size() < size; ++i) {
      text.push_back(static_cast<char>((word >> (8U * i)) & 0xFFU));
    }
  }
  return text;
}

}  // namespace foothold::simulation
