#include "newton/kkt_newton.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foothold::cone {
namespace {

// A pivot this small in a system with entries near 1 is rounding.
constexpr double kSingular = 1e-13;

// Steps in widths of the box below which Newton's method has converged, and is about to.
constexpr double kConverged = 1e-14;
constexpr double kSettled = 1e-3;

// How far a constraint may be exceeded, in its limit, or a multiplier be negative, in units of the
// objective's range, before the guess of the active constraints is changed.
constexpr double kChangeTolerance = 1e-11;
constexpr int kMaxChanges = 8;

}  // namespace

void KktNewton::reshape(const ConeProgram& program) {
  const Eigen::Index d = program.dim();
  const auto cones = static_cast<Eigen::Index>(program.cones.size());
  // At most 2d active rows are ever accepted: room for each of d rows twice.
  const Eigen::Index size = 3 * d + cones;
  Eigen::Index tail = 0;
  for (const Cone& cone : program.cones) {
    tail = std::max(tail, cone.M.rows());
  }
  active_rows_.reserve(static_cast<std::size_t>(program.G.rows() + 2 * d));
  active_cones_.reserve(program.cones.size());
  u_.resize(d);
  row_multipliers_.resize(2 * d);
  cone_multipliers_.resize(cones);
  system_.resize(size, size);
  rhs_.resize(size);
  step_.resize(size);
  scale_.resize(size);
  factor_.resize(size);
  order_.resize(static_cast<std::size_t>(size));
  image_.resize(tail);
  gradient_.resize(d);
  reduced_.resize(d);
}

// A constraint counts as active if its multiplier, in units of the objective's range, exceeds
// its slack, in units of its limit.
void KktNewton::choose_active(const ConeProgram& program,
                              const Eigen::Ref<const Eigen::VectorXd>& v,
                              const ConeSolution& solution) {
  active_rows_.clear();
  active_cones_.clear();
  const Eigen::VectorXd& u = solution.u;
  double& range = range_;
  range = 0.0;
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
    reduced_.noalias() +=
        (tau * cone.rho) * (cone.M.transpose() * solution.multipliers.w.col(index));
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
  if (static_cast<Eigen::Index>(active_rows_.size()) > row_multipliers_.size()) {
    return false;  // so degenerate that the guess is of no use
  }
  row_multipliers_.setZero();
  cone_multipliers_.setZero();
  for (std::size_t j = 0; j < active_cones_.size(); ++j) {
    cone_multipliers_(static_cast<Eigen::Index>(j)) =
        solution.multipliers.tau(static_cast<Eigen::Index>(active_cones_[j]));
  }
  for (int round = 0; round < kMaxChanges; ++round) {
    if (!iterate(program, v, iterations)) {
      return false;
    }
    // Far from convergence, neither excesses nor signs say anything about the guess.
    if (!(last_step_ <= kSettled) || (!add_violated(program) && !drop_negative(program))) {
      break;
    }
  }
  report(program, solution);
  return true;
}

bool KktNewton::iterate(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v,
                        int iterations) {
  for (int iteration = 0; iteration < iterations; ++iteration) {
    if (!step(program, v)) {
      return false;
    }
    last_step_ =
        step_.head(u_.size()).cwiseQuotient(program.upper - program.lower).cwiseAbs().maxCoeff();
    // The first step sets the multipliers, even if the point does not move.
    if (last_step_ <= kConverged && iteration > 0) {
      break;
    }
  }
  return true;
}

// Adds the constraint that the point exceeds most; true if there was one and room for it.
bool KktNewton::add_violated(const ConeProgram& program) {
  double worst = kChangeTolerance;
  ActiveRow worst_row{-1, 0};
  std::size_t worst_cone = program.cones.size();
  const auto is_active = [this](Eigen::Index index, int side) {
    return std::any_of(active_rows_.begin(), active_rows_.end(), [&](const ActiveRow& row) {
      return row.index == index && row.side == side;
    });
  };
  const auto consider = [&](double excess, Eigen::Index index, int side) {
    if (excess > worst && !is_active(index, side)) {
      worst = excess;
      worst_row = {index, side};
    }
  };
  for (Eigen::Index i = 0; i < program.G.rows(); ++i) {
    consider(program.G.row(i).dot(u_) / program.h(i) - 1.0, i, 0);
  }
  for (Eigen::Index i = 0; i < u_.size() && program.box_is_constraint; ++i) {
    consider(u_(i) / program.upper(i) - 1.0, i, 1);
    consider(u_(i) / program.lower(i) - 1.0, i, -1);
  }
  for (std::size_t k = 0; k < program.cones.size(); ++k) {
    const double excess = program.cones[k].value(u_) / program.cones[k].c - 1.0;
    if (excess > worst &&
        std::find(active_cones_.begin(), active_cones_.end(), k) == active_cones_.end()) {
      worst = excess;
      worst_cone = k;
    }
  }
  if (worst_cone < program.cones.size()) {
    cone_multipliers_(static_cast<Eigen::Index>(active_cones_.size())) = 0.0;
    active_cones_.push_back(worst_cone);
    return true;
  }
  const auto rows = static_cast<Eigen::Index>(active_rows_.size());
  if (worst_row.index < 0 || rows == row_multipliers_.size()) {
    return false;
  }
  row_multipliers_(rows) = 0.0;
  active_rows_.push_back(worst_row);
  return true;
}

