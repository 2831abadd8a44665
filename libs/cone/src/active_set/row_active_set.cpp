#include "foothold/cone/active_set/row_active_set.hpp"

#include <algorithm>
#include <cmath>

#include "foothold/base/infinity.hpp"

#include "warm_start.hpp"

namespace foothold::cone {
namespace {

// Single changes of the working set before the general path takes over.
constexpr int kMaxRowSteps = 60;

}  // namespace

RowActiveSet::RowActiveSet(Eigen::Index dim)
    : face_(dim),
      coefficients_(dim),
      fixed_(dim),
      Q_fixed_(dim),
      Q_null_(dim, dim),
      u_(dim),
      Q_u_(dim),
      gradient_(dim),
      eta_(dim) {}

void RowActiveSet::load(const Eigen::MatrixXd& G) {
  normals_ = G.transpose();
  lengths_ = normals_.colwise().norm();
  values_.resize(G.rows());
}

bool RowActiveSet::solve_face(const QuadraticCone& cone, const ConeProgram& program,
                              const Eigen::Ref<const Eigen::VectorXd>& v, const Rows& rows,
                              const RowBasis& basis) {
  const auto rank = static_cast<Eigen::Index>(rows.size());
  const Eigen::Index n = u_.size() - rank;
  if (n == 0) {
    return false;
  }
  // G_W·fixed = h_W with fixed in the range of the rows: Rᵀ y = h_W, fixed = Y y.
  for (Eigen::Index j = 0; j < rank; ++j) {
    coefficients_(j) = program.h(rows[static_cast<std::size_t>(j)]);
  }
  const auto Y = basis.range();
  basis.triangle().transpose().triangularView<Eigen::Lower>().solveInPlace(
      coefficients_.head(rank));
  fixed_.noalias() = Y * coefficients_.head(rank);
  Q_fixed_.noalias() = cone.Q * fixed_;
  const auto N = basis.null_space();
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
  eta_.head(rank).noalias() = -1.0 * (Y.transpose() * gradient_);
  basis.triangle().triangularView<Eigen::Upper>().solveInPlace(eta_.head(rank));
  return true;
}

// As BoxActiveSet::bound_iterate, with the box around the rows and the multipliers of the rows.
void RowActiveSet::bound_iterate(const QuadraticCone& cone, const ConeProgram& program,
                                 const Rows& rows) {
  dual_bound_ = -face_.tau * cone.c;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    gradient_ += eta(j) * normals_.col(rows[j]);
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
    const double fault = -eta_(static_cast<Eigen::Index>(j)) * lengths_(rows[j]) / gradient_scale;
    if (fault > worst) {
      worst = fault;
      drop = j;
    }
  }
  values_.noalias() = program.G * u_;
  for (Eigen::Index i = 0; i < program.G.rows(); ++i) {
    const double fault = values_(i) / program.h(i) - 1.0;
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

bool RowActiveSet::solve_vertex(const ConeProgram& program,
                                const Eigen::Ref<const Eigen::VectorXd>& v, Rows& rows,
                                RowBasis& basis) {
  basis.span(normals_, rows);
  const Eigen::Index d = u_.size();
  if (static_cast<Eigen::Index>(rows.size()) != d) {
    return false;
  }
  const auto Y = basis.range();
  eta_.noalias() = -1.0 * (Y.transpose() * v);
  basis.triangle().triangularView<Eigen::Upper>().solveInPlace(eta_);
  const double slope = kGuessTolerance * v.norm();
  for (Eigen::Index j = 0; j < d; ++j) {
    if (-eta_(j) * lengths_(rows[static_cast<std::size_t>(j)]) > slope) {
      return false;
    }
    coefficients_(j) = program.h(rows[static_cast<std::size_t>(j)]);
  }
  basis.triangle().transpose().triangularView<Eigen::Lower>().solveInPlace(coefficients_);
  u_.noalias() = Y * coefficients_;
  values_.noalias() = program.G * u_;
  face_.tau = 0.0;
  gradient_ = v;
  const QuadraticCone no_cone;
  bound_iterate(no_cone, program, rows);
  return true;
}

void RowActiveSet::release_row(const QuadraticCone& cone, Rows& rows, const RowBasis& basis) {
  multiply(cone.Q, u_, Q_u_);
  const double norm = std::sqrt(u_.dot(Q_u_));
  gradient_ = cone.a + (cone.rho / norm) * Q_u_;
  coefficients_.noalias() = -1.0 * (basis.range().transpose() * gradient_);
  basis.triangle().triangularView<Eigen::Upper>().solveInPlace(coefficients_);
  std::size_t first = rows.size();
  double least = kInfinity;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const auto index = static_cast<Eigen::Index>(j);
    const double ratio = -eta(j) / coefficients_(index);
    if (coefficients_(index) < 0.0 && ratio < least) {
      least = ratio;
      first = j;
    }
  }
  if (first < rows.size()) {
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

ActiveSetStatus RowActiveSet::solve(const QuadraticCone& cone, const ConeProgram& program,
                                    const Eigen::Ref<const Eigen::VectorXd>& v, double cutoff,
                                    std::vector<Eigen::Index>& rows, RowBasis& basis) {
  for (int step = 0; step < kMaxRowSteps; ++step) {
    steps_ = step + 1;
    basis.span(normals_, rows);
    if (!solve_face(cone, program, v, rows, basis)) {
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

}  // namespace foothold::cone
