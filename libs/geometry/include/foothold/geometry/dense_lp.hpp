#pragma once

#include <limits>
#include <vector>

#include <Eigen/Core>

#include "foothold/geometry/row_factor.hpp"

namespace foothold::geometry {

enum class LpStatus { Optimal, Unbounded, IterationLimit };

/// What `DenseLp` returns; borrowed from it and valid until its next solve.
struct LpResult {
  LpStatus status = LpStatus::IterationLimit;
  double value = 0.0;       ///< vᵀx; NaN unless optimal.
  double dual_bound = 0.0;  ///< −hᵀη for the multipliers below; NaN unless optimal.
  int iterations = 0;
  int factorings = 0;  ///< Steps that cost O(d³): those that factor a working set of d rows again.
};

/// The one dense linear program of the library:
///
///     min { vᵀx : Gx ≤ h },   G of any number of rows, x ∈ ℝ^d free,
///
/// by a primal active-set (simplex) method on the rows, from a feasible point that the caller
/// knows. For a bounded feasible set the optimum is a vertex; the multipliers η ≥ 0 with
/// Gᵀη = −v prove it. Meant for small d (a handful to a few dozen) and up to some thousand rows.
/// Degenerate vertices and redundant rows are handled. No allocation in `solve` after the first
/// call with a given size. Deterministic.
///
/// A step from vertex to vertex costs O(d³ + rows·d): the working set is factored again, so that no
/// error is carried along. From dimension `walk_from` on, an explicit inverse is updated instead,
/// in O(d² + rows·d), and the working set where that ends is factored and settled as usual. What is
/// reported rests on the factor in both cases, but the path may differ, and with it which of
/// several optimal vertices is found, and the last bits.
class DenseLp {
 public:
  static constexpr Eigen::Index kNeverWalk = std::numeric_limits<Eigen::Index>::max();

  explicit DenseLp(Eigen::Index walk_from = kNeverWalk) : walk_from_(walk_from) {}

  /// Solves from the feasible point `start` (Gx ≤ h up to rounding of the scale of h), or, if
  /// `warm` and an earlier solve with the same G and h left an optimal vertex, from there.
  const LpResult& solve(const Eigen::Ref<const Eigen::MatrixXd>& G,
                        const Eigen::Ref<const Eigen::VectorXd>& h,
                        const Eigen::Ref<const Eigen::VectorXd>& v,
                        const Eigen::Ref<const Eigen::VectorXd>& start, bool warm = false);

  [[nodiscard]] const Eigen::VectorXd& point() const noexcept { return x_; }          ///< x
  [[nodiscard]] const Eigen::VectorXd& multipliers() const noexcept { return eta_; }  ///< η
  /// The rows of the last vertex's working set, at most d.
  [[nodiscard]] const std::vector<Eigen::Index>& working_set() const noexcept { return working_; }

 private:
  enum class Move { Step, Ray, Optimal };

  void prepare_cold(const Eigen::Ref<const Eigen::MatrixXd>& G,
                    const Eigen::Ref<const Eigen::VectorXd>& h,
                    const Eigen::Ref<const Eigen::VectorXd>& start);
  void equilibrate(const Eigen::Ref<const Eigen::MatrixXd>& G,
                   const Eigen::Ref<const Eigen::VectorXd>& h,
                   const Eigen::Ref<const Eigen::VectorXd>& start);
  void allocate(Eigen::Index row_count, Eigen::Index dim);
  void set_objective(const Eigen::Ref<const Eigen::VectorXd>& v);
  [[nodiscard]] Move iterate();
  void update_multipliers();
  [[nodiscard]] Move descend_in_null_space();
  [[nodiscard]] bool settle_in_null_space();
  [[nodiscard]] Move leave_a_row();
  [[nodiscard]] Eigen::Index price_rows();
  [[nodiscard]] Eigen::Index blocking_row();
  [[nodiscard]] Eigen::Index choose_blocking(double longest_step) const;
  void step_to(Eigen::Index blocking, Eigen::Index leaving);
  void update_slack();
  void move_to_vertex();
  [[nodiscard]] bool may_walk() const;
  void walk(int limit);
  [[nodiscard]] bool walk_one_edge();
  void invert_working_rows();
  void factor_working_rows();
  void report(LpStatus status, const Eigen::Ref<const Eigen::VectorXd>& h,
              const Eigen::Ref<const Eigen::VectorXd>& v);

  Eigen::VectorXd x_;
  Eigen::VectorXd eta_;
  std::vector<Eigen::Index> working_;
  LpResult result_;

  // The problem scaled by powers of two, min { cᵀy : Gᵢᵀy ≤ hᵢ }: rows with a largest entry
  // near 1, a set of extent near 1 in every coordinate, so that one set of tolerances fits all.
  Eigen::MatrixXd scaled_rows_;  // one column per row of G: inner loops run along columns
  Eigen::VectorXd scaled_offsets_;
  Eigen::VectorXd objective_;  // c
  Eigen::VectorXd row_scale_;
  Eigen::VectorXd column_scale_;  // x = column_scale · y
  Eigen::VectorXd row_norm_;      // of the scaled rows
  double objective_scale_ = 1.0;

  // The iterate. `working_` names the rows that `factor_` holds, in its order.
  RowFactor factor_;
  std::vector<bool> is_working_;
  Eigen::VectorXd y_;
  Eigen::VectorXd slack_;
  Eigen::VectorXd weights_;    // the multipliers of the working rows, then Qᵀ(−c)
  Eigen::VectorXd direction_;  // of unit length
  Eigen::VectorXd rate_;       // Gᵢᵀ·direction
  Eigen::VectorXd scratch_;
  double slope_noise_ = 0.0;  // a slope cᵀz/‖z‖ below it is rounding
  int stalled_ = 0;           // steps of length zero in a row
  bool has_vertex_ = false;   // what a warm start needs

  // The walk. Empty below `walk_from_`.
  Eigen::Index walk_from_;
  bool is_walk_useful_ = true;
  Eigen::MatrixXd inverse_;  // W⁻¹: minus its columns are the edges of the vertex
  Eigen::VectorXd lengths_;  // of them
  Eigen::VectorXd entering_;
};

}  // namespace foothold::geometry
