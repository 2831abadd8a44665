#pragma once

#include <algorithm>
#include <cstddef>

#include <Eigen/Core>

#include "foothold/base/invariant.hpp"
#include "foothold/cone/cone_program.hpp"
#include "foothold/estimation/confidence_region.hpp"
#include "foothold/safety/problem.hpp"
#include "foothold/safety/safety_rule.hpp"

namespace foothold::safety {

/// How much of a ray { x₀ + αu : 0 ≤ α ≤ 1 } is certified: the largest α, by each kind of bound.
struct RayScale {
  double by_region = 1.0;
  double by_prior = 0.0;  ///< 0 if the rule does not count the foothold.

  /// The certified set of a ray is the union of two intervals from x₀, so the longer one decides.
  [[nodiscard]] double best() const { return std::max(by_region, by_prior); }
};

/// The one definition of "safe", in plain arithmetic. With u = x − x₀, z = B_k u and m_k the room
/// of constraint k at the centre x₀, x satisfies constraint k if one of these holds:
///
///     by the data       μ̂ᵀz + κβ‖z‖_* ≤ m_k      while μ lies in the confidence region
///     without data      S‖z‖₂ ≤ m_k              while ‖μ‖ ≤ S; counts with `CertifiedSet::Union`
///
///     Ellipsoid   κ = 1,  ‖z‖_* = ‖z‖_{A⁻¹} = ‖F⁻¹z‖₂
///     L1Paper     κ = √d, ‖z‖_* = ‖z‖_{A⁻¹}          [AAT19, (in1)]
///     L1Exact     κ = √d, ‖z‖_* = ‖H⁻ᵀz‖_∞
///
/// A convex set is certified as the union of { x : the first for all k } and { x : the second for
/// all k }, both convex. For arms the smaller bound of each constraint counts.
///
/// Whoever compares a bound with a room takes both from here. Nothing here is proof against
/// rounding: `Certifier` decides what is released. It has its own arithmetic and takes limits,
/// rooms, κ and kinds of bounds from here. Kernels over many arms keep their loops and take the
/// constants from here.
///
/// Everything is asked per constraint, because constraints may rest on parameters of their own.
/// Today all of them rest on μ of the losses: `region(k)` is the one place that says so.
///
/// Borrows the problem and the region. O(d²) per direction; no allocation after construction but
/// for the first `set_rows`. Not thread-safe.
class SafeSet {
 public:
  /// Requires a resolved problem; keeps a reference to it.
  explicit SafeSet(const Problem& problem, const SafetyRule& rule = {});

  void set_rule(const SafetyRule& rule);
  /// Goes over to a state, which must last while anything is asked that depends on it. A region
  /// that is updated in place needs no second call.
  void update(const estimation::ConfidenceRegion& region) noexcept { region_ = &region; }
  /// Forgets the state.
  void release() noexcept { region_ = nullptr; }

  // What needs no state.
  [[nodiscard]] const SafetyRule& rule() const noexcept { return rule_; }
  [[nodiscard]] std::size_t constraints() const noexcept { return problem_->constraints.size(); }
  /// B_k
  [[nodiscard]] const Eigen::MatrixXd& matrix(std::size_t k) const {
    return problem_->constraints[k].matrix;
  }
  /// c_k
  [[nodiscard]] double limit(std::size_t k) const { return problem_->constraints[k].limit; }
  /// m_k
  [[nodiscard]] double room(std::size_t k) const { return problem_->room(k); }
  /// c_k − m_k
  [[nodiscard]] double used(std::size_t k) const { return problem_->used(k); }
  /// S of the parameter that constraint k rests on.
  [[nodiscard]] double norm_bound(std::size_t /*k*/) const {
    return problem_->assumptions.norm_bound;
  }
  /// κ of that parameter's dimension.
  [[nodiscard]] double caution_factor(std::size_t /*k*/) const noexcept { return caution_factor_; }
  /// Whether S‖z‖ ≤ m certifies.
  [[nodiscard]] bool counts_prior() const noexcept {
    return rule_.certified == CertifiedSet::Union;
  }
  /// S‖z‖, from z or from its norm.
  [[nodiscard]] double prior_bound(std::size_t k,
                                   const Eigen::Ref<const Eigen::VectorXd>& z) const {
    return prior_bound(k, z.norm());
  }
  [[nodiscard]] double prior_bound(std::size_t k, double norm) const {
    return norm_bound(k) * norm;
  }

