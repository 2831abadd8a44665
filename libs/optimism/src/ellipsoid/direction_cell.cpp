#include "ellipsoid/direction_cell.hpp"

#include <algorithm>
#include <cmath>

namespace foothold::optimism {
namespace {

// A base this narrow is a point: its chords overestimate by less than rounding.
constexpr double kPointWidth = 1e-9;

// Share of the squared width in the rule of splitting: it decides where the chords are exact at
// the point, and no excess is left to compare.
constexpr double kWidthShare = 1e-3;

}  // namespace

void DirectionCell::set_root(Eigen::Index dim, Eigen::Index k) {
  axis = k / 2;
  sign = k % 2 == 0 ? 1.0 : -1.0;
  lower.setConstant(dim, -1.0);
  upper.setConstant(dim, 1.0);
  point.setZero(dim);
  lower(axis) = 0.0;
  upper(axis) = 0.0;
}

void DirectionCell::set_point(const Eigen::Ref<const Eigen::VectorXd>& y) {
  const double height = sign * y(axis);
  for (Eigen::Index j = 0; j < y.size(); ++j) {
    const double z = height > 0.0 ? y(j) / height : point(j);
    point(j) = j == axis ? 0.0 : std::clamp(z, lower(j), upper(j));
  }
}

void DirectionCell::majorant(const Eigen::Ref<const Eigen::VectorXd>& nu,
                             Eigen::VectorXd& p) const {
  const Eigen::Index d = lower.size();
  double constant = 1.0;  // of the chords' sum 1 + Σ (l_j + u_j)z_j − l_j u_j
  double at_point = 1.0;
  for (Eigen::Index j = 0; j < d; ++j) {
    constant -= lower(j) * upper(j);
    at_point += (lower(j) + upper(j)) * point(j) - lower(j) * upper(j);
  }
  const double r = std::sqrt(std::max(at_point, 1.0));
  double height = 0.5 * (constant / r + r);
  Eigen::Index k = 0;
  for (Eigen::Index j = 0; j < d; ++j) {
    if (j != axis) {
      p(j) = 0.5 * (lower(j) + upper(j)) / r + nu(k) - nu(k + 1);
      height += nu(k + 1) * upper(j) - nu(k) * lower(j);
      k += 2;
    }
  }
  p(axis) = sign * height;
}

void DirectionCell::slacks(const Eigen::Ref<const Eigen::VectorXd>& y, Eigen::VectorXd& out) const {
  const double height = sign * y(axis);
  Eigen::Index k = 0;
  for (Eigen::Index j = 0; j < y.size(); ++j) {
    if (j != axis) {
      out(k) = y(j) - lower(j) * height;
      out(k + 1) = upper(j) * height - y(j);
      k += 2;
    }
  }
}

Eigen::Index DirectionCell::widest_chord() const {
  Eigen::Index best = -1;
  double largest = 0.0;
  for (Eigen::Index j = 0; j < lower.size(); ++j) {
    const double width = upper(j) - lower(j);
    const double excess =
        (upper(j) - point(j)) * (point(j) - lower(j)) + kWidthShare * width * width;
    if (width > kPointWidth && excess > largest) {
      best = j;
      largest = excess;
    }
  }
  return best;
}

}  // namespace foothold::optimism
