#include "kkt_newton.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foothold::selection {
namespace {

constexpr double kSingular = 1e-15;

}  // namespace

// A constraint counts as active if its multiplier, in units of the objective's range, exceeds
// its slack, in units of its limit.
void KktNewton::choose_active(const ConeProgram& program,
                              const Eigen::Ref<const Eigen::VectorXd>& v,
                              const ConeSolution& solution) {
  active_rows_.clear();
  active_cones_.clear();
  const Eigen::VectorXd& u = solution.u;
  double range = 0.0;
  reduced_ = v;
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    range += std::abs(v(i)) * std::max(program.upper(i), -program.lower(i));
  }
  for (Eigen::Index i = 0; i < program.G.rows(); ++i) {
    const double eta = solution.multipliers.eta(i);
    const double slack = 1.0 - program.G.row(i).dot(u) / program.h(i);
    reduced_ += eta * program.G.row(i).transpose();
    if (eta * program.h(i) > slack * range) {
      active_rows_.push_back({i, 0});
    }
  }
  for (std::size_t k = 0; k < program.cones.size(); ++k) {
    const Cone& cone = program.cones[k];
    const auto index = static_cast<Eigen::Index>(k);
    const double tau = solution.multipliers.tau(index);
    reduced_ += tau * cone.a;
    reduced_.noalias() += (tau * cone.rho) * (cone.M.transpose() * solution.multipliers.w.col(index));
    if (tau * cone.c > (1.0 - cone.value(u) / cone.c) * range) {
      active_cones_.push_back(k);
    }
  }
  if (program.box_is_constraint) {
    for (Eigen::Index i = 0; i < u.size(); ++i) {
      const double bound = reduced_(i) < 0.0 ? program.upper(i) : program.lower(i);
      const double slack = 1.0 - u(i) / bound;
      if (std::abs(reduced_(i) * bound) > slack * range) {
        active_rows_.push_back({i, reduced_(i) < 0.0 ? 1 : -1});
      }
    }
  }
}

bool KktNewton::improve(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v,
                        int iterations, ConeSolution& solution) {
  choose_active(program, v, solution);
  u_ = solution.u;
  const auto rows = static_cast<Eigen::Index>(active_rows_.size());
  const auto cones = static_cast<Eigen::Index>(active_cones_.size());
  if (rows + cones > u_.size()) {
    return false;  // degenerate: more equations than unknowns
  }
  row_multipliers_.setZero(rows);
  cone_multipliers_.resize(cones);
  for (Eigen::Index j = 0; j < cones; ++j) {
    cone_multipliers_(j) = solution.multipliers.tau(
        static_cast<Eigen::Index>(active_cones_[static_cast<std::size_t>(j)]));
  }
  for (int iteration = 0; iteration < iterations; ++iteration) {
    if (!step(program, v)) {
      return false;
    }
  }
  solution.u = u_;
  solution.multipliers.eta.setZero();
  solution.multipliers.tau.setZero();
  for (Eigen::Index j = 0; j < rows; ++j) {
    const ActiveRow& row = active_rows_[static_cast<std::size_t>(j)];
    if (row.side == 0) {
      solution.multipliers.eta(row.index) = std::max(row_multipliers_(j), 0.0);
    }
  }
  for (Eigen::Index j = 0; j < cones; ++j) {
    const std::size_t k = active_cones_[static_cast<std::size_t>(j)];
    const Cone& cone = program.cones[k];
    const auto index = static_cast<Eigen::Index>(k);
    solution.multipliers.tau(index) = std::max(cone_multipliers_(j), 0.0);
    auto w = solution.multipliers.w.col(index);
    w.noalias() = cone.M * u_;
    if (!cone.is_centred) {
      w += cone.e;
    }
    const double norm = w.norm();
    if (norm > 0.0) {
      w /= norm;
    }
  }
  return true;
}

