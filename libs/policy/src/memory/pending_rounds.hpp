#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "foothold/base/byte_stream.hpp"
#include "foothold/policy/decision.hpp"

namespace foothold::policy {

// A round that was asked and waits for its loss.
struct PendingRound {
  DecisionId id{};
  bool is_warmup = false;
  bool is_open = true;
};

// The open rounds, by id. Rounds only grow, so the list is sorted by construction; closed rounds
// stay as marks until half the list is closed and it is compacted. Amortised O(log n + d) a round,
// no allocation while the number of open rounds does not grow.
class PendingRounds {
 public:
  explicit PendingRounds(Eigen::Index dim) : actions_(dim, 16), epochs_(1) {}

  // Room for one more round: the next `open` allocates nothing and does not throw.
  void make_room();
  // The id that the next round will have. Throws Error{Unavailable} after 2⁴⁰ rounds.
  [[nodiscard]] DecisionId next_id() const;
  // Opens the next round and returns its id.
  DecisionId open(const Eigen::Ref<const Eigen::VectorXd>& action, bool is_warmup);
  // The position of an open round. Throws Error{NotFound} if it was never asked and
  // Error{Conflict} if it is closed.
  [[nodiscard]] std::size_t find(DecisionId id) const;
  [[nodiscard]] bool is_warmup(std::size_t position) const { return rounds_[position].is_warmup; }
  [[nodiscard]] auto action(std::size_t position) const {
    return actions_.col(static_cast<Eigen::Index>(position));
  }
  void close(std::size_t position) noexcept;

  // Rounds asked from now on belong to this epoch. Throws Error{Conflict, "epoch"} unless it is
  // above every earlier one, and Error{InvalidArgument, "epoch"} if it is above kMaxEpoch.
  void begin_epoch(std::uint64_t epoch);
  [[nodiscard]] std::uint64_t epoch() const noexcept { return epochs_.back().number; }

  [[nodiscard]] std::size_t open_count() const noexcept { return rounds_.size() - closed_; }
  // Rounds asked so far, in all epochs.
  [[nodiscard]] std::uint64_t count() const noexcept { return next_round_; }

  void save(ByteWriter& out) const;
  // Only into a list without rounds. Throws Error{InvalidArgument, "snapshot"}.
  void load(ByteReader& in);

 private:
  struct Epoch {
    std::uint64_t number = 0;
    std::uint64_t first_round = 0;
  };

  [[nodiscard]] bool was_asked(DecisionId id) const;
  void compact() noexcept;

  std::vector<PendingRound> rounds_;
  Eigen::MatrixXd actions_;  // column i is the action of rounds_[i]; spare columns behind
  std::size_t closed_ = 0;
  std::uint64_t next_round_ = 0;
  std::vector<Epoch> epochs_;  // by their numbers, hence by their first rounds
};

}  // namespace foothold::policy
