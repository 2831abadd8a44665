#include "row_active_set.hpp"

#include <algorithm>
#include <cmath>

#include "warm_start.hpp"

namespace foothold::selection {
namespace {

// Length of what is left of a unit row after orthogonalisation below which it is dependent.
constexpr double kDependent = 1e-10;
// Single changes of the working set before the general path takes over.
constexpr int kMaxRowSteps = 60;

}  // namespace

RowActiveSet::RowActiveSet(Eigen::Index dim)
    : face_(dim),
      basis_(dim, dim),
      R_(dim, dim),
      coefficients_(dim),
      candidate_(dim),
      fixed_(dim),
      Q_fixed_(dim),
      Q_null_(dim, dim),
      u_(dim),
      Q_u_(dim),
      gradient_(dim),
      eta_(dim) {
  basis_rows_.reserve(static_cast<std::size_t>(dim) + 1);
}

// Gram–Schmidt, twice, which is enough for orthogonality to rounding.
void RowActiveSet::orthogonalize(const ConeProgram& program, Rows& rows) {
  const Eigen::Index d = u_.size();
  if (has_basis_ && rows == basis_rows_) {
    return;
  }
  Eigen::Index rank = 0;
  R_.setZero();
  const auto remove_span = [&](Eigen::Index columns) {
    coefficients_.head(columns).noalias() = basis_.leftCols(columns).transpose() * candidate_;
    candidate_.noalias() -= basis_.leftCols(columns) * coefficients_.head(columns);
  };
  std::size_t kept = 0;
  for (std::size_t position = 0; position < rows.size(); ++position) {
    const Eigen::Index row = rows[position];
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
    rows[kept++] = row;
    ++rank;
  }
  rows.resize(kept);
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
  basis_rows_ = rows;
  has_basis_ = true;
}

bool RowActiveSet::solve_face(const QuadraticCone& cone, const ConeProgram& program,
                              const Eigen::Ref<const Eigen::VectorXd>& v, const Rows& rows) {
  const auto rank = static_cast<Eigen::Index>(rows.size());
  const Eigen::Index n = u_.size() - rank;
  if (n == 0) {
    return false;
  }
  // G_W·fixed = h_W with fixed in the range of the rows: Rᵀ y = h_W, fixed = Y y.
  for (Eigen::Index j = 0; j < rank; ++j) {
    coefficients_(j) = program.h(rows[static_cast<std::size_t>(j)]);
  }
  R_.topLeftCorner(rank, rank)
      .transpose()
      .triangularView<Eigen::Lower>()
      .solveInPlace(coefficients_.head(rank));
  fixed_.noalias() = basis_.leftCols(rank) * coefficients_.head(rank);
  Q_fixed_.noalias() = cone.Q * fixed_;
  const auto N = basis_.rightCols(n);
  Q_null_.leftCols(n).noalias() = cone.Q * N;
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
  Q_u_ = Q_fixed_;
  Q_u_.noalias() += Q_null_.leftCols(n) * face_.t.head(n);
  const double norm = std::sqrt(u_.dot(Q_u_));
  gradient_ = v + face_.tau * (cone.a + (cone.rho / norm) * Q_u_);
  eta_.head(rank).noalias() = -1.0 * (basis_.leftCols(rank).transpose() * gradient_);
  R_.topLeftCorner(rank, rank).triangularView<Eigen::Upper>().solveInPlace(eta_.head(rank));
  return true;
}

// As BoxActiveSet::bound_iterate, with the box around the rows and the multipliers of the rows.
void RowActiveSet::bound_iterate(const QuadraticCone& cone, const ConeProgram& program,
                                 const Rows& rows) {
  dual_bound_ = -face_.tau * cone.c;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    gradient_ += eta(j) * program.G.row(rows[j]).transpose();
    dual_bound_ -= eta(j) * program.h(rows[j]);
  }
  for (Eigen::Index i = 0; i < u_.size(); ++i) {
    dual_bound_ += std::min(gradient_(i) * program.lower(i), gradient_(i) * program.upper(i));
  }
}

// Corrects the guess by its worst fault; true if there was none.
bool RowActiveSet::drop_or_add(const ConeProgram& program,
                               const Eigen::Ref<const Eigen::VectorXd>& v, Rows& rows) {
  const double gradient_scale = v.norm();
  double worst = kGuessTolerance;
  Eigen::Index add = -1;
  std::size_t drop = rows.size();
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const double length = program.G.row(rows[j]).norm();
    const double fault = -eta_(static_cast<Eigen::Index>(j)) * length / gradient_scale;
    if (fault > worst) {
      worst = fault;
      drop = j;
    }
  }
  for (Eigen::Index i = 0; i < program.G.rows(); ++i) {
    const double fault = program.G.row(i).dot(u_) / program.h(i) - 1.0;
    if (fault > worst && std::find(rows.begin(), rows.end(), i) == rows.end()) {
      worst = fault;
      add = i;
    }
  }
  if (add >= 0) {
    rows.push_back(add);
    return false;
  }
  if (drop < rows.size()) {
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(drop));
    return false;
  }
  return true;
}

ActiveSetStatus RowActiveSet::solve(const QuadraticCone& cone, const ConeProgram& program,
                                    const Eigen::Ref<const Eigen::VectorXd>& v, double cutoff,
                                    std::vector<Eigen::Index>& rows) {
  for (int step = 0; step < kMaxRowSteps; ++step) {
    steps_ = step + 1;
    orthogonalize(program, rows);
    if (!solve_face(cone, program, v, rows)) {
      return ActiveSetStatus::Failed;
    }
    bound_iterate(cone, program, rows);
    if (dual_bound_ >= cutoff) {
      return ActiveSetStatus::CutOff;
    }
    if (drop_or_add(program, v, rows)) {
      return ActiveSetStatus::Optimal;
    }
  }
  return ActiveSetStatus::Failed;
}

}  // namespace foothold::selection
