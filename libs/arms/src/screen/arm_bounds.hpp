#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/safety/safety_rule.hpp"

#include "table/arm_group.hpp"
#include "table/arm_products.hpp"

namespace foothold::arms {

// What may happen to the state before a shortlist made now expires; docs/algorithms/arm_scan.md.
// Widths are those of the tracked state, r is the largest norm of an arm.
struct ArmOutlook {
  double radius = 0.0;          // β now, which does not fall …
  double largest_radius = 0.0;  // … and rises at most to this.
  double drift = 0.0;           // |Δμ̂ᵀx| ≤ drift·‖x‖_{A⁻¹} + blur·‖x‖ …
  double shrinkage = 1.0;       // widths are multiplied by at least this and at most 1 …
  double blur = 0.0;            // … up to blur·‖x‖.
  bool can_refuse = true;       // whether the data-driven bound of the tracked state decides alone
};

// Bounds on the losses of arms from what is tracked of them, tile by tile: from below, for as long
// as an outlook holds, and +∞ where no certificate can come; from above, for the best arm that is
// certain to be certified now. Whether an arm is certified is judged by the bounds of
// `safety::SafeSet`, in single precision and with slack; rooms come with the groups.
class ArmBounds {
 public:
  // Makes room for so many arms, and forgets.
  void resize(Eigen::Index count);

  // Begins with all arms, of which none will be asked for above the best loss plus `allowance`.
  void begin(const ArmOutlook& outlook, const safety::SafetyRule& rule, Eigen::Index dim,
             double allowance);
  // Goes on with tiles of this precision, by group. `mu_norm` ≥ ‖μ̂‖.
  void begin_slice(const std::vector<ArmGroup>& groups, const std::vector<ArmPrecision>& precision,
                   double mu_norm);
  void bound(const std::vector<ArmGroup>& groups, Eigen::Index tile);

  // A loss that some arm which is certified now does not exceed; +∞ if none is certain to be.
  [[nodiscard]] double best() const { return static_cast<double>(best_sure_); }
  // The arms that might be certified with a loss ≤ limit, which is at most the best loss plus the
  // allowance; in their order. Stops beyond `most`.
  void collect(double limit, std::size_t most, std::vector<Eigen::Index>& rows) const;

 private:
  static constexpr Eigen::Index kTile = ArmProducts::kTile;

  // What all arms of a slice have in common, for one group.
  struct Limits {
    float pad = 0.0F;         // on squares
    float slack = 0.0F;       // on estimates, and the rounding of bounds
    float limit = 0.0F;       // room plus that
    float sure_limit = 0.0F;  // room less that
  };

  void bound_safety(const std::vector<ArmGroup>& groups, Eigen::Index tile, const float* low_losses,
                    const float* high_losses);

  Eigen::Index count_ = 0;
  AlignedFloats lows_;            // of each arm
  std::vector<float> tile_lows_;  // the smallest of each tile; +∞: none counts
  float best_sure_ = 0.0F;
  std::vector<Limits> limits_;  // by group
  // Of the outlook and the rule:
  Eigen::Index dim_ = 0;
  double largest_reach_ = 0.0;
  double blur_ = 0.0;
  float reach_ = 0.0F;
  float radius_ = 0.0F;
  float drift_ = 0.0F;
  float caution_ = 0.0F;
  float sure_caution_ = 0.0F;
  float sure_prior_ = 0.0F;  // arms with `prior` below need no data to be certified …
  float open_prior_ = 0.0F;  // … and with `prior` above are certified by data or not at all
  float allowance_ = 0.0F;
  bool can_refuse_ = false;
};

}  // namespace foothold::arms
