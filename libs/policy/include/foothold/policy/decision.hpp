#pragma once

#include <cstdint>
#include <optional>

#include <Eigen/Core>

#include "foothold/base/infinity.hpp"
#include "foothold/safety/certificate.hpp"

namespace foothold::policy {

/// Identifies one ask/tell exchange. Assigned by the policy, never reused.
enum class DecisionId : std::uint64_t {};

/// Why this action, as opposed to why it is safe.
enum class Purpose {
  WarmUp,       ///< A draw from the foothold [AAT19, Alg. 1, l. 3].
  Optimism,     ///< The optimistic choice over the certified set [AAT19, Alg. 1, l. 10].
  Fallback,     ///< The data certified nothing: the safest known action is played.
  Exploration,  ///< Played to learn whether a better action is safe.
  Thompson      ///< The best certified action for a drawn parameter.
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
};

}  // namespace foothold::policy
