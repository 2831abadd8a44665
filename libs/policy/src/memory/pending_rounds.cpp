#include "memory/pending_rounds.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "foothold/base/error.hpp"
#include "foothold/base/simd/fixed_dim.hpp"

#include "memory/certificate_bytes.hpp"

namespace foothold::policy {
void PendingRounds::make_room() {
  const auto column = static_cast<Eigen::Index>(rounds_.size());
  if (column == actions_.cols()) {
    actions_.conservativeResize(Eigen::NoChange, 2 * actions_.cols());
  }
  if (rounds_.size() == rounds_.capacity()) {
    rounds_.reserve(2 * rounds_.size() + 16);
  }
}

DecisionId PendingRounds::next_id() const {
  if (next_round_ > kMaxRound) {
    throw Error(ErrorCode::Unavailable, "round",
                fmt::format("must be at most {}: no ids are left", kMaxRound));
  }
  return make_id(epoch(), next_round_);
}

DecisionId PendingRounds::open(const Eigen::Ref<const Eigen::VectorXd>& action, bool is_warmup) {
  make_room();
  const DecisionId id = next_id();
  copy_vector(action, actions_.col(static_cast<Eigen::Index>(rounds_.size())));
  rounds_.push_back({.id = id, .is_warmup = is_warmup});
  ++next_round_;
  return id;
}

// Whether this id was given out, by the epochs in which the rounds were asked.
bool PendingRounds::was_asked(DecisionId id) const {
  const std::uint64_t round = round_of(id);
  const auto after = std::upper_bound(
      epochs_.begin(), epochs_.end(), round,
      [](std::uint64_t value, const Epoch& epoch) { return value < epoch.first_round; });
  return round < next_round_ && std::prev(after)->number == epoch_of(id);
}

std::size_t PendingRounds::find(DecisionId id) const {
  if (!rounds_.empty() && rounds_.back().id == id && rounds_.back().is_open) {
    return rounds_.size() - 1;  // as when no loss is late
  }
  if (!was_asked(id)) {
    throw Error(ErrorCode::NotFound, "id",
                fmt::format("must have been asked, got {}", to_string(id)));
  }
  const auto entry = std::lower_bound(
      rounds_.begin(), rounds_.end(), round_of(id),
      [](const PendingRound& round, std::uint64_t value) { return round_of(round.id) < value; });
  if (entry == rounds_.end() || entry->id != id || !entry->is_open) {
    throw Error(ErrorCode::Conflict, "id",
                fmt::format("must be open, but {} was told or abandoned", to_string(id)));
  }
  return static_cast<std::size_t>(entry - rounds_.begin());
}

void PendingRounds::close(std::size_t position) noexcept {
  rounds_[position].is_open = false;
  ++closed_;
  if (closed_ == rounds_.size()) {
    rounds_.clear();
    closed_ = 0;
  } else if (2 * closed_ >= rounds_.size()) {
    compact();
  }
}

void PendingRounds::compact() noexcept {
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

void PendingRounds::begin_epoch(std::uint64_t epoch) {
  if (epoch > kMaxEpoch) {
    throw Error(ErrorCode::InvalidArgument, "epoch",
                fmt::format("must be at most {}, got {}", kMaxEpoch, epoch));
  }
  if (epoch <= epochs_.back().number) {
    throw Error(
        ErrorCode::Conflict, "epoch",
        fmt::format("must be above {}, the epoch of the snapshot, got {}: ids must not come "
                    "again",
                    epochs_.back().number, epoch));
  }
  epochs_.push_back({.number = epoch, .first_round = next_round_});
}

void PendingRounds::save(ByteWriter& out) const {
  out.write(next_round_);
  out.write(static_cast<std::uint64_t>(epochs_.size()));
  for (const Epoch& epoch : epochs_) {
    out.write(epoch.number);
    out.write(epoch.first_round);
  }
  out.write(static_cast<std::uint64_t>(open_count()));
  for (std::size_t i = 0; i < rounds_.size(); ++i) {
    if (rounds_[i].is_open) {
      out.write(static_cast<std::uint64_t>(rounds_[i].id));
      out.write(static_cast<std::uint64_t>(rounds_[i].is_warmup ? 1 : 0));
      out.write(actions_.col(static_cast<Eigen::Index>(i)));
    }
  }
}

void PendingRounds::load(ByteReader& in) {
  next_round_ = in.read_word();
  if (next_round_ > kMaxRound) {
    refuse_snapshot(
        fmt::format("must have asked at most {} rounds, got {}", kMaxRound, next_round_));
  }
  const std::uint64_t epochs = in.read_word();
  if (epochs == 0) {
    refuse_snapshot("must have an epoch");
  }
  epochs_.clear();
  for (std::uint64_t i = 0; i < epochs; ++i) {
    const std::uint64_t number = in.read_word();
    const std::uint64_t first = in.read_word();
    const bool is_later =
        i == 0 ? first == 0 : number > epochs_.back().number && first >= epochs_.back().first_round;
    if (number > kMaxEpoch || first > next_round_ || !is_later) {
      refuse_snapshot(
          fmt::format("must list its epochs in order, got {} from round {}", number, first));
    }
    epochs_.push_back({.number = number, .first_round = first});
  }
  const std::uint64_t count = in.read_word();
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto id = DecisionId{in.read_word()};
    const bool is_warmup = in.read_word() != 0;
    if (!was_asked(id) || (!rounds_.empty() && round_of(id) <= round_of(rounds_.back().id))) {
      refuse_snapshot(fmt::format("must list open rounds in order, got id {}", to_string(id)));
    }
    make_room();
    actions_.col(static_cast<Eigen::Index>(rounds_.size())) = in.read_matrix(actions_.rows(), 1);
    rounds_.push_back({.id = id, .is_warmup = is_warmup});
  }
}

}  // namespace foothold::policy
