#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/safety/problem.hpp"
#include "foothold/safety/safe_set.hpp"
#include "foothold/safety/safety_rule.hpp"

#include "screen/arm_bounds.hpp"
#include "table/arm_group.hpp"
#include "table/arm_products.hpp"

namespace foothold::arms {

// A state to be followed, and how it differs from that before: A⁻¹ lost VVᵀ for the first `rank`
// columns of V and something of norm ≤ `remainder`; μ̂ moved by V·weights and something of norm ≤
// `shift_remainder`. No V: the state before does not matter.
struct ArmChange {
  const Eigen::VectorXd& mu_hat;
  const Eigen::MatrixXd& forms;  // F⁻ᵀ: the rows of F⁻¹ as columns
  const Eigen::MatrixXd* V = nullptr;
  const Eigen::VectorXd* weights = nullptr;
  Eigen::Index rank = 0;
  double remainder = 0.0;
  double shift_remainder = 0.0;
};

// For K arms x, in single precision and with proved bounds on the errors, the state's
//
//     μ̂ᵀx,  ‖x‖²_{A⁻¹},    and with z = B_k(x − x₀) for every constraint    μ̂ᵀz,  ‖z‖²_{A⁻¹}.
//
// They follow the state: a change of μ̂ by Vc and of A⁻¹ by −VVᵀ changes them by forms in x, since
// aᵀz = (Bᵀa)ᵀ(x − x₀). One pass over the arms, and no images Bx kept. What precision that costs by
// and by is made good a slice of the arms at a time, so that no round has to compute all anew.
class TrackedArms {
 public:
  // Keeps references to the problem and the features. The state is that without data: μ̂ = 0, A =
  // λI.
  TrackedArms(const safety::Problem& problem, const Eigen::MatrixXd& features);
  // No arms, and room for some of those of another.
  TrackedArms(const TrackedArms& all, Eigen::Index most);

  // Takes over these arms, with the state that the other follows. From now on arms are numbered in
  // the order given.
  void assign(const TrackedArms& all, const std::vector<Eigen::Index>& rows);

  // False if the arms are so long or so short that single precision might not hold them.
  [[nodiscard]] bool is_usable() const noexcept { return is_usable_; }
  [[nodiscard]] double largest_norm() const noexcept { return norm_; }
  // Which arms need no certificate any more; none before the first call.
  void set_proved(const std::vector<bool>& proved);

  // The next sweep follows a change of the state.
  void plan(const ArmChange& change);

  // One pass: does what is planned, and bounds every arm's loss for the outlook. Returns a loss
  // that some arm which is certified now does not exceed; +∞ if none is certain to be certified.
  // Above that loss plus `allowance` no arm will be asked for.
  double sweep(const ArmOutlook& outlook, const safety::SafetyRule& rule, double allowance);
  // The arms that might be certified with a loss ≤ limit while the outlook of the last sweep
  // holds, in their order; stops beyond `most`.
  void collect(double limit, std::size_t most, std::vector<Eigen::Index>& rows) const {
    bounds_.collect(limit, most, rows);
  }

 private:
  static constexpr Eigen::Index kTile = ArmProducts::kTile;
  using Tile = Eigen::Array<float, kTile, 1>;

  // Arms that lie together and are computed anew together.
  struct Slice {
    Eigen::Index first = 0;                 // tile
    Eigen::Index last = 0;                  // the one behind
    Eigen::Index age = 0;                   // sweeps since
    std::vector<ArmPrecision> precision{};  // by group
  };
  // Of the state's own forms, for one group; s ≥ |aᵀx| for a form a and every arm.
  struct Fresh {
    double squares = 0.0;  // Σ s² for the rows of F⁻¹
    double linear = 0.0;   // s for μ̂
    double largest = 0.0;  // square that they gave, in one slice
  };

  enum class Plan { None, Refresh, Update };

  [[nodiscard]] double ridge() const;
  [[nodiscard]] Eigen::Index tiles() const { return (count_ + kTile - 1) / kTile; }
  [[nodiscard]] const float* tile_entries(Eigen::Index tile) const {
    return entries_.data() + tile * kTile * features_->cols();
  }
  void make_room(Eigen::Index count);
  void fill_tiles();
  void cut_slices();
  void fill_group(std::size_t group);
  void fill_prior(std::size_t group);
  template <typename Take>
  void for_each_norm_sq(const ArmGroup& group, const Take& take) const;
  double set_form(ArmProducts& products, Eigen::Index form, const ArmGroup& group,
                  const Eigen::Ref<const Eigen::VectorXd>& a);
  void load_fresh_products();
  [[nodiscard]] bool is_stale(const Slice& slice, double radius) const;
  void refresh(Slice& slice);
  void follow(Slice& slice) const;
  void update_tile(Eigen::Index tile);

  const safety::Problem* problem_;
  safety::SafeSet safe_set_;  // rooms and S; it has no state
  const Eigen::MatrixXd* features_;
  Eigen::Index count_ = 0;
  bool is_usable_ = false;
  double norm_ = 0.0;
  AlignedFloats entries_;         // tile by tile
  std::vector<ArmGroup> groups_;  // x, then one per constraint
  std::vector<Slice> slices_;
  std::vector<bool> proved_;
  ArmBounds bounds_;

  Plan plan_ = Plan::None;
  // The change that is planned:
  Eigen::Index rank_ = 0;
  ArmProducts products_;        // columns of V, each for all groups
  ArmProducts fresh_products_;  // rows of F⁻¹, each for all groups, then μ̂
  Eigen::VectorXf weights_;
  std::vector<Fresh> fresh_;
  // The state:
  Eigen::MatrixXd fresh_forms_;  // F⁻ᵀ
  Eigen::VectorXd fresh_mu_hat_;
  bool has_fresh_products_ = false;  // of these
  double scale_ = 0.0;               // a typical ‖x‖_{A⁻¹}/‖x‖
  double mu_norm_ = 0.0;             // ≥ ‖μ̂‖, in this state and before
  std::size_t next_slice_ = 0;       // to be looked at, whether it is stale
  Eigen::VectorXd image_;            // Bᵀa, in double precision
  std::vector<GroupChange> group_changes_;
};

}  // namespace foothold::arms
