#pragma once

#include <optional>
#include <string>
#include <variant>

#include <Eigen/Core>

#include "foothold/geometry/arms.hpp"
#include "foothold/geometry/ball.hpp"
#include "foothold/geometry/box.hpp"
#include "foothold/geometry/polytope.hpp"

namespace foothold::geometry {

/// D₀: the actions there are. Each alternative is validated when it is made, so a set that
/// exists is well formed.
///
/// Code that treats sets differently visits them with `Overloaded` and one function for each, none
/// generic: a new set is then a compile error until every place knows it. The questions below are
/// asked that way.
using DecisionSet = std::variant<Box, Ball, Polytope, Arms, ContextualArms>;

[[nodiscard]] Eigen::Index dim(const DecisionSet& set);

/// Box, ball and polytope are convex bodies; arms are not.
[[nodiscard]] bool is_continuous(const DecisionSet& set);

/// Whether the arms come only with each ask.
[[nodiscard]] bool is_contextual(const DecisionSet& set);

/// The arms of a set that consists of fixed ones, nullptr for any other. Borrowed from the set.
[[nodiscard]] const Arms* fixed_arms(const DecisionSet& set);
const Arms* fixed_arms(DecisionSet&& set) = delete;

/// A proved upper bound on ‖x‖₂ over the set, rounding included; none for contextual arms,
/// which are not known yet.
[[nodiscard]] std::optional<double> norm_bound(const DecisionSet& set);

/// Whether x ∈ D₀ for certain: true only if it holds in exact arithmetic. A point on the
/// border may be refused. Contextual arms contain every finite vector of their dimension;
/// fixed arms exactly their rows; no set contains a vector that is not finite. `x` must have the
/// set's dimension. O(d), for polytopes O(rows·d).
[[nodiscard]] bool contains(const DecisionSet& set, const Eigen::Ref<const Eigen::VectorXd>& x);

/// Whether the point lies in the interior of a convex body, for certain; false for arms.
[[nodiscard]] bool contains_in_interior(const DecisionSet& set,
                                        const Eigen::Ref<const Eigen::VectorXd>& x);

/// The largest t with  { centre + t·E·w : ‖w‖₂ ≤ 1 } ⊂ D₀  for a convex body D₀, a point
/// `centre` in its interior and a d × k matrix E ≠ 0; rounded down. Exact for boxes,
/// polytopes and balls with `centre` = 0; a lower bound for other balls.
[[nodiscard]] double inscribed_scale(const DecisionSet& set,
                                     const Eigen::Ref<const Eigen::VectorXd>& centre,
                                     const Eigen::Ref<const Eigen::MatrixXd>& E);

/// A minimiser of a linear function over a set.
struct LinearMinimum {
  Eigen::VectorXd point{};
  double value = 0.0;
};

/// min { vᵀx : x ∈ D₀ }; among equal arms the first. Throws `Error{InvalidArgument}` for
/// contextual arms, which are not known here, and if v has the wrong size or is not finite.
[[nodiscard]] LinearMinimum minimize_linear(const DecisionSet& set, const Eigen::VectorXd& v);

}  // namespace foothold::geometry
