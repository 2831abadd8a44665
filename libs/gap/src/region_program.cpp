#include "region_program.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/SVD>

#include "foothold/base/infinity.hpp"
#include "foothold/base/invariant.hpp"
#include "foothold/base/rounding.hpp"

#include "minimum/ball_minimum.hpp"

namespace foothold::gap {
namespace {

// Roundings of a dot product, with room for those of its inputs (differences, images).
double allowance(Eigen::Index terms) {
  return rounding::gamma(4.0 * static_cast<double>(terms) + 16.0);
}

// Powers of two by which a ray is stretched when it does not prove emptiness beyond rounding.
constexpr int kLongestStretch = 40;

}  // namespace

RegionProgram::RegionProgram(Eigen::Index dim, GapRegion kind)
    : kind_(kind),
      mu_hat_(Eigen::VectorXd::Zero(dim)),
      transform_(Eigen::MatrixXd::Zero(dim, dim)),
      rows_(0, dim) {}

void RegionProgram::load(const estimation::ConfidenceRegion& region) {
  FOOTHOLD_ASSERT(region.dim() == dim());
  mu_hat_ = region.mu_hat();
  if (kind_ == GapRegion::Ellipsoid) {
    transform_ = region.radius() * region.factor_inverse().transpose();
  } else {
    transform_ = region.l1_radius() * region.root_inverse();
  }
  solves_ = 0;
  clear_rows();
}

double RegionProgram::euclidean_radius() const {
  // The ℓ₁ region is the convex hull of its vertices. For the ellipsoid ‖T‖² ≤ ‖TᵀT‖ in any
  // norm would do; the spectral one is exact.
  const double size = kind_ == GapRegion::L1 ? transform_.colwise().norm().maxCoeff()
                                             : transform_.jacobiSvd().singularValues()(0);
  return size * (1.0 + 64.0 * allowance(dim()));
}

double RegionProgram::dual_norm(const Eigen::VectorXd& p) const {
  return kind_ == GapRegion::Ellipsoid ? p.norm() : p.cwiseAbs().maxCoeff();
}

RegionForm RegionProgram::form(const Eigen::Ref<const Eigen::VectorXd>& z) const {
  RegionForm form;
  form.centre = mu_hat_.dot(z);
  form.slope = transform_.transpose() * z;
  form.reach = dual_norm(form.slope);
  const Eigen::VectorXd size = transform_.cwiseAbs().transpose() * z.cwiseAbs();
  form.rounding = allowance(dim()) * (mu_hat_.cwiseAbs().dot(z.cwiseAbs()) + dual_norm(size));
  return form;
}

RegionForm RegionProgram::difference(const RegionForm& first, const RegionForm& second) const {
  RegionForm form;
  form.centre = first.centre - second.centre;
  form.slope = first.slope - second.slope;
  form.reach = dual_norm(form.slope);
  form.rounding = first.rounding + second.rounding;
  return form;
}

void RegionProgram::clear_rows() {
  count_ = 0;
  is_empty_ = false;
}

void RegionProgram::add_row(const RegionForm& form, double limit) {
  const double room = limit + form.rounding + 2.0 * rounding::kUnit * std::abs(limit) - form.centre;
  if (room >= form.reach) {
    return;
  }
  if (room < -form.reach) {
    is_empty_ = true;
    return;
  }
  if (count_ == rows_.rows()) {
    const Eigen::Index capacity = 2 * count_ + 8;
    rows_.conservativeResize(capacity, Eigen::NoChange);
    offsets_.conservativeResize(capacity);
  }
  rows_.row(count_) = form.slope.transpose() / form.reach;
  offsets_(count_) = room / form.reach;
  ++count_;
}

double RegionProgram::minimum(const RegionForm& form) {
  return form.centre - form.rounding + slope_minimum(form.slope);
}

double RegionProgram::maximum(const RegionForm& form) {
  return form.centre + form.rounding - slope_minimum(-form.slope);
}

double RegionProgram::slope_minimum(const Eigen::VectorXd& p) {
  if (is_empty_) {
    return kInfinity;
  }
  if (count_ == 0) {
    return -dual_norm(p) * (1.0 + allowance(dim()));
  }
  if (count_ == 1) {
    return kind_ == GapRegion::Ellipsoid ? one_row_ball_minimum(p)
                                         : one_row_cross_polytope_minimum(p);
  }
  ++solves_;
  const auto R = rows_.topRows(count_);
  const auto s = offsets_.head(count_);
  const CutMinimum found =
      kind_ == GapRegion::Ellipsoid ? ball_minimum(p, R, s) : cross_polytope_.solve(p, R, s);
  const double without_rows = -dual_norm(p) * (1.0 + allowance(dim()));
  if (!found.is_empty) {
    return std::max(without_rows, proved_minimum(p, found.multipliers));
  }
  if (proves_empty(found.multipliers)) {
    return kInfinity;
  }
  // Whether anything is left is a matter of rounding. Then the ray still proves a bound.
  double bound = without_rows;
  for (int stretch = 0; stretch <= kLongestStretch; ++stretch) {
    bound = std::max(bound, proved_minimum(p, std::ldexp(1.0, stretch) * found.multipliers));
  }
  return bound;
}

// On { rᵀω = s } the minimiser is s·r plus a step against p's part orthogonal to r; with τ the
// ball's multiplier the row's is η = −pᵀr − τs. The bound is proved for any η.
double RegionProgram::one_row_ball_minimum(const Eigen::VectorXd& p) const {
  const Eigen::VectorXd row = rows_.row(0).transpose();
  const double s = offsets_(0);
  const double along = p.dot(row);
  const double across = (p - along * row).norm();
  const double share = std::sqrt(std::max((1.0 - s) * (1.0 + s), rounding::kUnit));
  const double eta = std::max(0.0, -along - across / share * s);
  return std::max(proved_minimum(p, Eigen::VectorXd::Zero(1)),
                  proved_minimum(p, Eigen::VectorXd::Constant(1, eta)));
}

// A vertex of the cut cross-polytope is one of its vertices ±e_i or lies on an edge that the row
// crosses. Segments between opposite vertices are no edges, but lie in the set as well.
double RegionProgram::one_row_cross_polytope_minimum(const Eigen::VectorXd& p) const {
  const Eigen::Index d = dim();
  const double s = offsets_(0);
  const auto at = [d](const auto& values, Eigen::Index k) {
    return k < d ? values(k) : -values(k - d);
  };
  const auto row = rows_.row(0);
  double lowest = kInfinity;
  for (Eigen::Index k = 0; k < 2 * d; ++k) {
    if (at(row, k) > s) {
      continue;
    }
    lowest = std::min(lowest, at(p, k));
    for (Eigen::Index l = 0; l < 2 * d; ++l) {
      if (at(row, l) > s) {
        const double share = (s - at(row, k)) / (at(row, l) - at(row, k));
        lowest = std::min(lowest, at(p, k) + share * (at(p, l) - at(p, k)));
      }
    }
  }
  return lowest - allowance(d) * dual_norm(p);
}

double RegionProgram::proved_minimum(const Eigen::VectorXd& p, const Eigen::VectorXd& eta) const {
  const auto R = rows_.topRows(count_);
  const auto s = offsets_.head(count_);
  const Eigen::VectorXd rest = p + R.transpose() * eta;
  const double size = dual_norm(p) + eta.sum() * 2.0;  // rows have dual norm 1, |s| ≤ 1
  const double bound = -dual_norm(rest) - s.dot(eta) - allowance(count_ + dim()) * size;
  return std::isfinite(bound) ? bound : -kInfinity;
}

bool RegionProgram::proves_empty(const Eigen::VectorXd& eta) const {
  return proved_minimum(Eigen::VectorXd::Zero(dim()), eta) > 0.0;
}

}  // namespace foothold::gap
