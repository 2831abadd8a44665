#include "foothold/geometry/polytope.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "foothold/base/check.hpp"
#include "foothold/base/error.hpp"
#include "foothold/base/invariant.hpp"
#include "foothold/base/rounding.hpp"
#include "foothold/geometry/dense_lp.hpp"

#include "bounded_sum.hpp"

namespace foothold::geometry {
namespace {

// Above it the proof of the bounding box says too little: the set is wider than 2⁻⁵³ of its
// rows' conditioning can tell.
constexpr double kLargestResidual = 0.5;

// From this dimension on, programs walk by an inverse: at d = 120 with 1,440 rows that takes a
// tenth of the time. Below, where time does not matter, proved boxes stay those of earlier versions
// in every bit.
constexpr Eigen::Index kWalkFrom = 48;

[[noreturn]] void fail_unbounded(Eigen::Index coordinate) {
  throw Error(ErrorCode::InvalidArgument, "normals",
              fmt::format("must bound the set, but it is unbounded in coordinate {}", coordinate));
}

[[noreturn]] void fail_empty() {
  throw Error(ErrorCode::InvalidArgument, "offsets",
              "must leave the set an interior, but it has none");
}

// Rows brought to a largest entry in [1, 2) by powers of two, hence the same set exactly.
struct ScaledRows {
  Eigen::MatrixXd normals;
  Eigen::VectorXd offsets;
};

ScaledRows scale_rows(const Eigen::MatrixXd& normals, const Eigen::VectorXd& offsets) {
  ScaledRows rows{normals, offsets};
  for (Eigen::Index i = 0; i < normals.rows(); ++i) {
    const double largest = normals.row(i).cwiseAbs().maxCoeff();
    if (largest == 0.0) {
      throw Error(ErrorCode::InvalidArgument, "normals",
                  fmt::format("must have no zero row, got one at row {}", i));
    }
    const int exponent = std::ilogb(largest);
    const auto is_exact = [&](double scaled, double original) {
      return std::scalbn(scaled, exponent) == original;
    };
    for (Eigen::Index j = 0; j < normals.cols(); ++j) {
      rows.normals(i, j) = std::scalbn(normals(i, j), -exponent);
      if (!is_exact(rows.normals(i, j), normals(i, j))) {
        throw Error(ErrorCode::InvalidArgument, "normals",
                    fmt::format("must not mix magnitudes beyond the range of a double in one row, "
                                "got {} beside {} in row {}",
                                normals(i, j), largest, i));
      }
    }
    rows.offsets(i) = std::scalbn(offsets(i), -exponent);
    if (!is_exact(rows.offsets(i), offsets(i))) {
      throw Error(ErrorCode::InvalidArgument, "offsets",
                  fmt::format("must be within the range of a double relative to their rows, got {} "
                              "for a row with largest entry {}",
                              offsets(i), largest));
    }
  }
  return rows;
}

// The centre of a largest ball inside:  max { r : gᵢᵀx + r‖gᵢ‖ ≤ hᵢ }, from x = 0 and the
// largest r there, which is feasible.
struct InscribedBall {
  Eigen::VectorXd centre;
  double radius;  // negative if the set is empty
};

InscribedBall largest_ball(const ScaledRows& rows) {
  const Eigen::Index d = rows.normals.cols();
  Eigen::MatrixXd G(rows.normals.rows(), d + 1);
  G.leftCols(d) = rows.normals;
  G.col(d) = rows.normals.rowwise().norm();
  Eigen::VectorXd start = Eigen::VectorXd::Zero(d + 1);
  start(d) = rows.offsets.cwiseQuotient(G.col(d)).minCoeff();
  DenseLp lp(kWalkFrom);
  const LpResult& result = lp.solve(G, rows.offsets, -Eigen::VectorXd::Unit(d + 1, d), start);
  if (result.status == LpStatus::Unbounded) {
    throw Error(ErrorCode::InvalidArgument, "normals",
                "must bound the set, but it holds arbitrarily large balls");
  }
  FOOTHOLD_INVARIANT(result.status == LpStatus::Optimal);
  return {lp.point().head(d), lp.point()(d)};
}

// An exact statement, whatever a program's tolerances.
bool is_strictly_inside(const ScaledRows& rows, const Eigen::VectorXd& x) {
  for (Eigen::Index i = 0; i < rows.normals.rows(); ++i) {
    if (!(bounded_slack(rows.offsets(i), rows.normals.row(i), x).lower() > 0.0)) {
      return false;
    }
  }
  return true;
}

// Whether the radius is negative by more than rounding.
bool is_clearly_empty(const ScaledRows& rows, double radius) {
  constexpr double kRadiusTolerance = 0x1p-40;
  return !(radius > -kRadiusTolerance * rows.offsets.cwiseAbs().maxCoeff());
}

// A point well inside a set whose coordinates differ much in scale: the centre of a largest
// ball after the bounding box has been mapped to a cube.
Eigen::VectorXd centre_in_units_of_box(const ScaledRows& rows, const Eigen::VectorXd& lower,
                                       const Eigen::VectorXd& upper) {
  const Eigen::VectorXd middle = 0.5 * (lower + upper);
  const Eigen::VectorXd width = upper - lower;
  if (!(width.minCoeff() > 0.0)) {
    fail_empty();
  }
  ScaledRows mapped{rows.normals * width.asDiagonal(), rows.offsets};
  for (Eigen::Index i = 0; i < rows.normals.rows(); ++i) {
    const double norm = mapped.normals.row(i).norm();
    mapped.normals.row(i) /= norm;
    mapped.offsets(i) = bounded_slack(rows.offsets(i), rows.normals.row(i), middle).value() / norm;
  }
  return middle + width.cwiseProduct(largest_ball(mapped).centre);
}

// What multipliers η ≥ 0 say about a direction c: on the polytope cᵀx ≤ bound + residualᵀ|x|
// with bound ≥ hᵀη and residual ≥ |c − Gᵀη|.
struct DualBound {
  double bound;
  Eigen::VectorXd residual;
};

DualBound dual_bound(const ScaledRows& rows, const DenseLp& lp, const Eigen::VectorXd& c) {
  const Eigen::VectorXd& eta = lp.multipliers();
  BoundedSum offset;
  for (const Eigen::Index i : lp.working_set()) {
    offset.add_product(rows.offsets(i), eta(i));
  }
  DualBound result{offset.upper(), Eigen::VectorXd(c.size())};
  for (Eigen::Index j = 0; j < c.size(); ++j) {
    BoundedSum difference;
    difference.add(c(j));
    for (const Eigen::Index i : lp.working_set()) {
      difference.add_product(-rows.normals(i, j), eta(i));
    }
    result.residual(j) = difference.magnitude();
  }
  return result;
}

// The bounds of all coordinates from above (sign 1) or, for −x, from below (sign −1).
struct CoordinateBounds {
  Eigen::VectorXd bound;
  Eigen::MatrixXd residual;  // one row per coordinate
};

CoordinateBounds coordinate_bounds(const ScaledRows& rows, const Eigen::VectorXd& start,
                                   double sign, DenseLp& lp) {
  const Eigen::Index d = rows.normals.cols();
  CoordinateBounds bounds{Eigen::VectorXd(d), Eigen::MatrixXd(d, d)};
  for (Eigen::Index i = 0; i < d; ++i) {
    const Eigen::VectorXd c = sign * Eigen::VectorXd::Unit(d, i);
    const LpResult& result = lp.solve(rows.normals, rows.offsets, -c, start, /*warm=*/true);
    if (result.status == LpStatus::Unbounded) {
      fail_unbounded(i);
    }
    FOOTHOLD_INVARIANT(result.status == LpStatus::Optimal);
    const DualBound dual = dual_bound(rows, lp, c);
    if (!std::isfinite(dual.bound) || !dual.residual.allFinite()) {
      fail_unbounded(i);
    }
    bounds.bound(i) = dual.bound;
    bounds.residual.row(i) = dual.residual.transpose();
  }
  return bounds;
}

double weighted_sum_upper(const Eigen::MatrixXd& residual, Eigen::Index row,
                          const Eigen::VectorXd& weights) {
  double sum = 0.0;
  for (Eigen::Index j = 0; j < weights.size(); ++j) {
    sum += residual(row, j) * weights(j);
  }
  const auto operations = 2.0 * static_cast<double>(weights.size());
  return rounding::up(sum, operations);
}

// An upper bound X on |x| over the polytope. With w ≥ the two bounds of each coordinate and R
// the larger of the two residuals, |x| ≤ w + R|x| on the polytope. If Rw ≤ q·w with q < 1, then
//   - the polytope is bounded: a ray z of it has |z| ≤ R|z|, hence max |zᵢ|/wᵢ ≤ q max |zᵢ|/wᵢ;
//   - max |xᵢ|/wᵢ ≤ 1 + q max |xᵢ|/wᵢ, hence |x| ≤ w/(1 − q).
Eigen::VectorXd magnitude_bound(const CoordinateBounds& above, const CoordinateBounds& below) {
  const Eigen::VectorXd w = above.bound.cwiseAbs().cwiseMax(below.bound.cwiseAbs());
  const Eigen::MatrixXd R = above.residual.cwiseMax(below.residual);
  double q = 0.0;
  for (Eigen::Index i = 0; i < w.size(); ++i) {
    const double share = rounding::up(weighted_sum_upper(R, i, w) / w(i));
    if (!(share <= kLargestResidual)) {
      fail_unbounded(i);
    }
    q = std::max(q, share);
  }
  const double factor = rounding::up(1.0 / (1.0 - q));
  return w.unaryExpr([factor](double value) { return rounding::up(value * factor); });
}

Eigen::VectorXd proved_bounds(const CoordinateBounds& bounds, const Eigen::VectorXd& magnitude) {
  Eigen::VectorXd proved(magnitude.size());
  for (Eigen::Index i = 0; i < proved.size(); ++i) {
    // An exact proof needs no correction: simple sets get their bounds as given.
    const bool is_exact = (bounds.residual.row(i).array() == 0.0).all();
    proved(i) =
        is_exact
            ? bounds.bound(i)
            : rounding::up(bounds.bound(i) + weighted_sum_upper(bounds.residual, i, magnitude));
  }
  return proved;
}

}  // namespace

Polytope::Polytope(Eigen::MatrixXd normals, Eigen::VectorXd offsets)
    : normals_(std::move(normals)), offsets_(std::move(offsets)) {
  if (normals_.rows() < 1 || normals_.cols() < 1) {
    throw Error(ErrorCode::InvalidArgument, "normals",
                fmt::format("must have at least one row and one column, got {} x {}",
                            normals_.rows(), normals_.cols()));
  }
  check::size_is(offsets_.size(), normals_.rows(), "offsets");
  check::all_finite(normals_, "normals");
  check::all_finite(offsets_, "offsets");

  const ScaledRows rows = scale_rows(normals_, offsets_);
  const InscribedBall ball = largest_ball(rows);
  if (is_clearly_empty(rows, ball.radius)) {
    fail_empty();
  }
  DenseLp lp(kWalkFrom);
  const CoordinateBounds above = coordinate_bounds(rows, ball.centre, 1.0, lp);
  const CoordinateBounds below = coordinate_bounds(rows, ball.centre, -1.0, lp);
  interior_point_ = is_strictly_inside(rows, ball.centre)
                        ? ball.centre
                        : centre_in_units_of_box(rows, -below.bound, above.bound);
  if (!is_strictly_inside(rows, interior_point_)) {
    fail_empty();
  }
  const Eigen::VectorXd magnitude = magnitude_bound(above, below);
  upper_ = proved_bounds(above, magnitude);
  lower_ = -proved_bounds(below, magnitude);
}

}  // namespace foothold::geometry
