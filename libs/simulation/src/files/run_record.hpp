#pragma once

#include <cstdint>

#include "foothold/base/byte_stream.hpp"
#include "foothold/simulation/play/result.hpp"

namespace foothold::simulation {

/// The result of one item of work, as journals hold it and ranks send it: every bit, its trace
/// included, closed with a checksum.
struct RunRecord {
  std::uint64_t item = 0;
  RunResult run{};
};

[[nodiscard]] Bytes encode_record(std::uint64_t item, const RunResult& run);

/// Throws `Error{InvalidArgument}` if the bytes are not a record.
[[nodiscard]] RunRecord decode_record(const Bytes& bytes);

}  // namespace foothold::simulation
