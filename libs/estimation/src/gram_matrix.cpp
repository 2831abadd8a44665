#include "foothold/estimation/gram_matrix.hpp"

#include <cmath>

#include <Eigen/Cholesky>

#include "foothold/base/double_double.hpp"
#include "foothold/base/rounding.hpp"

namespace foothold::estimation {

GramMatrix::GramMatrix(Eigen::Index dim, double ridge)
    : ridge_(ridge),
      high_(ridge * Eigen::MatrixXd::Identity(dim, dim)),
      low_(Eigen::MatrixXd::Zero(dim, dim)),
      factor_(std::sqrt(ridge) * Eigen::MatrixXd::Identity(dim, dim)),
      fresh_(Eigen::MatrixXd::Zero(dim, dim)),
      rotated_(Eigen::VectorXd::Zero(dim)) {}

void GramMatrix::update(const Eigen::Ref<const Eigen::VectorXd>& x) {
  const Eigen::Index d = dim();
  for (Eigen::Index j = 0; j < d; ++j) {
    for (Eigen::Index i = 0; i < d; ++i) {
      const DoubleDouble sum = DoubleDouble{high_(i, j), low_(i, j)} + two_product(x(i), x(j));
      high_(i, j) = sum.high;
      low_(i, j) = sum.low;
    }
  }
  updates_ += 1.0;
  update_factor(x);
  is_usable_ =
      is_usable_ && factor_.allFinite() && high_.allFinite() && factor_.diagonal().minCoeff() > 0.0;
}

// F Fᵀ + x xᵀ = [F x][F x]ᵀ, made triangular by one Givens rotation per column: backward stable,
// since only orthogonal transformations touch the data [GVL13, §6.5.4].
void GramMatrix::update_factor(const Eigen::Ref<const Eigen::VectorXd>& x) {
  const Eigen::Index d = dim();
  rotated_ = x;
  for (Eigen::Index k = 0; k < d; ++k) {
    const double diagonal = factor_(k, k);
    const double norm = std::hypot(diagonal, rotated_(k));
    const double cosine = diagonal / norm;
    const double sine = rotated_(k) / norm;
    factor_(k, k) = norm;
    for (Eigen::Index i = k + 1; i < d; ++i) {
      const double entry = factor_(i, k);
      factor_(i, k) = cosine * entry + sine * rotated_(i);
      rotated_(i) = cosine * rotated_(i) - sine * entry;
    }
  }
}

bool GramMatrix::refactor() {
  // In place, row by row; Eigen's LLT would do the same with an allocation.
  const Eigen::Index d = dim();
  fresh_.setZero();
  for (Eigen::Index j = 0; j < d; ++j) {
    for (Eigen::Index i = j; i < d; ++i) {
      double sum = high_(i, j);
      for (Eigen::Index k = 0; k < j; ++k) {
        sum -= fresh_(i, k) * fresh_(j, k);
      }
      fresh_(i, j) = i == j ? std::sqrt(sum) : sum / fresh_(j, j);
    }
  }
  if (!fresh_.allFinite() || !high_.allFinite() || !(fresh_.diagonal().minCoeff() > 0.0)) {
    return false;  // an updated factor of the same A can outlive this: it keeps its diagonal
  }
  factor_.swap(fresh_);
  is_usable_ = true;
  return true;
}

double GramMatrix::representation_error() const {
  // Each update errs by ≤ 4u² of the sum's parts, which are bounded by the largest diagonal
  // entry at the end, and by one underflow of the product's error term.
  const double largest = high_.diagonal().maxCoeff();
  return updates_ * (8.0 * rounding::kUnit * rounding::kUnit * largest + rounding::kTiny);
}

void GramMatrix::save(ByteWriter& out) const {
  out.write(updates_);
  out.write(static_cast<std::uint64_t>(is_usable_ ? 1 : 0));
  out.write(high_);
  out.write(low_);
  out.write(factor_);
}

void GramMatrix::load(ByteReader& in) {
  updates_ = in.read_double();
  is_usable_ = in.read_word() != 0;
  high_ = in.read_matrix(dim(), dim());
  low_ = in.read_matrix(dim(), dim());
  factor_ = in.read_matrix(factor_.rows(), factor_.cols());
}

}  // namespace foothold::estimation
