#pragma once

#include <optional>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "foothold/base/infinity.hpp"

#include "arm_ranking.hpp"
#include "arm_table.hpp"
#include "tracked_arms.hpp"

namespace foothold::selection {

// Of many fixed arms, those that can be the choice, for the state it is made in and for as long
// as the state stays close to that one (docs/algorithms/arm_scan.md). Whether it still does is
// judged from the two states alone, after the fact: no history is trusted, so a state that was
// restored or belongs to another estimate is no special case. Ellipsoidal optimism.
class ArmShortlist {
 public:
  // Keeps references to the problem and the features.
  ArmShortlist(const safety::Problem& problem, const Eigen::MatrixXd& features);

  // Looks at a state. True if the list, as it is, serves for it.
  bool is_current(const ArmQuestion& question);
  // Makes the list anew, for the state looked at last. False if it would be no shorter than a scan
  // of all arms is worth; then there is no list.
  bool renew(const ArmQuestion& question);

  [[nodiscard]] const ArmTable& arms() const noexcept { return table_; }
  // How long a list should be at most; it is longer only where losses are all but equal.
  [[nodiscard]] std::size_t most() const;
  // Whether the choice among the arms of the list is the choice among all arms.
  [[nodiscard]] bool settles(const ArmChoice& choice) const {
    return (choice.arm >= 0 ? choice.optimistic_loss : kInfinity) <= limit_;
  }

 private:
  // A state, as far as arms depend on it.
  struct State {
    Eigen::VectorXd mu_hat{};
    Eigen::MatrixXd factor{};   // F
    Eigen::MatrixXd forms{};    // F⁻ᵀ: column r holds row r of F⁻¹
    Eigen::MatrixXd inverse{};  // A⁻¹
    double radius = 0.0;        // β
    double log_det = 0.0;       // of A
    double scale = 0.0;         // a typical ‖x‖_{A⁻¹}/‖x‖
    bool can_refuse = false;    // ArmScreen
  };

  void look(const ArmQuestion& question);
  [[nodiscard]] bool is_close();
  [[nodiscard]] bool is_in_range() const;
  void plan_sweep();
  [[nodiscard]] bool factor_change();
  [[nodiscard]] ArmOutlook outlook(double latitude) const;
  void list(double latitude);
  double next_latitude();

  const Eigen::MatrixXd* features_;
  TrackedArms tracked_;
  State state_;            // the present one
  State listed_;           // of the last sweep
  bool has_sweep_ = true;  // of the state without data, when it is made
  bool has_list_ = false;
  safety::SafetyRule rule_;  // of the list
  // Latitude: how far the state may go before a list expires, as a share of β. More makes lists
  // longer; what is right depends on how fast the state moves, and is learnt from the last lists.
  double latitude_;             // to try next
  double used_latitude_ = 0.0;  // of this list
  int served_ = 0;              // rounds that this list was good for
  int pause_ = 0;               // lists to come without latitude …
  int next_pause_ = 1;          // … and after the next vain attempt
  double limit_ = 0.0;          // losses up to this are settled by the list
  ArmTable table_;
  std::vector<Eigen::Index> rows_;
  std::vector<bool> proved_;
  // Workspaces.
  Eigen::MatrixXd ratio_;
  Eigen::MatrixXd change_;
  Eigen::MatrixXd vectors_;
  Eigen::VectorXd shift_;
  Eigen::VectorXd rotated_;
  Eigen::Index rank_ = 0;
  double remainder_ = 0.0;
  Eigen::LLT<Eigen::MatrixXd> cholesky_;
};

}  // namespace foothold::selection
