#pragma once

#include <cstdint>
#include <memory>

#include "foothold/base/byte_stream.hpp"
#include "foothold/estimation/confidence_region.hpp"
#include "foothold/optimism/optimistic_search.hpp"
#include "foothold/safety/problem.hpp"
#include "foothold/safety/safety_rule.hpp"

namespace foothold::optimism {

/// When a branch and bound may stop.
struct SearchLimits {
  /// Proved gap that suffices, relative to |μ̂ᵀx| + β‖x‖_{A⁻¹} at the action found: the size of
  /// the loss's two terms, which does not vanish when they cancel. What is below 1e-9 counts as
  /// that, the gap that the inner solver promises.
  double gap = 1e-6;
  /// Cells that may be bounded in a round; the 2d cells at the root, twice with
  /// `CertifiedSet::Union`, are bounded in any case.
  std::int64_t nodes = 100000;
};

/// Throws `Error{InvalidArgument}` naming the field unless gap ≥ 0 is finite and nodes ≥ 1.
void validate(const SearchLimits& limits);

/// Ellipsoidal optimism over a convex decision set:
///
///     min { μ̂ᵀx − β‖x‖_{A⁻¹} : x certified },
///
/// a concave minimisation with many local minima, by branch and bound over the directions of
/// y = H⁻ᵀx, ‖y‖₂ = ‖x‖_{A⁻¹} (docs/algorithms/ellipsoid_search.md). The relaxation at the root is
/// ℓ₁ optimism with the root H of the region, so that
///
///     ℓ₁ optimum ≤ `dual_bound` ≤ minimum ≤ `optimistic_loss`
///
/// (the first up to the inner solver's gap) holds wherever the search stops; up to rounding
/// the difference of the last is below the limit's gap unless the limit on nodes stopped it
/// first. The choice's `optimistic_loss` is the objective at its action, its `solves` counts the
/// cone programs and its `nodes` the cells.
///
/// The work is exponential in d at worst. No allocation once a round has needed as much memory
/// as the present one. Deterministic. Not thread-safe.
class EllipsoidSearch {
 public:
  /// Requires a resolved problem with a convex decision set; keeps a reference to it. Throws as
  /// `validate(limits)`.
  EllipsoidSearch(const safety::Problem& problem, const safety::SafetyRule& rule,
                  const SearchLimits& limits);
  ~EllipsoidSearch();
  EllipsoidSearch(EllipsoidSearch&& other) noexcept;
  EllipsoidSearch& operator=(EllipsoidSearch&& other) noexcept;
  EllipsoidSearch(const EllipsoidSearch&) = delete;
  EllipsoidSearch& operator=(const EllipsoidSearch&) = delete;

  /// Chooses for the state in `region`. The result is valid until the next call; its action
  /// satisfies the bounds up to rounding and still has to be certified.
  const OptimisticChoice& choose(const estimation::ConfidenceRegion& region);

  /// What later choices depend on: the solvers' memory and the last action.
  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace foothold::optimism
