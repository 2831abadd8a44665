#include "dual/dual_correction.hpp"

#include <algorithm>
#include <cmath>

namespace foothold::cone {
namespace {

// Distance to a side, in widths of the box, below which a coordinate sits there.
constexpr double kAtSide = 1e-7;

// Relative growth of the diagonal, so that rounding cannot make the normal matrix indefinite.
constexpr double kRegularization = 1e-13;

}  // namespace

void DualCorrection::reshape(const ConeProgram& program) {
  const Eigen::Index d = program.dim();
  Eigen::Index tail = 0;
  for (const Cone& cone : program.cones) {
    tail = std::max(tail, cone.M.rows());
  }
  free_.resize(d);
  gradient_.resize(d);
  map_.resize(tail, d);
  weighted_.resize(program.G.rows(), d);
  normal_.setIdentity(d, d);
  factor_.compute(normal_);
  y_.resize(d);
  z_.resize(tail);
}

void DualCorrection::mark_free(const ConeProgram& program, const Eigen::VectorXd& u) {
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    const double range = program.upper(i) - program.lower(i);
    const double slack = gradient_(i) < 0.0 ? program.upper(i) - u(i) : u(i) - program.lower(i);
    free_(i) = slack > kAtSide * range ? 1.0 : 0.0;
  }
}

bool DualCorrection::improve(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v,
                             const Eigen::VectorXd& u, ConeMultipliers& multipliers) {
  static_cast<void>(dual_bound(program, v, multipliers, gradient_));
  mark_free(program, u);
  weighted_ = multipliers.eta.asDiagonal() * program.G;
  normal_.noalias() = weighted_.transpose() * weighted_;
  for (std::size_t k = 0; k < program.cones.size(); ++k) {
    const Cone& cone = program.cones[k];
    const auto index = static_cast<Eigen::Index>(k);
    auto map = map_.topRows(cone.M.rows());
    map = cone.rho * cone.M;
    map.noalias() += multipliers.w.col(index).head(cone.M.rows()) * cone.a.transpose();
    map *= multipliers.tau(index);
    normal_.noalias() += map.transpose() * map;
  }
  const double largest = normal_.diagonal().maxCoeff();
  if (!(largest > 0.0) || !std::isfinite(largest)) {
    return false;
  }
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    if (free_(i) == 0.0) {
      normal_.row(i).setZero();
      normal_.col(i).setZero();
    }
    const double diagonal = normal_(i, i);
    normal_(i, i) = diagonal > 0.0 ? (1.0 + kRegularization) * diagonal : largest;
  }
  factor_.compute(normal_);
  if (factor_.info() != Eigen::Success) {
    return false;
  }
  y_ = gradient_.cwiseProduct(free_);
  factor_.solveInPlace(y_);
  y_ = y_.cwiseProduct(free_);
  for (Eigen::Index i = 0; i < program.G.rows(); ++i) {
    double& eta = multipliers.eta(i);
    eta = std::max(eta - eta * weighted_.row(i).dot(y_), 0.0);
  }
  for (std::size_t k = 0; k < program.cones.size(); ++k) {
    const Cone& cone = program.cones[k];
    const auto index = static_cast<Eigen::Index>(k);
    const double tau = multipliers.tau(index);
    if (!(tau > 0.0)) {
      continue;
    }
    auto w = multipliers.w.col(index).head(cone.M.rows());
    auto z = z_.head(cone.M.rows());
    z.noalias() = cone.M * y_;
    z = w - tau * (cone.rho * z + cone.a.dot(y_) * w);
    const double length = z.norm();
    if (length > 0.0 && std::isfinite(length)) {
      multipliers.tau(index) = tau * length;
      w = z / length;
    }
  }
  return true;
}

}  // namespace foothold::cone
