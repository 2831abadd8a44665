#include "certificate_bytes.hpp"

#include "foothold/base/error.hpp"

namespace foothold::policy {

void save(const safety::Certificate& certificate, ByteWriter& out) {
  out.write(static_cast<std::uint64_t>(certificate.is_in_decision_set ? 1 : 0));
  out.write(certificate.observations);
  out.write(certificate.digest);
  for (const safety::ConstraintCertificate& entry : certificate.constraints) {
    out.write(static_cast<std::uint64_t>(entry.kind));
    for (const double number : {entry.bound, entry.limit, entry.excess, entry.room, entry.radius,
                                entry.ridge, entry.width, entry.allowance}) {
      out.write(number);
    }
  }
}

safety::Certificate load_certificate(ByteReader& in, std::size_t constraints) {
  safety::Certificate certificate;
  certificate.is_in_decision_set = in.read_word() != 0;
  certificate.observations = in.read_integer();
  certificate.digest = in.read_word();
  certificate.constraints.resize(constraints);
  for (safety::ConstraintCertificate& entry : certificate.constraints) {
    const std::uint64_t kind = in.read_word();
    if (kind > static_cast<std::uint64_t>(safety::BoundKind::L1Paper)) {
      throw Error(ErrorCode::InvalidArgument, "snapshot", "must name a known kind of bound");
    }
    entry.kind = static_cast<safety::BoundKind>(kind);
    for (double* number : {&entry.bound, &entry.limit, &entry.excess, &entry.room, &entry.radius,
                           &entry.ridge, &entry.width, &entry.allowance}) {
      *number = in.read_double();
    }
  }
  return certificate;
}

}  // namespace foothold::policy
