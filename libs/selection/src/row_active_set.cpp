#include "row_active_set.hpp"

#include <algorithm>
#include <cmath>

namespace foothold::selection {
namespace {

// Length of what is left of a unit row after orthogonalisation below which it is dependent.
constexpr double kDependent = 1e-10;
// Single changes of the working set before the general path takes over.
constexpr int kMaxRowSteps = 60;

}  // namespace

RowActiveSet::RowActiveSet(Eigen::Index dim)
    : Q_(dim, dim),
      face_(dim),
      basis_(dim, dim),
      R_(dim, dim),
      coefficients_(dim),
      candidate_(dim),
      fixed_(dim),
      Q_fixed_(dim),
      Q_null_(dim, dim),
      u_(dim),
      gradient_(dim),
      eta_(dim) {}

void RowActiveSet::load(const ConeProgram& program) {
  const Cone& cone = program.cones.front();
  Q_.noalias() = cone.M.transpose() * cone.M;
}

// Gram–Schmidt, twice, which is enough for orthogonality to rounding.
void RowActiveSet::orthogonalize(const ConeProgram& program, WarmStart& warm) {
  const Eigen::Index d = u_.size();
  Eigen::Index rank = 0;
  R_.setZero();
  const auto remove_span = [&](Eigen::Index columns) {
    coefficients_.head(columns).noalias() = basis_.leftCols(columns).transpose() * candidate_;
    candidate_.noalias() -= basis_.leftCols(columns) * coefficients_.head(columns);
  };
  std::size_t kept = 0;
  for (std::size_t position = 0; position < warm.rows.size(); ++position) {
    const Eigen::Index row = warm.rows[position];
    candidate_ = program.G.row(row).transpose();
    const double length = candidate_.norm();
    if (rank == d) {
      continue;
    }
    for (int pass = 0; pass < 2 && rank > 0; ++pass) {
      remove_span(rank);
      R_.col(rank).head(rank) += coefficients_.head(rank);
    }
    const double left = candidate_.norm();
    if (!(left > kDependent * length)) {
      R_.col(rank).setZero();
      continue;
    }
    R_(rank, rank) = left;
    basis_.col(rank) = candidate_ / left;
    warm.rows[kept++] = row;
    ++rank;
  }
  warm.rows.resize(kept);
  // Complete with the unit vectors that stick out most.
  for (Eigen::Index filled = rank; filled < d; ++filled) {
    Eigen::Index best = 0;
    double best_left = -1.0;
    for (Eigen::Index i = 0; i < d; ++i) {
      const double left = 1.0 - basis_.row(i).head(filled).squaredNorm();
      if (left > best_left) {
        best_left = left;
        best = i;
      }
    }
    candidate_.setZero();
    candidate_(best) = 1.0;
    remove_span(filled);
    remove_span(filled);
    basis_.col(filled) = candidate_ / candidate_.norm();
  }
}

bool RowActiveSet::solve_face(const ConeProgram& program,
                              const Eigen::Ref<const Eigen::VectorXd>& v, const WarmStart& warm) {
  const Cone& cone = program.cones.front();
  const auto rank = static_cast<Eigen::Index>(warm.rows.size());
  const Eigen::Index n = u_.size() - rank;
  if (n == 0) {
    return false;
  }
  // G_W·fixed = h_W with fixed in the range of the rows: Rᵀ y = h_W, fixed = Y y.
  for (Eigen::Index j = 0; j < rank; ++j) {
    coefficients_(j) = program.h(warm.rows[static_cast<std::size_t>(j)]);
  }
  R_.topLeftCorner(rank, rank)
      .transpose()
      .triangularView<Eigen::Lower>()
      .solveInPlace(coefficients_.head(rank));
  fixed_.noalias() = basis_.leftCols(rank) * coefficients_.head(rank);
  Q_fixed_.noalias() = Q_ * fixed_;
  const auto N = basis_.rightCols(n);
  Q_null_.leftCols(n).noalias() = Q_ * N;
  face_.Q.topLeftCorner(n, n).noalias() = N.transpose() * Q_null_.leftCols(n);
  face_.a.head(n).noalias() = N.transpose() * cone.a;
  face_.v.head(n).noalias() = N.transpose() * v;
  face_.g.head(n).noalias() = N.transpose() * Q_fixed_;
  face_.r0 = fixed_.dot(Q_fixed_);
  face_.c0 = cone.c - cone.a.dot(fixed_);
  face_.rho = cone.rho;
  if (face_.solve(n) != FaceStatus::Optimal) {
    return false;
  }
  u_ = fixed_;
  u_.noalias() += N * face_.t.head(n);
  gradient_.noalias() = Q_ * u_;
  gradient_ = v + face_.tau * (cone.a + (cone.rho / face_.norm) * gradient_);
  eta_.head(rank).noalias() = -1.0 * (basis_.leftCols(rank).transpose() * gradient_);
  R_.topLeftCorner(rank, rank).triangularView<Eigen::Upper>().solveInPlace(eta_.head(rank));
  return true;
}

// Corrects the guess by its worst fault; true if there was none.
bool RowActiveSet::drop_or_add(const ConeProgram& program,
                               const Eigen::Ref<const Eigen::VectorXd>& v, WarmStart& warm) {
  const double gradient_scale = v.norm();
  double worst = kGuessTolerance;
  Eigen::Index add = -1;
  std::size_t drop = warm.rows.size();
  for (std::size_t j = 0; j < warm.rows.size(); ++j) {
    const double length = program.G.row(warm.rows[j]).norm();
    const double fault = -eta_(static_cast<Eigen::Index>(j)) * length / gradient_scale;
    if (fault > worst) {
      worst = fault;
      drop = j;
    }
  }
  for (Eigen::Index i = 0; i < program.G.rows(); ++i) {
    const double fault = program.G.row(i).dot(u_) / program.h(i) - 1.0;
    if (fault > worst && std::find(warm.rows.begin(), warm.rows.end(), i) == warm.rows.end()) {
      worst = fault;
      add = i;
    }
  }
  if (add >= 0) {
    warm.rows.push_back(add);
    return false;
  }
  if (drop < warm.rows.size()) {
    warm.rows.erase(warm.rows.begin() + static_cast<std::ptrdiff_t>(drop));
    return false;
  }
  return true;
}

bool RowActiveSet::solve(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v,
                         WarmStart& warm, ConeSolution& solution) {
  const Cone& cone = program.cones.front();
  for (int step = 0; step < kMaxRowSteps; ++step) {
    orthogonalize(program, warm);
    if (!solve_face(program, v, warm)) {
      return false;
    }
    if (drop_or_add(program, v, warm)) {
      solution.u = u_;
      solution.multipliers.eta.setZero();
      for (std::size_t j = 0; j < warm.rows.size(); ++j) {
        solution.multipliers.eta(warm.rows[j]) = std::max(eta_(static_cast<Eigen::Index>(j)), 0.0);
      }
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

}  // namespace foothold::selection
