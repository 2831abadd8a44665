#pragma once

#include <cstddef>
#include <cstdint>

#include <Eigen/Core>

#include "foothold/base/byte_stream.hpp"
#include "foothold/base/error.hpp"
#include "foothold/estimation/ridge_estimate.hpp"
#include "foothold/policy/decision.hpp"
#include "foothold/safety/problem.hpp"

namespace foothold::policy {

/// Whether a snapshot holds what solvers keep between rounds. Without, it is smaller, and the next
/// decisions may take longer and differ in their last bits; what is proved is the same.
enum class WarmStarts { Keep, Drop };

/// A safe learner: `ask` for an action, play it, `tell` the loss.
///
/// Under the assumptions of the problem, with probability ≥ 1 − δ every action of every
/// decision satisfies all constraints, at all rounds at once. Losses may come late, in any order or
/// never; `ask` uses those it has. The guarantee needs whether and when a loss arrives to be
/// independent of its noise given the past: if large losses get lost, nothing is guaranteed.
///
/// Every call that throws leaves the policy unchanged; an `ask` that runs out of memory may change
/// what solvers keep between rounds, which no proof rests on. Same seed and same calls, same
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
  /// `Error{InvalidArgument, "loss"}` if the loss is not finite, or larger than 40 times S·L + R,
  /// which the assumptions exclude; then the round stays open.
  virtual void tell(DecisionId id, double loss) = 0;

  /// Closes a round whose loss will never come. Throws as `tell` does.
  virtual void abandon(DecisionId id) = 0;

  /// Adds a logged pair that no decision stands behind. Throws `Error{InvalidArgument}` on a
  /// wrong size, an entry that is not finite, an action longer than `action_bound` or a loss that
  /// `tell` refuses; with `PolicyOptions::refuse_duplicates` also `Error{Conflict}` on a pair that
  /// was told or observed before, bit for bit.
  ///
  /// **The guarantee needs every pair once, and pairs that were not picked by their losses.** Logs
  /// filtered by outcome, say without the bad days, or passed twice, make the estimate surer than
  /// the data are: then actions are unsafe and still certified. Nobody here can notice a filter.
  virtual void observe(const Eigen::VectorXd& action, double loss) = 0;

  /// Opens a round with a decision that was made earlier, here or elsewhere, so that a log can be
  /// replayed without choosing again, also by a later version that would choose otherwise. It is
  /// accepted if the digest in its certificate equals that of the present state: then it was made
  /// from the same problem, options and observations; the same holds if it repeats a proof that the
  /// state remembers (rare switching, nested regions). Or if the present state certifies the
  /// action: then the new certificate takes the place of the old one. Returns the decision as it
  /// was opened, valid as that of `ask`.
  ///
  /// Throws `Error{Conflict}` if it is neither, or not the next round, or from an earlier epoch;
  /// `Error{InvalidArgument}` naming the field if it is no decision of this problem.
  virtual const Decision& adopt(const Decision& decision) = 0;

  /// Everything that the next decisions depend on, bit for bit.
  [[nodiscard]] virtual Bytes snapshot(WarmStarts warm = WarmStarts::Keep) const = 0;

  /// Replaces the state by a snapshot of a policy with the same problem and options. Rounds that
  /// are open in it keep their ids; those asked from now on belong to `epoch`, so that no loss of a
  /// round that the snapshot does not know can be credited to a new one. The caller counts epochs:
  /// a number inside the snapshot would come again when one snapshot is restored twice. The state
  /// is trusted as the data are: whoever can forge a snapshot can make actions look safe.
  ///
  /// Throws `Error{InvalidArgument, "snapshot"}` if the bytes are damaged, impossible or of an
  /// unknown version, `Error{Conflict, "snapshot"}` if they belong to another problem or other
  /// options, and `Error{Conflict, "epoch"}` unless the epoch is above those of the snapshot.
  /// References to the estimate and to the last decision end.
  virtual void restore(const Bytes& snapshot, std::uint64_t epoch) = 0;

  [[nodiscard]] virtual const safety::Problem& problem() const noexcept = 0;
  [[nodiscard]] virtual const estimation::RidgeEstimate& estimate() const noexcept = 0;
  /// Rounds asked and neither told nor abandoned.
  [[nodiscard]] virtual std::size_t open_rounds() const noexcept = 0;
  /// Rounds asked so far.
  [[nodiscard]] virtual std::uint64_t rounds() const noexcept = 0;
};

}  // namespace foothold::policy