  // The state's.
  /// The region of the parameter that constraint k rests on.
  [[nodiscard]] const estimation::ConfidenceRegion& region(std::size_t /*k*/) const {
    FOOTHOLD_ASSERT(region_ != nullptr);
    return *region_;
  }
  /// κβ
  [[nodiscard]] double reach(std::size_t k) const { return caution_factor(k) * region(k).radius(); }
  /// μ̂ᵀz
  [[nodiscard]] double value(std::size_t k, const Eigen::Ref<const Eigen::VectorXd>& z) const {
    return region(k).mu_hat().dot(z);
  }
  /// ‖z‖_*
  [[nodiscard]] double width(std::size_t k, const Eigen::Ref<const Eigen::VectorXd>& z) const;
  /// κβ‖z‖_*
  [[nodiscard]] double spread(std::size_t k, const Eigen::Ref<const Eigen::VectorXd>& z) const {
    return reach(k) * width(k, z);
  }
  /// The largest and the smallest vᵀz over the region. From μ̂ᵀz and ‖z‖_*, where these are known
  /// already or belong to a future that is only imagined.
  [[nodiscard]] double upper_bound(std::size_t k,
                                   const Eigen::Ref<const Eigen::VectorXd>& z) const {
    return upper_bound(k, value(k, z), width(k, z));
  }
  [[nodiscard]] double upper_bound(std::size_t k, double value, double width) const {
    return value + reach(k) * width;
  }
  [[nodiscard]] double lower_bound(std::size_t k,
                                   const Eigen::Ref<const Eigen::VectorXd>& z) const {
    return lower_bound(k, value(k, z), width(k, z));
  }
  [[nodiscard]] double lower_bound(std::size_t k, double value, double width) const {
    return value - reach(k) * width;
  }
  /// What the bound by the data leaves of the room; negative if it does not certify.
  [[nodiscard]] double margin(std::size_t k, const Eigen::Ref<const Eigen::VectorXd>& z) const {
    return margin(k, value(k, z), width(k, z));
  }
  [[nodiscard]] double margin(std::size_t k, double value, double width) const {
    return room(k) - upper_bound(k, value, width);
  }

  // Rays. Bounds are positively homogeneous in u.
  /// The largest α ≤ 1 for which α times a bound is within the room.
  [[nodiscard]] double scale(std::size_t k, double bound) const {
    const double m = room(k);
    return bound <= m ? 1.0 : m / bound;
  }
  /// A whole ray, before any constraint has shortened it.
  [[nodiscard]] RayScale whole_ray() const noexcept {
    return {.by_region = 1.0, .by_prior = counts_prior() ? 1.0 : 0.0};
  }
  /// Shortens a ray by one constraint, from its bounds for α = 1.
  void shorten(RayScale& ray, std::size_t k, double upper, double prior) const {
    ray.by_region = std::min(ray.by_region, scale(k, upper));
    ray.by_prior = std::min(ray.by_prior, scale(k, prior));
  }
  /// All of this for the ray to x₀ + u.
  [[nodiscard]] RayScale ray_scale(const Eigen::Ref<const Eigen::VectorXd>& u) const;

  // For solvers, in coordinates u.
  /// μ̂ᵀB_k u + κβ‖F⁻¹B_k u‖ ≤ m_k: the set certified by the data, for the cautions that are cones.
  /// `cone` has the right sizes already.
  void set_cone(std::size_t k, cone::Cone& cone) const;
  /// vᵀB_k u ≤ m_k for the 2d vertices v of the ℓ₁ region, in rows `first` and on: the same for
  /// `L1Exact`.
  void set_rows(std::size_t k, cone::ConeProgram& program, Eigen::Index first) const;
  /// S‖B_k u‖ ≤ m_k: the foothold.
  [[nodiscard]] cone::Cone prior_cone(std::size_t k) const;
  /// F⁻¹B_k, which maps u to a vector as long as z is wide.
  void whiten(std::size_t k, Eigen::MatrixXd& product) const;

 private:
  const Problem* problem_;
  SafetyRule rule_;
  double caution_factor_ = 1.0;
  const estimation::ConfidenceRegion* region_ = nullptr;
  // Workspaces.
  mutable Eigen::VectorXd direction_;
  mutable Eigen::VectorXd image_;
  mutable Eigen::MatrixXd vertices_;
};

}  // namespace foothold::safety
