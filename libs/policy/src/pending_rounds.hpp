#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "foothold/base/byte_stream.hpp"
#include "foothold/policy/decision.hpp"

namespace foothold::policy {

// A round that was asked and waits for its loss.
struct PendingRound {
  std::uint64_t id = 0;
  bool is_warmup = false;
  bool is_open = true;
};

// The open rounds, by id. Ids only grow, so the list is sorted by construction; closed rounds
// stay as marks until half the list is closed and it is compacted. Amortised O(log n + d) a round,
// no allocation while the number of open rounds does not grow.
class PendingRounds {
 public:
  explicit PendingRounds(Eigen::Index dim) : actions_(dim, 16) {}

  // Opens the next round and returns its id.
  DecisionId open(const Eigen::Ref<const Eigen::VectorXd>& action, bool is_warmup);
  // The position of an open round. Throws Error{NotFound} if it was never asked and
  // Error{Conflict} if it is closed.
  [[nodiscard]] std::size_t find(DecisionId id) const;
  [[nodiscard]] bool is_warmup(std::size_t position) const { return rounds_[position].is_warmup; }
  [[nodiscard]] auto action(std::size_t position) const {
    return actions_.col(static_cast<Eigen::Index>(position));
  }
  void close(std::size_t position);

  [[nodiscard]] std::size_t open_count() const noexcept { return rounds_.size() - closed_; }
  [[nodiscard]] std::uint64_t next_id() const noexcept { return next_id_; }

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  void compact();

  std::vector<PendingRound> rounds_;
  Eigen::MatrixXd actions_;  // column i is the action of rounds_[i]; spare columns behind
  std::size_t closed_ = 0;
  std::uint64_t next_id_ = 0;
};

}  // namespace foothold::policy
