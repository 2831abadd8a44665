#pragma once

#include "foothold/base/byte_stream.hpp"
#include "foothold/safety/certificate.hpp"

namespace foothold::policy {

void save(const safety::Certificate& certificate, ByteWriter& out);
[[nodiscard]] safety::Certificate load_certificate(ByteReader& in, std::size_t constraints);

}  // namespace foothold::policy
