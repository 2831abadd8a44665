#pragma once

#include <Eigen/Core>

#include "shortlist/arm_state.hpp"
#include "shortlist/tracked_arms.hpp"

namespace foothold::arms {

// How far the state has gone from where the candidates were named (docs/algorithms/arm_scan.md).
// Followed change by change, each judged from two states; O(d²) for a change of low rank.
class ArmReach {
 public:
  explicit ArmReach(Eigen::Index dim) : product_(dim), shift_(dim), rotated_(dim) {}

  // What may happen to a state while `is_within` holds for candidates named there.
  static ArmOutlook outlook(const ArmState& state, double latitude);

  // Candidates are named in this state, which is kept.
  void begin(const ArmState& state, double latitude);
  [[nodiscard]] const ArmState& start() const noexcept { return start_; }
  // The state goes on. Whether it is still within the outlook.
  [[nodiscard]] bool is_within(const ArmState& from, const ArmChange& change, const ArmState& to);

 private:
  [[nodiscard]] bool follows(const ArmState& from, const ArmChange& change);
  [[nodiscard]] bool is_drift_within(const ArmState& to);

  ArmState start_;
  double latitude_ = 0.0;
  double growth_ = 0.0;  // ‖x‖²_{A⁻¹} has grown by no more than this share of ‖x‖² …
  double log_shrinkage_ = 0.0;  // … and widths have shrunk by no more than this factor's inverse
  // Workspaces.
  Eigen::VectorXd product_;
  Eigen::VectorXd shift_;
  Eigen::VectorXd rotated_;
};

}  // namespace foothold::arms
