#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <Eigen/Core>

#include "foothold/base/infinity.hpp"
#include "foothold/safety/certificate.hpp"

namespace foothold::policy {

/// Identifies one ask/tell exchange: the number of the round and the epoch in which it was asked.
/// Assigned by the policy, never reused. Rounds count from 0 and continue after a restore; the
/// epoch is 0 until the first `Policy::restore`, whose caller supplies the next. Two rounds that
/// bear the same number because a snapshot was restored after the first differ in their epoch.
enum class DecisionId : std::uint64_t {};

inline constexpr unsigned kRoundBits = 40;  ///< Of an id; the other 24 hold the epoch.
inline constexpr std::uint64_t kMaxEpoch = (std::uint64_t{1} << (64U - kRoundBits)) - 1U;
inline constexpr std::uint64_t kMaxRound = (std::uint64_t{1} << kRoundBits) - 1U;

[[nodiscard]] constexpr DecisionId make_id(std::uint64_t epoch, std::uint64_t round) noexcept {
  return DecisionId{(epoch << kRoundBits) | round};
}
[[nodiscard]] constexpr std::uint64_t epoch_of(DecisionId id) noexcept {
  return static_cast<std::uint64_t>(id) >> kRoundBits;
}
[[nodiscard]] constexpr std::uint64_t round_of(DecisionId id) noexcept {
  return static_cast<std::uint64_t>(id) & kMaxRound;
}
/// "epoch-round", as "0-17": the form in files and messages.
[[nodiscard]] std::string to_string(DecisionId id);
/// What `to_string` wrote; nothing for any other text.
[[nodiscard]] std::optional<DecisionId> id_from_string(std::string_view text) noexcept;

/// Why this action, as opposed to why it is safe.
enum class Purpose {
  WarmUp,       ///< A draw from the foothold [AAT19, Alg. 1, l. 3].
  Optimism,     ///< The optimistic choice over the certified set [AAT19, Alg. 1, l. 10].
  Fallback,     ///< The data certified nothing: the safest known action is played.
  Exploration,  ///< Played to learn whether a better action is safe.
  Thompson      ///< The best certified action for a drawn parameter.
};

/// The plan of `Targeted` that a decision rests on.
struct PlanRecord {
  Eigen::Index target = -1;     ///< −1: nothing is worth exploring.
  Eigen::Index teacher = -1;    ///< The arm, or the ray, to play for it.
  Eigen::VectorXd offset{};     ///< x − x₀ of the ray; empty on arms.
  double round = 0.0;           ///< When it was made …
  double log_det = -kInfinity;  ///< … at which log det A …
  double certified = -1.0;      ///< … with how many certified arms.
};

/// Everything that choosing changed in the policy and that later decisions rest on. With it a log
/// of decisions can be replayed without choosing again (`Policy::adopt`). Solvers' warm starts are
/// no part of it: they change the speed and the last bits of a later choice, nothing that is
/// proved.
struct ChoiceRecord {
  std::uint64_t draws = 0;            ///< Position of the stream of draws afterwards.
  std::uint64_t thompson_draws = 0;   ///< Position of Thompson's stream afterwards.
  std::int64_t explorations = 0;      ///< By the value rule, this one included.
  std::int64_t net_explorations = 0;  ///< By the net, this one included.
  PlanRecord plan{};
  /// Rare switching: log det A at the choice that is held, NaN if none is.
  double held_log_det = kNaN;
  bool has_switched = false;  ///< This decision is the one that is held from now on.
  /// The arms that were offered, where later bounds need them (GSLUCB's warm-up among contextual
  /// arms); empty otherwise.
  Eigen::MatrixXd context{};
};

/// One action, to be played by the caller, with the proof that it may be.
struct Decision {
  DecisionId id{};
  Eigen::VectorXd action{};
  std::optional<Eigen::Index> arm{};  ///< Row of the arms, for finite sets.
  safety::Certificate certificate{};
  Purpose purpose = Purpose::WarmUp;
  /// min over the region of vᵀx at the action: what optimism hopes for; NaN in warm-up.
  double optimistic_loss = kNaN;
  /// A proved lower bound on the optimistic loss of every certified action; NaN in warm-up.
  /// Its distance to `optimistic_loss` is how far from optimal the choice can be.
  double dual_bound = kNaN;
  ChoiceRecord record{};
};

}  // namespace foothold::policy
