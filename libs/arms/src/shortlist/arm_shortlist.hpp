#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/base/infinity.hpp"

#include "ranking/arm_ranking.hpp"
#include "shortlist/arm_latitude.hpp"
#include "shortlist/arm_reach.hpp"
#include "shortlist/arm_state.hpp"
#include "shortlist/tracked_arms.hpp"
#include "table/arm_table.hpp"

namespace foothold::arms {

// Of many fixed arms, those that can be the choice (docs/algorithms/arm_scan.md). In two steps: a
// sweep over all arms names candidates, which serve as long as the state stays close to that of the
// sweep; in each state a sweep over the candidates leaves the few that rounding cannot tell apart.
// How far the state has gone is judged from the states alone, after the fact: no history is
// trusted, so a state that was restored or belongs to another estimate is no special case.
// Ellipsoidal optimism.
class ArmShortlist {
 public:
  // Keeps references to the problem and the features.
  ArmShortlist(const safety::Problem& problem, const Eigen::MatrixXd& features);

  // Looks at a state. True if the candidates serve for it; then the list is made from them.
  bool is_current(const ArmQuestion& question);
  // Makes the list from all arms, for the state looked at last. False if it would be no shorter
  // than a scan of all arms is worth; then there is no list.
  bool renew(const ArmQuestion& question);

  [[nodiscard]] const ArmTable& arms() const noexcept { return table_; }
  // How long a list usually is at most; it is longer only where losses are all but equal.
  [[nodiscard]] std::size_t most() const;
  // Whether the choice among the arms of the list is the choice among all arms.
  [[nodiscard]] bool settles(const ArmChoice& choice) const {
    return (choice.arm >= 0 ? choice.optimistic_loss : kInfinity) <= limit_;
  }

 private:
  [[nodiscard]] Eigen::Index most_candidates() const;
  [[nodiscard]] bool is_in_range() const;
  bool name_candidates(double latitude);
  void list_candidates();

  const Eigen::MatrixXd* features_;
  TrackedArms all_;
  TrackedArms candidates_;
  ArmState state_;     // the present one
  ArmState previous_;  // the one before
  ArmReach reach_;     // starts in the state of the last sweep over all arms
  ArmStateChange change_;
  bool has_candidates_ = false;  // which follow the present state
  safety::SafetyRule rule_;      // of the last sweep over all arms
  ArmLatitude latitude_;
  int served_ = 0;                // rounds that the candidates were good for
  double candidate_limit_ = 0.0;  // losses up to this are settled by the candidates …
  double limit_ = 0.0;            // … and up to this by the list
  std::vector<Eigen::Index> candidate_rows_;
  std::vector<Eigen::Index> rows_;
  ArmTable table_;
  std::vector<bool> proved_;
};

}  // namespace foothold::arms
