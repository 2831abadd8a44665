#include "play/feedback_queue.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace foothold::simulation {
namespace {

// Beyond any horizon, and far from overflow.
constexpr double kMaxDelay = 0x1p61;

bool is_later(const LateLoss& a, const LateLoss& b) {
  return std::tie(a.due, a.round) > std::tie(b.due, b.round);
}

}  // namespace

FeedbackQueue::FeedbackQueue(const config::FeedbackConfig& feedback, RandomStream random)
    : feedback_(feedback),
      random_(random),
      // p = 1/(1 + mean), so 1 − p = mean/(1 + mean); −∞ without delay.
      log_survival_(-std::log1p(1.0 / feedback.delay_mean)) {}

bool FeedbackQueue::send(std::int64_t round, std::uint64_t ticket, double loss) {
  const bool is_missing = random_.uniform() < feedback_.missing;
  // By inversion, P(D ≥ k) = (1 − p)^k; 1 − U lies in (0, 1].
  const double waiting = std::log1p(-random_.uniform()) / log_survival_;
  if (is_missing) {
    return false;
  }
  const auto delay = static_cast<std::int64_t>(std::min(std::floor(waiting), kMaxDelay));
  heap_.push_back({.due = round + 1 + delay, .round = round, .ticket = ticket, .loss = loss});
  std::ranges::push_heap(heap_, is_later);
  return true;
}

std::optional<LateLoss> FeedbackQueue::receive(std::int64_t round) {
  if (heap_.empty() || heap_.front().due > round) {
    return std::nullopt;
  }
  std::ranges::pop_heap(heap_, is_later);
  const LateLoss next = heap_.back();
  heap_.pop_back();
  return next;
}

}  // namespace foothold::simulation
