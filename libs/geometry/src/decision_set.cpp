#include "foothold/geometry/decision_set.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include <Eigen/SVD>

#include "foothold/base/check.hpp"
#include "foothold/base/error.hpp"
#include "foothold/base/infinity.hpp"
#include "foothold/base/invariant.hpp"
#include "foothold/base/overloaded.hpp"
#include "foothold/base/rounding.hpp"
#include "foothold/base/simd/fixed_dim.hpp"
#include "foothold/geometry/dense_lp.hpp"

#include "bounded_sum.hpp"

namespace foothold::geometry {
namespace {

using Point = Eigen::Ref<const Eigen::VectorXd>;
using Matrix = Eigen::Ref<const Eigen::MatrixXd>;

// Whether x is in the set, for certain; `strictly`: in its interior.

// Counted, so that several coordinates are looked at together.
template <int Fixed>
bool is_between(const Eigen::VectorXd& lower, const Point& x, const Eigen::VectorXd& upper) {
  const Eigen::Index d = fixed_or<Fixed>(x.size());
  const double* below = lower.data();
  const double* above = upper.data();
  const double* entries = x.data();
  Eigen::Index inside = 0;
#pragma GCC unroll 1
  for (Eigen::Index i = 0; i < d; ++i) {
    inside += below[i] <= entries[i] && entries[i] <= above[i] ? 1 : 0;  // not NaN
  }
  return inside == d;
}

bool holds(const Box& box, const Point& x, bool strictly) {
  if (strictly) {
    return (box.lower().array() < x.array()).all() && (x.array() < box.upper().array()).all();
  }
  return with_fixed_dim(
      x.size(), [&](auto fixed) { return is_between<fixed.value>(box.lower(), x, box.upper()); });
}

bool holds(const Ball& ball, const Point& x, bool strictly) {
  const double norm = rounding::norm_upper(x);
  return strictly ? norm < ball.radius() : norm <= ball.radius();
}

// Plain arithmetic settles the rows that x is clearly inside of, a block of them at a time: a sum
// of d + 1 terms errs by at most γ_{d+2} of the sum of their sizes, doubled for the rounding of
// that, and by underflow. Only what is left, the rows that x lies on, is summed in doubled
// precision.
bool holds(const Polytope& polytope, const Point& x, bool strictly) {
  if (!rounding::is_finite(x)) {
    return false;
  }
  constexpr Eigen::Index kBlock = 32;
  std::array<double, kBlock> slack{};
  std::array<double, kBlock> size{};
  const Eigen::Index d = x.size();
  const Eigen::MatrixXd& normals = polytope.normals();
  const double share = 2.0 * rounding::gamma(static_cast<double>(d) + 2.0);
  const double underflow = static_cast<double>(d) * rounding::kTiny;
  for (Eigen::Index first = 0; first < normals.rows(); first += kBlock) {
    const auto count = static_cast<std::size_t>(std::min(kBlock, normals.rows() - first));
    for (std::size_t r = 0; r < count; ++r) {
      slack[r] = polytope.offsets()(first + static_cast<Eigen::Index>(r));
      size[r] = std::abs(slack[r]);
    }
    for (Eigen::Index j = 0; j < d; ++j) {
      const double* column = normals.data() + j * normals.rows() + first;
      for (std::size_t r = 0; r < count; ++r) {
        const double product = column[r] * x(j);
        slack[r] -= product;
        size[r] += std::abs(product);
      }
    }
    for (std::size_t r = 0; r < count; ++r) {
      if (slack[r] > share * size[r] + underflow) {
        continue;
      }
      const Eigen::Index row = first + static_cast<Eigen::Index>(r);
      const double exact = bounded_slack(polytope.offsets()(row), normals.row(row), x).lower();
      if (!(strictly ? exact > 0.0 : exact >= 0.0)) {
        return false;
      }
    }
  }
  return true;
}

bool holds(const Arms& arms, const Point& x, bool strictly) {
  return !strictly && arms.find(x) >= 0;
}

bool holds(const ContextualArms& /*arms*/, const Point& x, bool strictly) {
  return !strictly && x.allFinite();
}

// An upper bound on ‖x‖₂ over { lower ≤ x ≤ upper }: the norm of the farthest corner.
double corner_norm(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper) {
  return rounding::norm_upper(lower.cwiseAbs().cwiseMax(upper.cwiseAbs()));
}

std::optional<double> norm_bound_of(const Box& box) {
  return corner_norm(box.lower(), box.upper());
}

std::optional<double> norm_bound_of(const Ball& ball) {
  return ball.radius();
}

std::optional<double> norm_bound_of(const Polytope& polytope) {
  return corner_norm(polytope.lower(), polytope.upper());
}

std::optional<double> norm_bound_of(const Arms& arms) {
  double bound = 0.0;
  for (Eigen::Index i = 0; i < arms.count(); ++i) {
    bound = std::max(bound, rounding::norm_upper(arms.features().row(i).transpose()));
  }
  return bound;
}

std::optional<double> norm_bound_of(const ContextualArms& /*arms*/) {
  return std::nullopt;
}

// slack/norm rounded down; 0 if the slack is not positive, since then nothing fits; +∞ if the
// norm is zero, since then nothing moves towards the border.
double ratio_down(double slack, double norm) {
  if (!(slack > 0.0)) {
    return 0.0;
  }
  if (norm == 0.0) {
    return kInfinity;
  }
  const double ratio = slack / norm;
  return std::max(0.0, ratio - (ratio * 2.0 * rounding::kUnit + rounding::kTiny));
}

// The ellipsoid reaches gᵀcentre + t‖Eᵀg‖ in direction g; here g = ±eᵢ.
double inscribed_scale_of(const Box& box, const Point& centre, const Matrix& E) {
  double scale = kInfinity;
  for (Eigen::Index i = 0; i < box.dim(); ++i) {
    BoundedSum above;
    above.add(box.upper()(i));
    above.add(-centre(i));
    BoundedSum below;
    below.add(centre(i));
    below.add(-box.lower()(i));
    const double slack = std::min(above.lower(), below.lower());
    scale = std::min(scale, ratio_down(slack, rounding::norm_upper(E.row(i).transpose())));
  }
  return scale;
}

double inscribed_scale_of(const Polytope& polytope, const Point& centre, const Matrix& E) {
  double scale = kInfinity;
  Eigen::VectorXd reach(E.cols());
  for (Eigen::Index i = 0; i < polytope.normals().rows(); ++i) {
    const auto g = polytope.normals().row(i);
    for (Eigen::Index j = 0; j < E.cols(); ++j) {
      reach(j) = bounded_dot(g, E.col(j)).magnitude();
    }
    const double slack = bounded_slack(polytope.offsets()(i), g, centre).lower();
    scale = std::min(scale, ratio_down(slack, rounding::norm_upper(reach)));
  }
  return scale;
}

// ≥ ‖E‖₂.
double spectral_norm_upper(const Matrix& E) {
  if (E.cols() == 1) {
    return rounding::norm_upper(E.col(0));
  }
  // One-sided rotations are backward stable: the largest singular value errs by a modest
  // multiple of u times the dimension, of which this is a generous one.
  const auto size = static_cast<double>(E.rows() + E.cols());
  const double computed = Eigen::JacobiSVD<Eigen::MatrixXd>(E).singularValues()(0);
  return computed * (1.0 + 64.0 * size * rounding::kUnit);
}

double inscribed_scale_of(const Ball& ball, const Point& centre, const Matrix& E) {
  BoundedSum room;
  room.add(ball.radius());
  room.add(-rounding::norm_upper(centre));
  return ratio_down(room.lower(), spectral_norm_upper(E));
}

double inscribed_scale_of(const Arms& /*arms*/, const Point& /*centre*/, const Matrix& /*E*/) {
  FOOTHOLD_INVARIANT(false && "arms have no interior");
  return 0.0;
}

double inscribed_scale_of(const ContextualArms& /*arms*/, const Point& /*centre*/,
                          const Matrix& /*E*/) {
  FOOTHOLD_INVARIANT(false && "arms have no interior");
  return 0.0;
}

Eigen::VectorXd linear_minimiser(const Box& box, const Eigen::VectorXd& v) {
  return (v.array() > 0.0).select(box.lower(), box.upper());
}

Eigen::VectorXd linear_minimiser(const Ball& ball, const Eigen::VectorXd& v) {
  const double norm = v.stableNorm();
  if (norm == 0.0) {
    return Eigen::VectorXd::Zero(ball.dim());
  }
  return -ball.radius() * (v / norm);
}

Eigen::VectorXd linear_minimiser(const Polytope& polytope, const Eigen::VectorXd& v) {
  DenseLp lp;
  const LpResult& result =
      lp.solve(polytope.normals(), polytope.offsets(), v, polytope.interior_point());
  FOOTHOLD_INVARIANT(result.status == LpStatus::Optimal);
  return lp.point();
}

Eigen::VectorXd linear_minimiser(const Arms& arms, const Eigen::VectorXd& v) {
  // Summed arm by arm in the same order, so that equal arms have equal values.
  Eigen::Index best = 0;
  double least = kInfinity;
  for (Eigen::Index i = 0; i < arms.count(); ++i) {
    const double value = bounded_dot(arms.features().row(i), v).value();
    if (value < least) {
      least = value;
      best = i;
    }
  }
  return arms.features().row(best).transpose();
}

Eigen::VectorXd linear_minimiser(const ContextualArms& /*arms*/, const Eigen::VectorXd& /*v*/) {
  throw Error(ErrorCode::InvalidArgument, "set",
              "must be known, but contextual arms come only with each ask");
}

}  // namespace

Eigen::Index dim(const DecisionSet& set) {
  return std::visit([](const auto& alternative) { return alternative.dim(); }, set);
}

bool is_continuous(const DecisionSet& set) {
  return std::visit(
      Overloaded{[](const Box& /*box*/) { return true; }, [](const Ball& /*ball*/) { return true; },
                 [](const Polytope& /*polytope*/) { return true; },
                 [](const Arms& /*arms*/) { return false; },
                 [](const ContextualArms& /*arms*/) { return false; }},
      set);
}

bool is_contextual(const DecisionSet& set) {
  return std::visit(Overloaded{[](const Box& /*box*/) { return false; },
                               [](const Ball& /*ball*/) { return false; },
                               [](const Polytope& /*polytope*/) { return false; },
                               [](const Arms& /*arms*/) { return false; },
                               [](const ContextualArms& /*arms*/) { return true; }},
                    set);
}

const Arms* fixed_arms(const DecisionSet& set) {
  using Found = const Arms*;
  return std::visit(Overloaded{[](const Box& /*box*/) -> Found { return nullptr; },
                               [](const Ball& /*ball*/) -> Found { return nullptr; },
                               [](const Polytope& /*polytope*/) -> Found { return nullptr; },
                               [](const Arms& arms) -> Found { return &arms; },
                               [](const ContextualArms& /*arms*/) -> Found { return nullptr; }},
                    set);
}

std::optional<double> norm_bound(const DecisionSet& set) {
  return std::visit([](const auto& alternative) { return norm_bound_of(alternative); }, set);
}

bool contains(const DecisionSet& set, const Eigen::Ref<const Eigen::VectorXd>& x) {
  FOOTHOLD_ASSERT(x.size() == dim(set));
  return std::visit([&](const auto& alternative) { return holds(alternative, x, false); }, set);
}

bool contains_in_interior(const DecisionSet& set, const Eigen::Ref<const Eigen::VectorXd>& x) {
  FOOTHOLD_ASSERT(x.size() == dim(set));
  return std::visit([&](const auto& alternative) { return holds(alternative, x, true); }, set);
}

double inscribed_scale(const DecisionSet& set, const Eigen::Ref<const Eigen::VectorXd>& centre,
                       const Eigen::Ref<const Eigen::MatrixXd>& E) {
  FOOTHOLD_ASSERT(centre.size() == dim(set) && E.rows() == dim(set) && E.cols() >= 1);
  return std::visit(
      [&](const auto& alternative) { return inscribed_scale_of(alternative, centre, E); }, set);
}

LinearMinimum minimize_linear(const DecisionSet& set, const Eigen::VectorXd& v) {
  check::size_is(v.size(), dim(set), "v");
  check::all_finite(v, "v");
  LinearMinimum minimum{
      std::visit([&](const auto& alternative) { return linear_minimiser(alternative, v); }, set)};
  minimum.value = bounded_dot(v, minimum.point).value();
  return minimum;
}

}  // namespace foothold::geometry
