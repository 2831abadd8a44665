#include "cut_model.hpp"

#include <algorithm>

namespace foothold::selection {
namespace {

// N: far above the multipliers of cells that matter, which are of the order of the slopes of
// ‖·‖₂; only cells without any certified action would have larger ones, and be ruled out sooner.
constexpr double kLargestSum = 1e3;

// Price of ν relative to the slopes of the cuts: takes small multipliers where others serve as
// well, without moving the proposal otherwise.
constexpr double kPrice = 1e-6;

// Points beyond those that a cell hands on to its children.
constexpr Eigen::Index kRoom = 16;

}  // namespace

CutModel::CutModel(Eigen::Index dim) {
  const Eigen::Index n = 2 * (dim - 1);
  const Eigen::Index points = n + kRoom;
  ys_.setZero(dim, points);
  estimates_.setZero(points);
  ids_.setZero(points);
  G_.setZero(points + n + 1, n + 1);
  h_.setOnes(points + n + 1);
  objective_.setZero(n + 1);
  start_.setZero(n + 1);
  slacks_.setZero(n);
  p_.setZero(dim);
  nu_.setZero(n);
  combination_.setZero(dim);
  for (Eigen::Index i = 0; i < n; ++i) {
    G_(points + i, i) = -1.0;
    h_(points + i) = 0.0;
    G_(points + n, i) = 1.0;
  }
  h_(points + n) = kLargestSum;
}

void CutModel::add(const Eigen::Ref<const Eigen::VectorXd>& y, double estimate, int id) {
  if (count_ < ys_.cols()) {
    ys_.col(count_) = y;
    estimates_(count_) = estimate;
    ids_(count_) = id;
    ++count_;
  }
}

// Variables (ν, t). Rows that hold no point are 0 ≤ 1: the shape stays, and nothing is allocated.
void CutModel::fill_rows(const DirectionCell& cell, double radius) {
  const Eigen::Index n = nu_.size();
  nu_.setZero();
  cell.majorant(nu_, p_);
  double lowest = 0.0;
  double steepest = 0.0;
  for (Eigen::Index k = 0; k < ys_.cols(); ++k) {
    if (k >= count_) {
      G_.row(k).setZero();
      h_(k) = 1.0;
      continue;
    }
    cell.slacks(ys_.col(k), slacks_);
    G_.row(k).head(n) = radius * slacks_.transpose();
    G_(k, n) = 1.0;
    h_(k) = estimates_(k) - radius * p_.dot(ys_.col(k));
    lowest = k == 0 ? h_(k) : std::min(lowest, h_(k));
    steepest = std::max(steepest, radius * slacks_.cwiseAbs().maxCoeff());
  }
  objective_.head(n).setConstant(kPrice * steepest);
  objective_(n) = -1.0;
  start_.setZero();
  start_(n) = lowest;
}

bool CutModel::solve(const DirectionCell& cell, double radius) {
  const Eigen::Index n = nu_.size();
  if (n == 0 || count_ == 0) {
    return false;
  }
  fill_rows(cell, radius);
  const geometry::LpResult& result = lp_.solve(G_, h_, objective_, start_);
  if (result.status != geometry::LpStatus::Optimal) {
    return false;
  }
  nu_ = lp_.point().head(n).cwiseMax(0.0);
  value_ = lp_.point()(n);
  combination_.noalias() = ys_.leftCols(count_) * lp_.multipliers().head(count_);
  return true;
}

}  // namespace foothold::selection
