#pragma once

#include "foothold/geometry/polytope.hpp"

namespace foothold::geometry {

/// Bounds on the extent  max { ‖x‖₂ : x ∈ P }  of a polytope.
struct NormExtent {
  double found = 0.0;   ///< ≤ the extent: the norm of a point that is in P for certain.
  double proved = 0.0;  ///< ≥ the extent, rounding included.
  int programs = 0;     ///< linear programs solved
};

/// Narrows [found, proved] until proved ≤ target or found > target, so that `target` is known to
/// bound P or not to. The extent is NP-hard to compute: the search stops after a fixed effort (in
/// the order of a second at most), and then proved > target ≥ found. Deterministic.
///
/// Branch and bound over boxes [l, u], from the bounding box of P on. On a box,
/// ‖x‖² ≤ (l + u)ᵀx − lᵀu. A linear program gives multipliers η ≥ 0 for its maximum over the part
/// of P in the box, and weak duality a bound that holds for any η:
///
///     ‖x‖² ≤ hᵀη + Σᵢ max { (l + u − Gᵀη)ᵢ xᵢ : lᵢ ≤ xᵢ ≤ uᵢ } − lᵀu.
///
/// Boxes are split at the maximiser, where the bound is then exact.
[[nodiscard]] NormExtent norm_extent(const Polytope& polytope, double target);

}  // namespace foothold::geometry
