#include "box_active_set.hpp"

#include <algorithm>
#include <cmath>

namespace foothold::selection {
namespace {

// Steps that change all violators at once before single changes begin, and all steps.
constexpr int kBulkSteps = 8;
constexpr int kMaxBoxSteps = 40;

}  // namespace

BoxActiveSet::BoxActiveSet(Eigen::Index dim)
    : Q_(dim, dim), face_(dim), fixed_(dim), u_(dim), Q_fixed_(dim), Q_u_(dim), gradient_(dim) {
  free_.reserve(static_cast<std::size_t>(dim));
}

void BoxActiveSet::load(const ConeProgram& program) {
  const Cone& cone = program.cones.front();
  Q_.noalias() = cone.M.transpose() * cone.M;
}

Eigen::Index BoxActiveSet::collect(const ConeProgram& program,
                                   const Eigen::Ref<const Eigen::VectorXd>& v,
                                   const WarmStart& warm) {
  const Cone& cone = program.cones.front();
  free_.clear();
  fixed_.setZero();
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    const signed char side = warm.side[static_cast<std::size_t>(i)];
    if (side == 0) {
      free_.push_back(i);
    } else {
      fixed_(i) = side > 0 ? program.upper(i) : program.lower(i);
    }
  }
  const auto n = static_cast<Eigen::Index>(free_.size());
  Q_fixed_.noalias() = Q_ * fixed_;
  for (Eigen::Index j = 0; j < n; ++j) {
    const Eigen::Index column = free_[static_cast<std::size_t>(j)];
    for (Eigen::Index i = j; i < n; ++i) {
      face_.Q(i, j) = Q_(free_[static_cast<std::size_t>(i)], column);
    }
    face_.a(j) = cone.a(column);
    face_.v(j) = v(column);
    face_.g(j) = Q_fixed_(column);
  }
  face_.r0 = fixed_.dot(Q_fixed_);
  face_.c0 = cone.c - cone.a.dot(fixed_);
  face_.rho = cone.rho;
  return n;
}

bool BoxActiveSet::solve(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v,
                         WarmStart& warm, ConeSolution& solution) {
  const Cone& cone = program.cones.front();
  for (int step = 0; step < kMaxBoxSteps; ++step) {
    const Eigen::Index n = collect(program, v, warm);
    if (n == 0 || face_.solve(n) != FaceStatus::Optimal) {
      return false;
    }
    u_ = fixed_;
    for (Eigen::Index j = 0; j < n; ++j) {
      u_(free_[static_cast<std::size_t>(j)]) = face_.t(j);
    }
    Q_u_.noalias() = Q_ * u_;
    gradient_ = v + face_.tau * (cone.a + (cone.rho / face_.norm) * Q_u_);
    if (correct(program, v, /*only_worst=*/step >= kBulkSteps, warm) == 0) {
      solution.u = u_;
      solution.multipliers.tau(0) = face_.tau;
      auto w = solution.multipliers.w.col(0);
      w.noalias() = cone.M * u_;
      w /= w.norm();
      solution.iterations = step + 1;
      return true;
    }
  }
  return false;
}

int BoxActiveSet::correct(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v,
                          bool only_worst, WarmStart& warm) {
  int changes = 0;
  double worst = 0.0;
  Eigen::Index worst_index = -1;
  signed char worst_side = 0;
  const double gradient_scale = v.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < u_.size(); ++i) {
    signed char& side = warm.side[static_cast<std::size_t>(i)];
    const double range = program.upper(i) - program.lower(i);
    double violation = 0.0;
    signed char better = 0;
    if (side == 0) {
      const double above = (u_(i) - program.upper(i)) / range;
      const double below = (program.lower(i) - u_(i)) / range;
      violation = std::max(above, below);
      better = above > below ? 1 : -1;
    } else {
      // At the upper bound the gradient must not be positive, at the lower not negative.
      violation = (side > 0 ? gradient_(i) : -gradient_(i)) / gradient_scale;
    }
    if (!(violation > kGuessTolerance)) {
      continue;
    }
    ++changes;
    if (!only_worst) {
      side = better;
    } else if (violation > worst) {
      worst = violation;
      worst_index = i;
      worst_side = better;
    }
  }
  if (worst_index >= 0) {
    warm.side[static_cast<std::size_t>(worst_index)] = worst_side;
  }
  return changes;
}

}  // namespace foothold::selection
