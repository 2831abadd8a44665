#pragma once

#include <memory>

#include <Eigen/Core>

#include "foothold/estimation/confidence_region.hpp"
#include "foothold/safety/problem.hpp"

namespace foothold::gap {

/// Which confidence region the gap is minimised over.
enum class GapRegion { Ellipsoid, L1 };

struct GapOptions {
  /// How many normal cones of a box or polytope may be looked at before giving up.
  Eigen::Index max_vertices = 20'000;
};

/// Throws `Error{InvalidArgument, "max_vertices"}` unless it is positive.
void validate(const GapOptions& options);

struct GapEstimate {
  double value = 0.0;  ///< Δ_t: finite, ≥ 0, and ≤ Δ whenever μ lies in the region.
  /// False if the size limit was hit or the region cannot be used: then `value` is 0, which is
  /// always valid, and says nothing about the gap.
  bool is_complete = true;
  Eigen::Index vertices = 0;  ///< Normal cones looked at, or arms; 0 for a ball.
  Eigen::Index solves = 0;    ///< Of these, the linear or cone programs that had to be solved.
};

/// The lower confidence bound Δ_t of GSLUCB [AAT19, App. E] on the safety gap
///
///     Δ = min_k ( m_k − μᵀB_k(x* − x₀) ),   x* = argmin { μᵀx : x ∈ D₀, μᵀB_k(x − x₀) ≤ m_k },
///
/// with x₀ the problem's centre and m_k the room there (without a baseline 0 and c_k). With a
/// baseline this is the gap of the constraint that a learner can certify, not that of μᵀB_k x ≤
/// c_k. If μ lies in the region, Δ_t ≤ Δ. For each kind of decision set
/// (docs/algorithms/gap_bound.md):
///
///     arms            min_i Δ^i with C^i, Y^i and Δ^i as in the paper; C^i is cut by every
///                     constraint, Y^i holds the arms safe for all of them.
///     box, polytope   min over the vertices y whose normal cone N(y) meets −C of
///                     min_k min { m_k − vᵀB_k(y − x₀) : v ∈ C, −v ∈ N(y) }: exactly the smallest
///                     gap of all parameters in C.
///     ball            a closed form; a bound on the smallest gap, in general not equal to it.
///
/// Every number is a dual bound less an allowance for rounding, so an inaccurate solve makes Δ_t
/// smaller and never too large; a set that may be empty or not, by rounding, counts as not empty.
///
/// One program in d variables per arm or vertex that the region reaches, up to 2^d of them on a
/// box while the region contains 0; K² closed forms for K arms (one constraint). The search
/// stops as soon as Δ_t = 0 is certain. Deterministic. Allocates. Not thread-safe.
class GapBound {
 public:
  /// Requires a resolved problem; keeps a reference to it. Throws as `validate`.
  GapBound(const safety::Problem& problem, GapRegion region, const GapOptions& options = {});
  ~GapBound();
  GapBound(GapBound&& other) noexcept;
  GapBound& operator=(GapBound&& other) noexcept;
  GapBound(const GapBound&) = delete;
  GapBound& operator=(const GapBound&) = delete;

  /// Δ_t for fixed arms, a box, a ball or a polytope. Throws `Error{InvalidArgument, "arms"}` for
  /// contextual arms.
  [[nodiscard]] GapEstimate bound(const estimation::ConfidenceRegion& region);

  /// Δ_t for the rows of `arms`, which stand for the decision set. Throws
  /// `Error{InvalidArgument, "arms"}` if there is none, the dimension is wrong, or an entry is not
  /// finite.
  [[nodiscard]] GapEstimate bound(const estimation::ConfidenceRegion& region,
                                  const Eigen::Ref<const Eigen::MatrixXd>& arms);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace foothold::gap
