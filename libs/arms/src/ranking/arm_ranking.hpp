#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/arms/arm_scan.hpp"

#include "ranking/loss_order.hpp"
#include "screen/arm_screen.hpp"
#include "table/arm_forms.hpp"

namespace foothold::arms {

// What does not change while one choice is made.
struct ArmQuestion {
  const estimation::RidgeEstimate& estimate;
  const estimation::ConfidenceRegion& region;
  const std::vector<bool>& proved;  // by row of all arms; may be empty
  safety::Certifier& certifier;
  ArmScreen& screen;  // begun
};

// The choice among the arms of a block, by the definition: losses of all arms from the factor, then
// certificates in the order of the losses. Few arms or many, fixed or new, every choice ends here.
class ArmRanking {
 public:
  ArmRanking(Eigen::Index dim, ArmOptimism optimism);

  // Makes room, so that a choice among no more arms than that does not allocate.
  void reserve(Eigen::Index count);

  // `rows` has the row of each arm of the block, in rising order; such blocks are padded. Null:
  // the block is a whole matrix, not padded.
  const ArmChoice& choose(const ArmQuestion& question, const ArmBlock<double>& arms,
                          const std::vector<Eigen::Index>* rows, safety::Certificate& certificate);

 private:
  void compute_losses(const ArmQuestion& question, const ArmBlock<double>& arms, bool is_padded);
  void drop_refused(const ArmQuestion& question, const ArmBlock<double>& arms,
                    const std::vector<Eigen::Index>* rows);
  [[nodiscard]] Eigen::Index refusals_before_drop(Eigen::Index count) const;
  bool is_certified(const ArmQuestion& question, const ArmBlock<double>& arms,
                    Eigen::Index position, Eigen::Index row, safety::Certificate& certificate);

  ArmOptimism optimism_;
  ArmTail<double> tail_;
  Eigen::VectorXd losses_;  // +∞: ruled out
  Eigen::VectorXd spreads_;
  Eigen::VectorXd arm_;
  LossOrder order_;            // of those not ruled out
  bool has_dropped_ = false;   // all that the screen refuses
  int expects_refusals_ = 0;   // for so many choices to come; a matter of speed only
  bool expects_many_ = false;  // refusals, as the last time; likewise
  ArmChoice choice_;
};

}  // namespace foothold::arms
