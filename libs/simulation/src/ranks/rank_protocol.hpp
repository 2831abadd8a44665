#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "foothold/base/error.hpp"
#include "foothold/simulation/play/result.hpp"
#include "foothold/simulation/ranks/rank_agreement.hpp"
#include "foothold/simulation/ranks/ranks.hpp"

#include "files/run_record.hpp"

// How ranks share the work of a batch. Rank 0 leads: it alone knows what is finished. The work is
// dealt out beforehand; results go to the leader as they come, orders to stop come back.
namespace foothold::simulation {

/// What `act` throws, if it does; anything but an `Error` as an internal one.
[[nodiscard]] std::optional<Error> failure_of(const std::function<void()>& act);

/// What the leader tells before the work.
struct Beginning {
  std::uint64_t plan_digest = 0;
  std::vector<bool> finished{};  ///< By item.
};

/// Rank 0 during the work.
class Leader {
 public:
  using Keep = std::function<void(std::uint64_t item, RunResult run)>;

  /// Tells the others what is finished already, and they begin, if their plan has the same digest.
  /// `keep` gets their results.
  Leader(Ranks& ranks, const Beginning& beginning, Keep keep);

  /// Takes in what has arrived. Throws what `keep` throws.
  void poll();
  /// Tells the others to stop, once.
  void stop();
  /// Rounds that the others have played.
  [[nodiscard]] std::int64_t rounds_elsewhere() const;

  /// Waits for the others to end, with a call of `meanwhile` now and then, and tells them how all
  /// of this ended. Throws `own_failure`, or that of another rank, if there is one.
  void finish(std::optional<Error> own_failure, const std::function<void()>& meanwhile);

 private:
  void take(const Ranks::Received& message);

  Ranks& ranks_;
  Keep keep_;
  std::vector<std::int64_t> rounds_;
  int ended_ = 0;
  bool has_stopped_ = false;
  std::optional<Error> failure_{};
};

/// Any other rank during the work.
class Follower {
 public:
  /// Waits for the leader's beginning.
  explicit Follower(Ranks& ranks);

  [[nodiscard]] const Beginning& beginning() const noexcept { return beginning_; }
  [[nodiscard]] bool is_told_to_stop() const noexcept { return is_told_to_stop_; }

  /// Keeps a result until the next `poll`. From any thread.
  void keep(std::uint64_t item, const RunResult& run);
  /// Sends what was kept and how far this rank is; looks for orders.
  void poll(std::int64_t rounds_done);

  /// Sends the rest, and a failure if there is one, and waits for the leader's last word. Throws
  /// the failure that ended the batch, if one did.
  void finish(std::int64_t rounds_done, const std::optional<Error>& failure);

 private:
  Ranks& ranks_;
  Beginning beginning_;
  bool is_told_to_stop_ = false;
  std::mutex mutex_{};
  std::vector<Bytes> records_{};  // under the mutex
};

}  // namespace foothold::simulation