// One Newton step on (u, η, τ).
bool KktNewton::step(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v) {
  const Eigen::Index d = u_.size();
  const auto rows = static_cast<Eigen::Index>(active_rows_.size());
  const auto cones = static_cast<Eigen::Index>(active_cones_.size());
  const Eigen::Index size = d + rows + cones;
  if (system_.rows() < size) {
    system_.resize(2 * d + cones, 2 * d + cones);
    rhs_.resize(2 * d + cones);
  }
  auto system = system_.topLeftCorner(size, size);
  system.setZero();
  auto stationarity = rhs_.head(d);
  stationarity = -v;
  for (Eigen::Index j = 0; j < rows; ++j) {
    const ActiveRow& row = active_rows_[static_cast<std::size_t>(j)];
    if (row.side == 0) {
      system.col(d + j).head(d) = program.G.row(row.index).transpose();
      rhs_(d + j) = program.h(row.index) - program.G.row(row.index).dot(u_);
    } else {
      system(row.index, d + j) = row.side;
      rhs_(d + j) = row.side > 0 ? program.upper(row.index) - u_(row.index)
                                 : u_(row.index) - program.lower(row.index);
    }
    stationarity -= row_multipliers_(j) * system.col(d + j).head(d);
  }
  for (Eigen::Index j = 0; j < cones; ++j) {
    const Cone& cone = program.cones[active_cones_[static_cast<std::size_t>(j)]];
    image_ = cone.e;
    image_.noalias() += cone.M * u_;
    const double norm = image_.norm();
    if (!(norm > 0.0)) {
      return false;  // the tip of the cone, where it has no gradient
    }
    const double tau = cone_multipliers_(j);
    gradient_.noalias() = cone.M.transpose() * image_;
    gradient_ /= norm;
    // ∇²‖Mu + e‖ = (MᵀM − ggᵀ)/‖Mu + e‖ with g = ∇‖Mu + e‖.
    const double curvature = tau * cone.rho / norm;
    system.topLeftCorner(d, d).noalias() += curvature * (cone.M.transpose() * cone.M);
    system.topLeftCorner(d, d).noalias() -= curvature * (gradient_ * gradient_.transpose());
    system.col(d + rows + j).head(d) = cone.a + cone.rho * gradient_;
    rhs_(d + rows + j) = cone.c - (cone.a.dot(u_) + cone.rho * norm);
    stationarity -= tau * system.col(d + rows + j).head(d);
  }
  system.bottomLeftCorner(rows + cones, d) = system.topRightCorner(d, rows + cones).transpose();
  if (!solve_system(size)) {
    return false;
  }
  u_ += rhs_.head(d);
  row_multipliers_ += rhs_.segment(d, rows);
  cone_multipliers_ += rhs_.segment(d + rows, cones);
  return u_.allFinite() && row_multipliers_.allFinite() && cone_multipliers_.allFinite();
}

// Gaussian elimination with partial pivoting and row scaling, in place: the sizes change from round
// to round, and a library factorisation would allocate each time.
bool KktNewton::solve_system(Eigen::Index size) {
  for (Eigen::Index i = 0; i < size; ++i) {
    const double largest = system_.row(i).head(size).cwiseAbs().maxCoeff();
    if (!(largest > 0.0) || !std::isfinite(largest)) {
      return false;
    }
    system_.row(i).head(size) /= largest;
    rhs_(i) /= largest;
  }
  for (Eigen::Index k = 0; k < size; ++k) {
    Eigen::Index pivot = k;
    system_.col(k).segment(k, size - k).cwiseAbs().maxCoeff(&pivot);
    pivot += k;
    if (!(std::abs(system_(pivot, k)) > kSingular)) {
      return false;
    }
    if (pivot != k) {
      system_.row(k).head(size).swap(system_.row(pivot).head(size));
      std::swap(rhs_(k), rhs_(pivot));
    }
    for (Eigen::Index i = k + 1; i < size; ++i) {
      const double factor = system_(i, k) / system_(k, k);
      if (factor != 0.0) {
        system_.row(i).segment(k, size - k) -= factor * system_.row(k).segment(k, size - k);
        rhs_(i) -= factor * rhs_(k);
      }
    }
  }
  auto solution = rhs_.head(size);
  system_.topLeftCorner(size, size).triangularView<Eigen::Upper>().solveInPlace(solution);
  return solution.allFinite();
}

}  // namespace foothold::selection
