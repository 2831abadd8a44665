#include "foothold/geometry/row_factor.hpp"

#include <Eigen/Dense>

#include "foothold/base/invariant.hpp"

namespace foothold::geometry {
namespace {

// v ← (I − τ[1; w][1; w]ᵀ)v for the entries from `first` on.
void reflect(const Eigen::MatrixXd& factor, const Eigen::VectorXd& reflector, Eigen::Index first,
             Eigen::Ref<Eigen::VectorXd>& v) {
  const auto w = factor.col(first).tail(factor.rows() - first - 1);
  auto below = v.tail(factor.rows() - first - 1);
  const double length = reflector(first) * (v(first) + w.dot(below));
  v(first) -= length;
  below -= length * w;
}

}  // namespace

void RowFactor::reset(Eigen::Index dim) {
  if (rows_.rows() != dim) {
    rows_.setZero(dim, dim);
    factor_.setZero(dim, dim);
    reflector_.setZero(dim);
  }
  size_ = 0;
}

void RowFactor::append(const Eigen::Ref<const Eigen::VectorXd>& row) {
  FOOTHOLD_ASSERT(size_ < dim() && row.size() == dim());
  rows_.col(size_) = row;
  factor_.col(size_) = row;
  rotate(factor_.col(size_));
  double diagonal = 0.0;
  factor_.col(size_).tail(dim() - size_).makeHouseholderInPlace(reflector_(size_), diagonal);
  factor_(size_, size_) = diagonal;
  ++size_;
}

void RowFactor::remove(Eigen::Index position) {
  FOOTHOLD_ASSERT(0 <= position && position < size_);
  const Eigen::Index last = size_ - 1;
  // Factored again rather than rotated: no error is carried from one working set to the next.
  size_ = position;
  for (Eigen::Index i = position; i < last; ++i) {
    append(rows_.col(i + 1));
  }
}

void RowFactor::rotate(Eigen::Ref<Eigen::VectorXd> v) const {
  for (Eigen::Index i = 0; i < size_; ++i) {
    reflect(factor_, reflector_, i, v);
  }
}

void RowFactor::rotate_back(Eigen::Ref<Eigen::VectorXd> v) const {
  for (Eigen::Index i = size_ - 1; i >= 0; --i) {
    reflect(factor_, reflector_, i, v);
  }
}

void RowFactor::solve_upper(Eigen::Ref<Eigen::VectorXd> b) const {
  for (Eigen::Index i = size_ - 1; i >= 0; --i) {
    b(i) /= factor_(i, i);
    b.head(i) -= b(i) * factor_.col(i).head(i);
  }
}

void RowFactor::solve_lower(Eigen::Ref<Eigen::VectorXd> b) const {
  for (Eigen::Index i = 0; i < size_; ++i) {
    b(i) = (b(i) - factor_.col(i).head(i).dot(b.head(i))) / factor_(i, i);
  }
}

}  // namespace foothold::geometry
