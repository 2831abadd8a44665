#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "foothold/base/random_stream.hpp"
#include "foothold/config/experiment.hpp"

namespace foothold::simulation {

/// A loss on its way.
struct LateLoss {
  std::int64_t due = 0;      ///< The round before which it arrives.
  std::int64_t round = 0;    ///< The round it belongs to.
  std::uint64_t ticket = 0;  ///< … as the contestant calls it.
  double loss = 0.0;
};

/// Losses that come late or never. Each round's fate is drawn from a stream of its own, two
/// draws a round, so that all policies of a run wait for the same rounds, and neither depends on
/// the noise. Holds only what is on its way.
class FeedbackQueue {
 public:
  FeedbackQueue(const config::FeedbackConfig& feedback, RandomStream random);

  /// Sends the loss of a round off; false if it will never arrive. The delay D is geometric,
  /// P(D = k) = p(1 − p)^k with mean (1 − p)/p = `delay_mean`; the loss of round t is there before
  /// round t + 1 + D. Call once a round, in order.
  [[nodiscard]] bool send(std::int64_t round, std::uint64_t ticket, double loss);

  /// The next loss that is there before `round`, by due round and then by age; none if there is no
  /// more.
  [[nodiscard]] std::optional<LateLoss> receive(std::int64_t round);

 private:
  config::FeedbackConfig feedback_;
  RandomStream random_;
  double log_survival_;         // log(1 − p)
  std::vector<LateLoss> heap_;  // the earliest on top
};

}  // namespace foothold::simulation
