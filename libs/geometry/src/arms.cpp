#include "foothold/geometry/arms.hpp"

#include <bit>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "foothold/base/check.hpp"
#include "foothold/base/digest.hpp"
#include "foothold/base/error.hpp"

namespace foothold::geometry {

namespace {

// Equal vectors have equal hashes, 0 and −0 included.
template <typename Derived>
std::uint64_t hash_of(const Eigen::MatrixBase<Derived>& x) {
  Digest digest;
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    digest.add(x(j) + 0.0);
  }
  return digest.value();
}

}  // namespace

Arms::Arms(Eigen::MatrixXd features) {
  if (features.rows() < 1 || features.cols() < 1) {
    throw Error(ErrorCode::InvalidArgument, "features",
                fmt::format("must have at least one arm and one dimension, got {} x {}",
                            features.rows(), features.cols()));
  }
  check::all_finite(features, "features");
  if (features.rows() >= std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorCode::InvalidArgument, "features",
                fmt::format("must have fewer than 2^32 - 1 arms, got {}", features.rows()));
  }
  std::vector<std::uint32_t> slots = slots_of(features);
  table_ = std::make_shared<const Table>(
      Table{.features = std::move(features), .slots = std::move(slots)});
}

// At most half full. Of equal rows only the first is entered.
std::vector<std::uint32_t> Arms::slots_of(const Eigen::MatrixXd& features) {
  std::vector<std::uint32_t> slots(std::bit_ceil(2 * static_cast<std::size_t>(features.rows())), 0);
  const std::size_t mask = slots.size() - 1;
  for (Eigen::Index row = 0; row < features.rows(); ++row) {
    std::size_t slot = hash_of(features.row(row)) & mask;
    while (slots[slot] != 0 && features.row(slots[slot] - 1) != features.row(row)) {
      slot = (slot + 1) & mask;
    }
    if (slots[slot] == 0) {
      slots[slot] = static_cast<std::uint32_t>(row + 1);
    }
  }
  return slots;
}

Eigen::Index Arms::find(const Eigen::Ref<const Eigen::VectorXd>& x) const {
  const std::size_t mask = table_->slots.size() - 1;
  for (std::size_t slot = hash_of(x) & mask; table_->slots[slot] != 0; slot = (slot + 1) & mask) {
    const Eigen::Index row = static_cast<Eigen::Index>(table_->slots[slot]) - 1;
    if (features().row(row).transpose() == x) {
      return row;
    }
  }
  return -1;
}

ContextualArms::ContextualArms(Eigen::Index dim) : dim_(dim) {
  if (dim < 1) {
    throw Error(ErrorCode::InvalidArgument, "dim", fmt::format("must be at least 1, got {}", dim));
  }
}

}  // namespace foothold::geometry