// Drops the constraint with the most negative multiplier; true if there was one.
bool KktNewton::drop_negative(const ConeProgram& program) {
  double worst = -kChangeTolerance * range_;
  std::size_t worst_row = active_rows_.size();
  std::size_t worst_cone = active_cones_.size();
  for (std::size_t j = 0; j < active_rows_.size(); ++j) {
    const ActiveRow& row = active_rows_[j];
    const double limit = row.side == 0  ? program.h(row.index)
                         : row.side > 0 ? program.upper(row.index)
                                        : -program.lower(row.index);
    const double weight = row_multipliers_(static_cast<Eigen::Index>(j)) * limit;
    if (weight < worst) {
      worst = weight;
      worst_row = j;
    }
  }
  for (std::size_t j = 0; j < active_cones_.size(); ++j) {
    const double weight =
        cone_multipliers_(static_cast<Eigen::Index>(j)) * program.cones[active_cones_[j]].c;
    if (weight < worst) {
      worst = weight;
      worst_cone = j;
    }
  }
  const auto erase = [](auto& list, Eigen::VectorXd& multipliers, std::size_t position) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(position));
    for (std::size_t j = position; j < list.size(); ++j) {
      const auto index = static_cast<Eigen::Index>(j);
      multipliers(index) = multipliers(index + 1);
    }
  };
  if (worst_cone < active_cones_.size()) {
    erase(active_cones_, cone_multipliers_, worst_cone);
    return true;
  }
  if (worst_row < active_rows_.size()) {
    erase(active_rows_, row_multipliers_, worst_row);
    return true;
  }
  return false;
}

void KktNewton::report(const ConeProgram& program, ConeSolution& solution) const {
  const auto rows = static_cast<Eigen::Index>(active_rows_.size());
  const auto cones = static_cast<Eigen::Index>(active_cones_.size());
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
}

// One Newton step on (u, η, τ).
bool KktNewton::step(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v) {
  const Eigen::Index d = u_.size();
  const auto rows = static_cast<Eigen::Index>(active_rows_.size());
  const auto cones = static_cast<Eigen::Index>(active_cones_.size());
  const Eigen::Index size = d + rows + cones;
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
    auto image = image_.head(cone.M.rows());
    image = cone.e;
    image.noalias() += cone.M * u_;
    const double norm = image.norm();
    if (!(norm > 0.0)) {
      return false;  // the tip of the cone, where it has no gradient
    }
    const double tau = cone_multipliers_(j);
    gradient_.noalias() = cone.M.transpose() * image;
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
  u_ += step_.head(d);
  row_multipliers_.head(rows) += step_.segment(d, rows);
  cone_multipliers_.head(cones) += step_.segment(d + rows, cones);
  return true;
}

// Symmetric equilibration, then Gaussian elimination with complete pivoting, in place: the sizes
// change from round to round, and a library factorisation would allocate each time. Duplicated rows
// and directions that nothing bends or pins down make the system singular yet consistent; their
// unknowns are left as they are.
bool KktNewton::solve_system(Eigen::Index size) {
  equilibrate(size);
  Eigen::Index rank = 0;
  for (; rank < size; ++rank) {
    const Eigen::Index left = size - rank;
    Eigen::Index pivot_row = 0;
    Eigen::Index pivot_col = 0;
    const double pivot =
        system_.block(rank, rank, left, left).cwiseAbs().maxCoeff(&pivot_row, &pivot_col);
    if (!std::isfinite(pivot)) {
      return false;
    }
    if (!(pivot > kSingular)) {
      break;
    }
    pivot_row += rank;
    pivot_col += rank;
    system_.row(rank).head(size).swap(system_.row(pivot_row).head(size));
    std::swap(rhs_(rank), rhs_(pivot_row));
    system_.col(rank).head(size).swap(system_.col(pivot_col).head(size));
    std::swap(order_[static_cast<std::size_t>(rank)], order_[static_cast<std::size_t>(pivot_col)]);
    auto factors = system_.col(rank).segment(rank + 1, left - 1);
    factors /= system_(rank, rank);
    system_.block(rank + 1, rank + 1, left - 1, left - 1).noalias() -=
        factors * system_.row(rank).segment(rank + 1, left - 1);
    rhs_.segment(rank + 1, left - 1) -= rhs_(rank) * factors;
  }
  system_.topLeftCorner(rank, rank).triangularView<Eigen::Upper>().solveInPlace(rhs_.head(rank));
  step_.head(size).setZero();
  for (Eigen::Index i = 0; i < rank; ++i) {
    const Eigen::Index unknown = order_[static_cast<std::size_t>(i)];
    step_(unknown) = rhs_(i) * scale_(unknown);
  }
  return step_.head(size).allFinite();
}

// Scales rows and columns alike until the largest entry of each is near 1 (Ruiz), so that pivots
// compare whatever the units of the actions, the limits and the losses are.
void KktNewton::equilibrate(Eigen::Index size) {
  constexpr int kPasses = 4;
  scale_.head(size).setOnes();
  for (int pass = 0; pass < kPasses; ++pass) {
    for (Eigen::Index i = 0; i < size; ++i) {
      const double largest = system_.col(i).head(size).cwiseAbs().maxCoeff();
      factor_(i) = largest > 0.0 ? 1.0 / std::sqrt(largest) : 1.0;
    }
    for (Eigen::Index i = 0; i < size; ++i) {
      system_.col(i).head(size).array() *= factor_(i) * factor_.head(size).array();
    }
    scale_.head(size).array() *= factor_.head(size).array();
  }
  rhs_.head(size).array() *= scale_.head(size).array();
  for (Eigen::Index i = 0; i < size; ++i) {
    order_[static_cast<std::size_t>(i)] = i;
  }
}

}  // namespace foothold::cone
