#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/safety/certifier.hpp"
#include "foothold/safety/problem.hpp"

#include "arm_forms.hpp"

namespace foothold::selection {

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

// How a state differs from the one before: A⁻¹ lost VVᵀ for the first `rank` columns of V and
// something of norm ≤ `remainder`; μ̂ moved by V·weights and something of norm ≤ `shift_remainder`
// to μ̂.
struct ArmChange {
  const Eigen::MatrixXd& V;
  Eigen::Index rank = 0;
  double remainder = 0.0;
  const Eigen::VectorXd& weights;
  double shift_remainder = 0.0;
  const Eigen::VectorXd& mu_hat;
};

// For K arms x, in single precision, the state's
//
//     μ̂ᵀx,  ‖x‖²_{A⁻¹},    and with z = B_k(x − x₀) for every constraint    μ̂ᵀz,  ‖z‖²_{A⁻¹},
//
// with proved bounds on their errors. A change of the state by Δμ̂ and by A⁻¹ losing VVᵀ changes
// them by forms in x, since aᵀz = (Bᵀa)ᵀ(x − x₀): one pass over the arms, and no images B x kept.
class TrackedArms {
 public:
  // Keeps references to the problem and the features. The state is that without data: μ̂ = 0, A =
  // λI.
  TrackedArms(const safety::Problem& problem, const Eigen::MatrixXd& features);

  // False if the arms are so long or so short that single precision might not hold them.
  [[nodiscard]] bool is_usable() const noexcept { return is_usable_; }
  [[nodiscard]] double largest_norm() const noexcept { return norm_; }
  // Which arms need no certificate any more; none before the first call. False if one of them does
  // again: then what was tracked is lost, and the next plan must be a refresh.
  bool set_proved(const std::vector<bool>& proved);

  // The next sweep computes everything anew: `forms` has the rows of F⁻¹ as columns.
  void plan_refresh(const Eigen::MatrixXd& forms, const Eigen::VectorXd& mu_hat);
  // The next sweep follows a change of the state.
  void plan_update(const ArmChange& change);
  // The part of the tracked ‖x‖²_{A⁻¹} that may be error, for arms of the largest norm.
  [[nodiscard]] double square_error() const { return groups_.front().square_error; }

  // One pass: does what is planned, and bounds every arm's loss for the outlook. Returns a loss
  // that some arm which is certified now does not exceed; +∞ if none is certain to be certified.
  // Above that loss plus `allowance` no arm will be asked for.
  double sweep(const ArmOutlook& outlook, const safety::SafetyRule& rule, double allowance);
  // The arms that might be certified with a loss ≤ limit while the outlook of the last sweep
  // holds, in their order; stops beyond `most`.
  void collect(double limit, std::size_t most, std::vector<Eigen::Index>& rows) const;

 private:
  static constexpr Eigen::Index kTile = lanes::kTile<float>;
  using Tile = Eigen::Array<float, kTile, 1>;

  // The quantities of x itself, or of z for one constraint.
  struct Group {
    const Eigen::MatrixXd* matrix = nullptr;  // B; null: x itself
    Eigen::VectorXd centre{};                 // Bx₀
    double length = 0.0;                      // ≥ the norm of every x or z
    double room = 0.0;
    ArmForms<float> forms{};
    std::vector<float> linear{};  // μ̂ᵀx
    std::vector<float> square{};  // ‖x‖²_{A⁻¹}
    std::vector<float> prior{};   // kProved, kCertified, kUndecided or kOpen
    double linear_error = 0.0;
    double square_error = 0.0;
    // For one sweep, in single precision:
    float pad = 0.0F;         // on squares
    float limit = 0.0F;       // room plus rounding
    float sure_limit = 0.0F;  // room less rounding
  };

  [[nodiscard]] double ridge() const;
  void fill_tiles();
  void fill_group(Group& group);
  double image_of(const Group& group, const Eigen::Ref<const Eigen::VectorXd>& a);
  double load_forms(Group& group, const Eigen::MatrixXd& vectors, Eigen::Index count);
  void follow_plan(Group& group, Eigen::Index tile) const;
  void prepare(const ArmOutlook& outlook, const safety::SafetyRule& rule);
  void bound_tile(Eigen::Index tile);
  void bound_safety(Eigen::Index first, Tile& low, Tile& high);

  const safety::Problem* problem_;
  const Eigen::MatrixXd* features_;
  Eigen::Index count_;
  bool is_usable_ = false;
  double norm_ = 0.0;
  std::vector<float> entries_;  // tile by tile, each as an ArmBlock
  std::vector<Group> groups_;   // x, then one per constraint
  std::vector<bool> proved_;
  std::vector<float> lows_;       // a lower bound on each arm's loss; +∞: cannot be certified
  std::vector<float> tile_lows_;  // the smallest of each tile

  enum class Plan { None, Refresh, Update };
  Plan plan_ = Plan::None;
  double mu_norm_ = 0.0;
  double inverse_norm_ = 0.0;  // ≥ ‖A⁻¹‖^{1/2} of the state
  Eigen::VectorXd image_;      // Bᵀa, in double precision
  // For one sweep, in single precision:
  float reach_ = 0.0F;
  float radius_ = 0.0F;
  float drift_ = 0.0F;
  float caution_ = 0.0F;
  float sure_caution_ = 0.0F;
  float loss_slack_ = 0.0F;
  float sure_prior_ = 0.0F;  // arms with `prior` below need no data to be certified …
  float open_prior_ = 0.0F;  // … and with `prior` above are certified by data or not at all
  float best_sure_ = 0.0F;
  float allowance_ = 0.0F;
  bool can_refuse_ = false;
};

}  // namespace foothold::selection
