#include "ellipsoid/cut_model.hpp"

#include <algorithm>

#include "foothold/base/infinity.hpp"

namespace foothold::optimism {
namespace {

// N: far above the multipliers of cells that matter, which are of the order of the slopes of
// ‖·‖₂; only cells without any certified action would have larger ones, and be ruled out sooner.
constexpr double kLargestSum = 1e3;

// ε relative to the slacks, above rounding and below every gap that is asked for.
constexpr double kPerturbation = 1e-9;

// A reduced cost above this, relative to the largest cost, is taken for zero; so is an entry of
// a column relative to its largest.
constexpr double kSmallestCost = 1e-12;
constexpr double kSmallestEntry = 1e-10;

// Points beyond those that a cell hands on to its children.
constexpr Eigen::Index kRoom = 20;

}  // namespace

CutModel::CutModel(Eigen::Index dim) {
  const Eigen::Index n = 2 * (dim - 1);
  const Eigen::Index points = n + kRoom;
  ys_.setZero(dim, points);
  estimates_.setZero(points);
  slacks_.setZero(n, points);
  costs_.setZero(points);
  ids_.assign(static_cast<std::size_t>(points), 0);
  basis_.assign(static_cast<std::size_t>(n + 1), 0);
  inverse_.setZero(n + 1, n + 1);
  for (Eigen::VectorXd* vector : {&levels_, &prices_, &column_}) {
    vector->setZero(n + 1);
  }
  slack_.setZero(n);
  nu_.setZero(n);
  p_.setZero(dim);
  combination_.setZero(dim);
}

void CutModel::start(const DirectionCell& cell, double radius) {
  cell_ = &cell;
  radius_ = radius;
  count_ = 0;
  has_basis_ = false;
}

void CutModel::add(const Eigen::Ref<const Eigen::VectorXd>& y, double estimate, int id) {
  if (count_ == ys_.cols()) {
    return;
  }
  ys_.col(count_) = y;
  estimates_(count_) = estimate;
  ids_[static_cast<std::size_t>(count_)] = id;
  cell_->slacks(y, slack_);
  slacks_.col(count_) = slack_;
  ++count_;
}

// The point deepest in the cell, with the surplus variables; s instead of the smallest surplus if
// the point lies outside.
void CutModel::start_basis() {
  const Eigen::Index n = nu_.size();
  Eigen::Index deepest = 0;
  for (Eigen::Index k = 1; k < count_; ++k) {
    if (slacks_.col(k).minCoeff() > slacks_.col(deepest).minCoeff()) {
      deepest = k;
    }
  }
  const double size = slacks_.leftCols(count_).cwiseAbs().maxCoeff();
  inverse_.setZero();
  for (Eigen::Index i = 0; i < n; ++i) {
    const double share = 1.0 + static_cast<double>(i) / static_cast<double>(n);
    inverse_(i, i) = -1.0;
    inverse_(i, n) = slacks_(i, deepest);
    basis_[static_cast<std::size_t>(i)] = -2 - i;
    levels_(i) = slacks_(i, deepest) + kPerturbation * share * size;
  }
  inverse_(n, n) = 1.0;
  basis_[static_cast<std::size_t>(n)] = deepest;
  levels_(n) = 1.0;
  Eigen::Index lowest = 0;
  if (levels_.head(n).minCoeff(&lowest) < 0.0) {
    set_column(kArtificial);
    pivot(lowest, kArtificial);
  }
  has_basis_ = true;
}

void CutModel::price_points() {
  nu_.setZero();
  cell_->majorant(nu_, p_);
  for (Eigen::Index k = 0; k < count_; ++k) {
    costs_(k) = estimates_(k) - radius_ * p_.dot(ys_.col(k));
  }
}

double CutModel::cost(Eigen::Index variable) const {
  if (variable >= 0) {
    return costs_(variable);
  }
  return variable == kArtificial ? kLargestSum * radius_ : 0.0;
}

// The variable of the most negative reduced cost; `count_` if there is none.
Eigen::Index CutModel::entering(double tolerance) const {
  const Eigen::Index n = nu_.size();
  Eigen::Index best = count_;
  double lowest = -tolerance;
  const auto offer = [&](Eigen::Index variable, double reduced) {
    if (reduced < lowest) {
      lowest = reduced;
      best = variable;
    }
  };
  for (Eigen::Index k = 0; k < count_; ++k) {
    offer(k, costs_(k) - prices_.head(n).dot(slacks_.col(k)) - prices_(n));
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    offer(-2 - i, prices_(i));
  }
  offer(kArtificial, cost(kArtificial) - prices_.head(n).sum());
  return best;
}

void CutModel::set_column(Eigen::Index variable) {
  const Eigen::Index n = nu_.size();
  if (variable >= 0) {
    column_ = inverse_.col(n);
    column_.noalias() += inverse_.leftCols(n) * slacks_.col(variable);
  } else if (variable == kArtificial) {
    column_ = inverse_.leftCols(n).rowwise().sum();
  } else {
    column_ = -inverse_.col(-2 - variable);
  }
}

// The row that `column_` drives to zero first; −1 if none.
Eigen::Index CutModel::leaving() const {
  const double smallest = kSmallestEntry * column_.cwiseAbs().maxCoeff();
  Eigen::Index best = -1;
  double shortest = kInfinity;
  for (Eigen::Index i = 0; i < column_.size(); ++i) {
    if (column_(i) > smallest && std::max(levels_(i), 0.0) < shortest * column_(i)) {
      best = i;
      shortest = std::max(levels_(i), 0.0) / column_(i);
    }
  }
  return best;
}

void CutModel::pivot(Eigen::Index row, Eigen::Index variable) {
  const double inverse_pivot = 1.0 / column_(row);
  inverse_.row(row) *= inverse_pivot;
  levels_(row) *= inverse_pivot;
  for (Eigen::Index i = 0; i < column_.size(); ++i) {
    if (i != row && column_(i) != 0.0) {
      inverse_.row(i) -= column_(i) * inverse_.row(row);
      levels_(i) -= column_(i) * levels_(row);
    }
  }
  basis_[static_cast<std::size_t>(row)] = variable;
}

bool CutModel::solve() {
  const Eigen::Index n = nu_.size();
  if (n == 0 || count_ == 0) {
    return false;
  }
  price_points();
  if (!has_basis_) {
    start_basis();
  }
  const double tolerance = kSmallestCost * costs_.head(count_).cwiseAbs().maxCoeff();
  // Far more than it takes; the model only proposes, so that stopping early does no harm.
  const Eigen::Index limit = 20 * (n + count_);
  for (Eigen::Index step = 0; step < limit; ++step) {
    prices_.setZero();
    for (Eigen::Index i = 0; i <= n; ++i) {
      const double price = cost(basis_[static_cast<std::size_t>(i)]);
      if (price != 0.0) {
        prices_ += price * inverse_.row(i).transpose();
      }
    }
    const Eigen::Index variable = entering(tolerance);
    if (variable == count_) {
      break;
    }
    set_column(variable);
    const Eigen::Index row = leaving();
    if (row < 0) {
      break;
    }
    pivot(row, variable);
  }
  value_ = prices_(n);
  nu_ = prices_.head(n).cwiseMax(0.0) / radius_;
  combination_.setZero();
  for (Eigen::Index i = 0; i <= n; ++i) {
    if (basis_[static_cast<std::size_t>(i)] >= 0) {
      combination_ += levels_(i) * ys_.col(basis_[static_cast<std::size_t>(i)]);
    }
  }
  return nu_.allFinite() && combination_.allFinite();
}

void CutModel::collect_active(std::vector<int>& ids) const {
  for (const Eigen::Index variable : basis_) {
    if (variable >= 0) {
      ids.push_back(ids_[static_cast<std::size_t>(variable)]);
    }
  }
}

}  // namespace foothold::optimism
