#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "foothold/base/byte_stream.hpp"

namespace foothold::simulation {

/// Text in a stream of words: its size, then its bytes, padded to whole words.
void write_text(ByteWriter& writer, std::string_view text);
[[nodiscard]] std::string read_text(ByteReader& reader);

/// A number of things to come, each of which takes a byte at least: throws
/// `Error{InvalidArgument}` if they cannot be there.
[[nodiscard]] std::uint64_t read_count(ByteReader& reader);

}  // namespace foothold::simulation
