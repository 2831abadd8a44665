#include "foothold/cone/cone_program.hpp"

#include <algorithm>
#include <cmath>

namespace foothold::cone {
namespace {

// A sum of squares above this, and below its inverse, has lost nothing to underflow or overflow.
constexpr double kSafeSquare = 1e-280;

}  // namespace

double Cone::value(const Eigen::Ref<const Eigen::VectorXd>& u) const {
  double norm_sq = 0.0;
  for (Eigen::Index i = 0; i < M.rows(); ++i) {
    const double entry = M.row(i).dot(u) + (is_centred ? 0.0 : e(i));
    norm_sq += entry * entry;
  }
  if (norm_sq > kSafeSquare && norm_sq < 1.0 / kSafeSquare) {
    return a.dot(u) + rho * std::sqrt(norm_sq);
  }
  // The squares may have left the range of a double, though the entries have not.
  double norm = 0.0;
  for (Eigen::Index i = 0; i < M.rows(); ++i) {
    norm = std::hypot(norm, M.row(i).dot(u) + (is_centred ? 0.0 : e(i)));
  }
  return a.dot(u) + rho * norm;
}

double dual_bound(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v,
                  const ConeMultipliers& multipliers, Eigen::VectorXd& g) {
  g = v;
  double bound = 0.0;
  for (Eigen::Index i = 0; i < program.G.rows(); ++i) {
    const double eta = multipliers.eta(i);
    if (eta > 0.0) {
      g += eta * program.G.row(i).transpose();
      bound -= program.h(i) * eta;
    }
  }
  for (std::size_t k = 0; k < program.cones.size(); ++k) {
    const Cone& cone = program.cones[k];
    const auto index = static_cast<Eigen::Index>(k);
    const double tau = multipliers.tau(index);
    if (!(tau > 0.0)) {
      continue;
    }
    auto w = multipliers.w.col(index);
    // A norm above 1 by rounding is scaled away instead of trusted.
    const double weight = tau * cone.rho / std::max(1.0, w.norm());
    g += tau * cone.a;
    g.noalias() += weight * (cone.M.transpose() * w);
    bound -= tau * cone.c;
    if (!cone.is_centred) {
      bound += weight * w.dot(cone.e);
    }
  }
  for (Eigen::Index i = 0; i < g.size(); ++i) {
    bound += g(i) > 0.0 ? g(i) * program.lower(i) : g(i) * program.upper(i);
  }
  return bound;
}

double feasible_scale(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& u) {
  double scale = 1.0;
  if (program.box_is_constraint) {
    for (Eigen::Index i = 0; i < u.size(); ++i) {
      if (u(i) > program.upper(i)) {
        scale = std::min(scale, program.upper(i) / u(i));
      } else if (u(i) < program.lower(i)) {
        scale = std::min(scale, program.lower(i) / u(i));
      }
    }
  }
  for (Eigen::Index i = 0; i < program.G.rows(); ++i) {
    const double value = program.G.row(i).dot(u);
    if (value > program.h(i)) {
      scale = std::min(scale, program.h(i) / value);
    }
  }
  for (const Cone& cone : program.cones) {
    const double value = cone.value(u);
    if (value > cone.c) {
      // Convexity: value(t·u) ≤ (1 − t)·value(0) + t·value(u).
      const double at_centre = cone.is_centred ? 0.0 : cone.rho * cone.e.norm();
      scale = std::min(scale, (cone.c - at_centre) / (value - at_centre));
    }
  }
  return scale;
}

}  // namespace foothold::cone
