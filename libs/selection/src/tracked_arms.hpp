#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/safety/certifier.hpp"
#include "foothold/safety/problem.hpp"

#include "arm_products.hpp"

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
  void collect(double limit, std::size_t most, std::vector<Eigen::Index>& rows) const;

 private:
  static constexpr Eigen::Index kTile = ArmProducts::kTile;
  using Tile = Eigen::Array<float, kTile, 1>;

  // The quantities of x itself, or of z for one constraint.
  struct Group {
    const Eigen::MatrixXd* matrix = nullptr;  // B; null: x itself
    Eigen::VectorXd centre{};                 // Bx₀
    double length = 0.0;                      // ≥ the norm of every x or z
    double room = 0.0;
    std::vector<float> linear{};  // μ̂ᵀx
    std::vector<float> square{};  // ‖x‖²_{A⁻¹}
    std::vector<float> prior{};   // kProved, kCertified, kUndecided or kOpen
    // With s ≥ |aᵀx| for a form a:
    double form_squares = 0.0;   // Σ s² for the change that is planned, …
    double fresh_squares = 0.0;  // … for the rows of F⁻¹, …
    double fresh_linear = 0.0;   // … and s for μ̂.
  };

  // How exact the values of some arms are, for one group.
  struct Precision {
    double largest = 0.0;       // ≥ every square when they were last computed anew, …
    double form_squares = 0.0;  // … Σ s² of all forms since, …
    double sums = 0.0;          // … and what was lost in other ways.
    double linear = 0.0;        // ≥ the error of μ̂ᵀx

    [[nodiscard]] double square_error(double form_share) const;
    void raise_to(const Precision& other);  // Holds for the arms of both, then.
  };
  // Arms that lie together and are computed anew together.
  struct Slice {
    Eigen::Index first = 0;  // tile
    Eigen::Index last = 0;   // the one behind
    Eigen::Index age = 0;    // sweeps since
    std::vector<Precision> precision{};  // by group
  };
  // What all arms of a slice have in common, for one group.
  struct Limits {
    float pad = 0.0F;         // on squares
    float slack = 0.0F;       // on values of linear forms, and the rounding of bounds
    float limit = 0.0F;       // room plus that
    float sure_limit = 0.0F;  // room less that
  };

  enum class Plan { None, Refresh, Update };

  [[nodiscard]] double ridge() const;
  [[nodiscard]] Eigen::Index tiles() const {
    return static_cast<Eigen::Index>(tile_lows_.size());
  }
  [[nodiscard]] const float* tile_entries(Eigen::Index tile) const {
    return entries_.data() + tile * kTile * features_->cols();
  }
  void make_room(Eigen::Index count);
  void fill_tiles();
  void cut_slices();
  void fill_group(std::size_t group);
  void fill_prior(Group& group);
  template <typename Take>
  void for_each_norm_sq(const Group& group, const Take& take) const;
  double set_form(ArmProducts& products, Eigen::Index form, const Group& group,
                  const Eigen::Ref<const Eigen::VectorXd>& a);
  void load_fresh_products();
  [[nodiscard]] bool is_stale(const Slice& slice) const;
  void refresh(Slice& slice);
  void follow(Slice& slice) const;
  void update_tile(Eigen::Index tile);
  void prepare(const ArmOutlook& outlook, const safety::SafetyRule& rule);
  void prepare(const Slice& slice);
  void bound_tile(Eigen::Index tile);
  void bound_safety(Eigen::Index tile, const float* high);

  const safety::Problem* problem_;
  const Eigen::MatrixXd* features_;
  Eigen::Index count_ = 0;
  bool is_usable_ = false;
  double norm_ = 0.0;
  std::vector<float> entries_;  // tile by tile
  std::vector<Group> groups_;   // x, then one per constraint
  std::vector<Slice> slices_;
  std::vector<bool> proved_;
  std::vector<float> lows_;       // a lower bound on each arm's loss; +∞: cannot be certified
  std::vector<float> tile_lows_;  // the smallest of each tile; +∞: none counts

  Plan plan_ = Plan::None;
  // The change that is planned:
  Eigen::Index rank_ = 0;
  double remainder_ = 0.0;
  double shift_remainder_ = 0.0;
  double weights_norm_ = 0.0;
  ArmProducts products_;        // columns of V, each for all groups
  ArmProducts fresh_products_;  // rows of F⁻¹, each for all groups, then μ̂
  Eigen::VectorXf weights_;
  // The state:
  Eigen::MatrixXd fresh_forms_;  // F⁻ᵀ
  Eigen::VectorXd fresh_mu_hat_;
  bool has_fresh_products_ = false;  // of these
  double scale_ = 0.0;               // a typical ‖x‖_{A⁻¹}/‖x‖
  double mu_norm_ = 0.0;             // ≥ ‖μ̂‖, in this state and before
  std::size_t next_slice_ = 0;       // to be looked at, whether it is stale
  Eigen::VectorXd image_;  // Bᵀa, in double precision

  // For one sweep, …
  double largest_reach_ = 0.0;
  double blur_ = 0.0;
  float reach_ = 0.0F;
  float radius_ = 0.0F;
  float drift_ = 0.0F;
  float caution_ = 0.0F;
  float sure_caution_ = 0.0F;
  float sure_prior_ = 0.0F;  // arms with `prior` below need no data to be certified …
  float open_prior_ = 0.0F;  // … and with `prior` above are certified by data or not at all
  float best_sure_ = 0.0F;
  float allowance_ = 0.0F;
  bool can_refuse_ = false;
  // … and for one slice of it:
  std::vector<Limits> limits_;
};

}  // namespace foothold::selection
