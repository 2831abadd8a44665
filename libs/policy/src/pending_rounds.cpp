#include "pending_rounds.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "foothold/base/error.hpp"
#include "foothold/base/simd/fixed_dim.hpp"

namespace foothold::policy {

DecisionId PendingRounds::open(const Eigen::Ref<const Eigen::VectorXd>& action, bool is_warmup) {
  const auto column = static_cast<Eigen::Index>(rounds_.size());
  if (column == actions_.cols()) {
    actions_.conservativeResize(Eigen::NoChange, 2 * actions_.cols());
  }
  copy_vector(action, actions_.col(column));
  rounds_.push_back({.id = next_id_, .is_warmup = is_warmup});
  return DecisionId{next_id_++};
}

std::size_t PendingRounds::find(DecisionId id) const {
  const auto number = static_cast<std::uint64_t>(id);
  if (number >= next_id_) {
    throw Error(ErrorCode::NotFound, "id", fmt::format("must have been asked, got {}", number));
  }
  if (!rounds_.empty() && rounds_.back().id == number && rounds_.back().is_open) {
    return rounds_.size() - 1;  // as when no loss is late
  }
  const auto entry = std::lower_bound(
      rounds_.begin(), rounds_.end(), number,
      [](const PendingRound& round, std::uint64_t value) { return round.id < value; });
  if (entry == rounds_.end() || entry->id != number || !entry->is_open) {
    throw Error(ErrorCode::Conflict, "id",
                fmt::format("must be open, but {} was told or abandoned", number));
  }
  return static_cast<std::size_t>(entry - rounds_.begin());
}

void PendingRounds::close(std::size_t position) {
  rounds_[position].is_open = false;
  ++closed_;
  if (closed_ == rounds_.size()) {
    rounds_.clear();
    closed_ = 0;
  } else if (2 * closed_ >= rounds_.size()) {
    compact();
  }
}

void PendingRounds::compact() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rounds_.size(); ++i) {
    if (rounds_[i].is_open) {
      rounds_[kept] = rounds_[i];
      actions_.col(static_cast<Eigen::Index>(kept)) = actions_.col(static_cast<Eigen::Index>(i));
      ++kept;
    }
  }
  rounds_.resize(kept);
  closed_ = 0;
}

void PendingRounds::save(ByteWriter& out) const {
  out.write(next_id_);
  out.write(static_cast<std::uint64_t>(open_count()));
  for (std::size_t i = 0; i < rounds_.size(); ++i) {
    if (rounds_[i].is_open) {
      out.write(rounds_[i].id);
      out.write(static_cast<std::uint64_t>(rounds_[i].is_warmup ? 1 : 0));
      out.write(actions_.col(static_cast<Eigen::Index>(i)));
    }
  }
}

void PendingRounds::load(ByteReader& in) {
  next_id_ = in.read_word();
  const std::uint64_t count = in.read_word();
  rounds_.clear();
  closed_ = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t id = in.read_word();
    const bool is_warmup = in.read_word() != 0;
    if (id >= next_id_ || (!rounds_.empty() && id <= rounds_.back().id)) {
      throw Error(ErrorCode::InvalidArgument, "snapshot",
                  fmt::format("must list open rounds in order, got id {}", id));
    }
    const auto column = static_cast<Eigen::Index>(rounds_.size());
    if (column == actions_.cols()) {
      actions_.conservativeResize(Eigen::NoChange, 2 * actions_.cols());
    }
    actions_.col(column) = in.read_matrix(actions_.rows(), 1);
    rounds_.push_back({.id = id, .is_warmup = is_warmup});
  }
}

}  // namespace foothold::policy
