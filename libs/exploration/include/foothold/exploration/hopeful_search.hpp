#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/cone/cone_program.hpp"
#include "foothold/estimation/confidence_region.hpp"
#include "foothold/geometry/dense_lp.hpp"
#include "foothold/safety/problem.hpp"
#include "foothold/safety/safe_set.hpp"

namespace foothold::exploration {

/// The best action that may still turn out to be safe.
struct HopefulChoice {
  Eigen::VectorXd offset{};      ///< y − x₀
  double optimistic_loss = 0.0;  ///< min over C₁ of vᵀy
};

/// What one would play if hope were enough, over a convex decision set. Not certified: it is what
/// exploration aims at.
///
/// With C₁ the ℓ₁ region and constraint k, O_k = { x ∈ D₀ : min_{w ∈ C₁} wᵀB_k(x − x₀) ≤ m_k }
/// contains every action that is safe for some parameter in C₁. It is not convex, but the union of
/// the sets { wᵀB_k u ≤ m_k } over the 2d vertices w, so that its best action is the best of
/// (2d)² minima over D₀ cut by one half-space: O(d log d) each on a box, O(d²) on a ball, a linear
/// program on a polytope. What was asked before has no influence. Not thread-safe.
class HopefulSearch {
 public:
  /// Requires a resolved problem with a convex decision set; keeps a reference to it.
  explicit HopefulSearch(const safety::Problem& problem);

  /// argmin { vᵀu : x₀ + u ∈ D₀, wᵀB_k u ≤ m_k for every k }: the best safe action if v were the
  /// loss and w the constraints' parameter. Valid until the next call.
  const Eigen::VectorXd& best_if(const Eigen::Ref<const Eigen::VectorXd>& v,
                                 const Eigen::Ref<const Eigen::VectorXd>& w);

  /// argmin over O_k of the ℓ₁-optimistic loss, for the constraint k that leaves least hope.
  const HopefulChoice& best_hope(const estimation::ConfidenceRegion& region);

 private:
  // Each writes its minimiser to point_. The row is aᵀu ≤ m with m > 0.
  void minimize_over_domain(const Eigen::Ref<const Eigen::VectorXd>& v);
  void minimize_with_row(const Eigen::Ref<const Eigen::VectorXd>& v, double room);
  void minimize_on_box(const Eigen::Ref<const Eigen::VectorXd>& v, double room);
  void minimize_on_ball(const Eigen::Ref<const Eigen::VectorXd>& v, double room);
  void solve_program(const Eigen::Ref<const Eigen::VectorXd>& v);
  void relax(Eigen::Index row);
  void search(std::size_t constraint, const estimation::ConfidenceRegion& region,
              HopefulChoice& best);

  const safety::Problem* problem_;
  safety::SafeSet safe_set_;  // with the exact ℓ₁ bound, whatever the rule of who asks
  Eigen::VectorXd centre_;
  cone::ConeProgram program_;  // D₀ with room for one row per constraint
  geometry::DenseLp lp_;
  HopefulChoice choice_;
  HopefulChoice other_;
  Eigen::VectorXd point_;
  Eigen::VectorXd row_;  // a
  Eigen::VectorXd v_;
  Eigen::VectorXd w_;
  Eigen::VectorXd image_;
  Eigen::VectorXd origin_;
  std::vector<Eigen::Index> order_;
};

}  // namespace foothold::exploration
