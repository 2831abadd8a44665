#include "foothold/cone/active_set/row_basis.hpp"

namespace foothold::cone {
namespace {

// Length of what is left of a unit row after orthogonalisation below which it is dependent.
constexpr double kDependent = 1e-10;

}  // namespace

RowBasis::RowBasis(Eigen::Index dim)
    : basis_(dim, dim), R_(dim, dim), coefficients_(dim), candidate_(dim) {
  rows_.reserve(static_cast<std::size_t>(dim) + 1);
}

void RowBasis::remove_span(Eigen::Index columns) {
  coefficients_.head(columns).noalias() = basis_.leftCols(columns).transpose() * candidate_;
  candidate_.noalias() -= basis_.leftCols(columns) * coefficients_.head(columns);
}

// Gram–Schmidt, twice, which is enough for orthogonality to rounding.
void RowBasis::span(const Eigen::MatrixXd& normals, std::vector<Eigen::Index>& rows) {
  if (is_set_ && rows == rows_) {
    return;
  }
  const Eigen::Index d = basis_.rows();
  Eigen::Index rank = 0;
  R_.setZero();
  std::size_t kept = 0;
  for (const Eigen::Index row : rows) {
    if (rank == d) {
      break;
    }
    candidate_ = normals.col(row);
    const double length = candidate_.norm();
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
  rows_ = rows;
  complete(rank);
  is_set_ = true;
}

// With the unit vectors that stick out most.
void RowBasis::complete(Eigen::Index rank) {
  const Eigen::Index d = basis_.rows();
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

}  // namespace foothold::cone
