#include "warm_start.hpp"

#include "foothold/base/error.hpp"

namespace foothold::cone {

void save(const WarmStart& warm, ByteWriter& out) {
  out.write(static_cast<std::uint64_t>(warm.is_set ? 1 : 0));
  for (const signed char side : warm.side) {
    out.write(static_cast<std::int64_t>(side));
  }
  out.write(static_cast<std::uint64_t>(warm.rows.size()));
  for (const Eigen::Index row : warm.rows) {
    out.write(static_cast<std::int64_t>(row));
  }
  out.write(warm.u);
  out.write(warm.multipliers.eta);
  out.write(warm.multipliers.tau);
  out.write(warm.multipliers.w);
}

void restore(ByteReader& in, WarmStart& warm) {
  const auto require = [](bool condition) {
    if (!condition) {
      throw Error(ErrorCode::InvalidArgument, "snapshot", "must hold warm starts of this problem");
    }
  };
  warm.is_set = in.read_word() != 0;
  for (signed char& side : warm.side) {
    const std::int64_t value = in.read_integer();
    require(value >= -1 && value <= 1);
    side = static_cast<signed char>(value);
  }
  const std::uint64_t rows = in.read_word();
  require(rows <= warm.side.size());
  warm.rows.resize(rows);
  for (Eigen::Index& row : warm.rows) {
    row = in.read_integer();
    require(row >= 0 && row < warm.multipliers.eta.size());
  }
  warm.u = in.read_matrix(warm.u.size(), 1);
  warm.multipliers.eta = in.read_matrix(warm.multipliers.eta.size(), 1);
  warm.multipliers.tau = in.read_matrix(warm.multipliers.tau.size(), 1);
  warm.multipliers.w = in.read_matrix(warm.multipliers.w.rows(), warm.multipliers.w.cols());
}

}  // namespace foothold::cone
