#pragma once

#include <cstddef>

#include <Eigen/Core>

#include "foothold/base/byte_stream.hpp"
#include "foothold/estimation/ridge_estimate.hpp"
#include "foothold/policy/decision.hpp"
#include "foothold/safety/problem.hpp"

namespace foothold::policy {

/// A safe learner: `ask` for an action, play it, `tell` the loss.
///
/// Under the assumptions of the problem, with probability ≥ 1 − δ every action of every
/// decision satisfies all constraints, at all rounds at once. Losses may come late, in any order or
/// never; `ask` uses those it has. The guarantee needs whether and when a loss arrives to be
/// independent of its noise given the past: if large losses get lost, nothing is guaranteed.
///
/// Every call that throws leaves the policy unchanged. Same seed and same calls, same
/// decisions, bit for bit. Not thread-safe.
class Policy {
 public:
  Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  Policy(Policy&&) = delete;
  Policy& operator=(Policy&&) = delete;
  virtual ~Policy() = default;

  /// Opens a round. The decision is valid until the next call of `ask`; copy it to keep it.
  /// Throws `Error{NoSafeAction}` if nothing is certified; then no round is consumed. Throws
  /// `Error{InvalidArgument}` for contextual arms, which need `ask(arms)`.
  [[nodiscard]] virtual const Decision& ask() = 0;

  /// Opens a round whose actions are the rows of `arms`. For contextual problems only.
  /// Throws also `Error{InvalidArgument, "arms"}` if there is none, a size is wrong, an entry is
  /// not finite, or a row is longer than `action_bound`.
  [[nodiscard]] virtual const Decision& ask(const Eigen::Ref<const Eigen::MatrixXd>& arms) = 0;

  /// Closes a round with its loss. Throws `Error{NotFound}` if `id` was never asked and
  /// `Error{Conflict}` if it is closed, so a retried call cannot count one loss twice;
  /// `Error{InvalidArgument, "loss"}` if the loss is not finite; then the round stays open.
  virtual void tell(DecisionId id, double loss) = 0;

  /// Closes a round whose loss will never come. Throws as `tell` does.
  virtual void abandon(DecisionId id) = 0;

  /// Adds a logged pair that no decision stands behind. Throws `Error{InvalidArgument}` on a
  /// wrong size, an entry that is not finite, or an action longer than `action_bound`.
  virtual void observe(const Eigen::VectorXd& action, double loss) = 0;

  /// Everything that the next decisions depend on, bit for bit.
  [[nodiscard]] virtual Bytes snapshot() const = 0;

  /// Replaces the state by a snapshot of a policy with the same problem and options. Throws
  /// `Error{InvalidArgument, "snapshot"}` if the bytes are damaged or of an unknown version, and
  /// `Error{Conflict, "snapshot"}` if they belong to another problem or other options.
  virtual void restore(const Bytes& snapshot) = 0;

  [[nodiscard]] virtual const safety::Problem& problem() const noexcept = 0;
  [[nodiscard]] virtual const estimation::RidgeEstimate& estimate() const noexcept = 0;
  /// Rounds asked and neither told nor abandoned.
  [[nodiscard]] virtual std::size_t open_rounds() const noexcept = 0;
  /// Rounds asked so far.
  [[nodiscard]] virtual std::uint64_t rounds() const noexcept = 0;
};

}  // namespace foothold::policy
