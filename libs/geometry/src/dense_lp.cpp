#include "foothold/geometry/dense_lp.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "foothold/base/infinity.hpp"
#include "foothold/base/invariant.hpp"
#include "foothold/base/rounding.hpp"

namespace foothold::geometry {
namespace {

// A rate Gᵢᵀz/(‖Gᵢ‖‖z‖) below this is taken for zero: some hundred times its rounding error for
// the dimensions meant here, so that a row dependent on the working set does not block.
constexpr double kSmallestRate = 0x1p-42;

// Steps of length zero in a row after which Bland's rule takes over: it cannot cycle, but
// needs more steps than the steepest edge where nothing is degenerate.
constexpr int kStallLimit = 12;

// Bland's rule takes the first blocking row unless its rate is this much smaller than the
// largest: a working set nearly dependent would spoil all later steps.
constexpr double kBlandRate = 0x1p-20;

// A slack below this share of its terms is taken for zero when scales are chosen.
constexpr double kTightSlack = 0x1p-20;

// A coordinate of the start below this share of the largest is rounding, unless units differ by
// more than that.
constexpr double kStartNoise = 0x1p-40;

// Keeps powers of two and their products with scaled entries in range.
constexpr int kLargestExponent = 1000;

std::size_t at(Eigen::Index i) {
  return static_cast<std::size_t>(i);
}

// A power of two s with s·value in [1, 2), barring extremes; 1 for zero.
double scale_to_one(double value) {
  if (!(value > 0.0)) {
    return 1.0;
  }
  return std::ldexp(1.0, std::clamp(-std::ilogb(value), -kLargestExponent, kLargestExponent));
}

int iteration_limit(Eigen::Index rows, Eigen::Index dim) {
  return static_cast<int>(std::min<Eigen::Index>(1000 + 20 * (rows + dim), 1'000'000));
}

}  // namespace

const LpResult& DenseLp::solve(const Eigen::Ref<const Eigen::MatrixXd>& G,
                               const Eigen::Ref<const Eigen::VectorXd>& h,
                               const Eigen::Ref<const Eigen::VectorXd>& v,
                               const Eigen::Ref<const Eigen::VectorXd>& start, bool warm) {
  FOOTHOLD_ASSERT(G.rows() == h.size() && G.cols() == v.size() && G.cols() == start.size());
  const bool same_size = scaled_rows_.rows() == G.cols() && scaled_rows_.cols() == G.rows();
  if (!(warm && has_vertex_ && same_size)) {
    prepare_cold(G, h, start);
  }
  has_vertex_ = false;
  stalled_ = 0;
  set_objective(v);
  result_.iterations = 0;
  result_.factorings = 0;
  is_walk_useful_ = true;
  const int limit = iteration_limit(G.rows(), G.cols());
  walk(limit);
  Move move = iterate();
  while (move == Move::Step && result_.iterations < limit) {
    ++result_.iterations;
    walk(limit);
    move = iterate();
  }
  switch (move) {
    case Move::Optimal:
      has_vertex_ = true;
      report(LpStatus::Optimal, h, v);
      break;
    case Move::Ray:
      report(LpStatus::Unbounded, h, v);
      break;
    case Move::Step:
      report(LpStatus::IterationLimit, h, v);
      break;
  }
  return result_;
}

void DenseLp::allocate(Eigen::Index row_count, Eigen::Index dim) {
  x_.resize(dim);
  eta_.resize(row_count);
  working_.reserve(at(dim));
  scaled_rows_.resize(dim, row_count);
  scaled_offsets_.resize(row_count);
  objective_.resize(dim);
  row_scale_.resize(row_count);
  column_scale_.resize(dim);
  row_norm_.resize(row_count);
  is_working_.resize(at(row_count));
  y_.resize(dim);
  slack_.resize(row_count);
  weights_.resize(dim);
  direction_.resize(dim);
  rate_.resize(row_count);
  scratch_.resize(dim);
  if (dim >= walk_from_) {
    inverse_.resize(dim, dim);
    lengths_.resize(dim);
    entering_.resize(dim);
  }
}

void DenseLp::prepare_cold(const Eigen::Ref<const Eigen::MatrixXd>& G,
                           const Eigen::Ref<const Eigen::VectorXd>& h,
                           const Eigen::Ref<const Eigen::VectorXd>& start) {
  allocate(G.rows(), G.cols());
  equilibrate(G, h, start);
  scaled_offsets_ = h.cwiseProduct(row_scale_);
  y_ = start.cwiseQuotient(column_scale_);
  working_.clear();
  std::fill(is_working_.begin(), is_working_.end(), false);
  factor_.reset(G.cols());
  update_slack();
}

// Columns are scaled so that from the start to the border takes steps of order 1 in every
// coordinate, whatever its unit: row i leaves room slackᵢ/|gᵢⱼ| along eⱼ. Then rows get a
// largest entry in [1, 2).
void DenseLp::equilibrate(const Eigen::Ref<const Eigen::MatrixXd>& G,
                          const Eigen::Ref<const Eigen::VectorXd>& h,
                          const Eigen::Ref<const Eigen::VectorXd>& start) {
  const double start_size = start.cwiseAbs().maxCoeff();
  column_scale_.setZero();
  scratch_.setZero();
  for (Eigen::Index i = 0; i < G.rows(); ++i) {
    auto row = scaled_rows_.col(i);
    row = G.row(i).transpose();
    const double size = std::abs(h(i)) + row.cwiseAbs().dot(start.cwiseAbs());
    const double slack = h(i) - row.dot(start);
    // Rows that the start lies on say nothing about the extent of the set; nor do those that it
    // misses by the rounding of its other coordinates, such as −xⱼ ≤ 0 at xⱼ = 10⁻¹⁷.
    const double least = kTightSlack * size + kStartNoise * start_size * row.cwiseAbs().maxCoeff();
    auto& reciprocal = slack > least ? column_scale_ : scratch_;
    const double room = std::max(slack, least);
    reciprocal = reciprocal.cwiseMax(row.cwiseAbs() / (room > 0.0 ? room : 1.0));
  }
  for (Eigen::Index j = 0; j < G.cols(); ++j) {
    column_scale_(j) = scale_to_one(column_scale_(j) > 0.0 ? column_scale_(j) : scratch_(j));
  }
  for (Eigen::Index i = 0; i < G.rows(); ++i) {
    auto row = scaled_rows_.col(i);
    row.array() *= column_scale_.array();
    row_scale_(i) = scale_to_one(row.cwiseAbs().maxCoeff());
    row *= row_scale_(i);
    row_norm_(i) = row.norm();
  }
}

void DenseLp::set_objective(const Eigen::Ref<const Eigen::VectorXd>& v) {
  objective_ = v.cwiseProduct(column_scale_);
  objective_scale_ = scale_to_one(objective_.cwiseAbs().maxCoeff());
  objective_ *= objective_scale_;
}

// One step of the active-set method: down in the null space of the working set while the
// objective falls there, then on to a vertex, then along the edges from vertex to vertex.
DenseLp::Move DenseLp::iterate() {
  update_multipliers();
  if (factor_.size() < factor_.dim()) {
    const double steepest = weights_.tail(factor_.dim() - factor_.size()).norm();
    if (steepest > slope_noise_) {
      return descend_in_null_space();
    }
    if (settle_in_null_space()) {
      return Move::Step;
    }
    // A set that contains lines has no vertex; the working set still decides about optimality.
  }
  return leave_a_row();
}

// −c = Wᵀη + Q₂t: `weights_` holds η, then t.
void DenseLp::update_multipliers() {
  weights_ = -objective_;
  factor_.rotate(weights_);
  factor_.solve_upper(weights_);
  double size = objective_.norm();
  for (std::size_t j = 0; j < working_.size(); ++j) {
    size += std::abs(weights_(static_cast<Eigen::Index>(j))) * row_norm_(working_[j]);
  }
  slope_noise_ = 8.0 * (static_cast<double>(factor_.dim()) + 4.0) * rounding::kUnit * size;
}

DenseLp::Move DenseLp::descend_in_null_space() {
  const Eigen::Index held = factor_.size();
  direction_ = weights_;
  direction_.head(held).setZero();
  direction_.tail(factor_.dim() - held).normalize();
  factor_.rotate_back(direction_);
  const Eigen::Index blocking = blocking_row();
  if (blocking < 0) {
    return Move::Ray;
  }
  step_to(blocking, -1);
  return Move::Step;
}

// The objective is constant on the null space: any blocked direction leads on to a vertex.
// False if none is blocked.
bool DenseLp::settle_in_null_space() {
  for (Eigen::Index i = factor_.size(); i < factor_.dim(); ++i) {
    // The side on which the objective falls, if only by rounding, comes first.
    const double side = weights_(i) < 0.0 ? -1.0 : 1.0;
    for (const double sign : {side, -side}) {
      direction_.setZero();
      direction_(i) = sign;
      factor_.rotate_back(direction_);
      const Eigen::Index blocking = blocking_row();
      if (blocking >= 0) {
        step_to(blocking, -1);
        return true;
      }
    }
  }
  return false;
}

DenseLp::Move DenseLp::leave_a_row() {
  const Eigen::Index leaving = price_rows();
  if (leaving < 0) {
    return Move::Optimal;
  }
  const Eigen::Index blocking = blocking_row();
  if (blocking < 0) {
    return Move::Ray;
  }
  step_to(blocking, leaving);
  return Move::Step;
}

// The position in the working set of the row to leave, and its edge in `direction_`; −1 at an
// optimum. The edge z with Wz = −e_p has slope cᵀz = η_p.
Eigen::Index DenseLp::price_rows() {
  const bool bland = stalled_ > kStallLimit;
  const auto held = static_cast<Eigen::Index>(working_.size());
  Eigen::Index leaving = -1;
  double steepest = -slope_noise_;
  for (Eigen::Index p = 0; p < held; ++p) {
    if (!(weights_(p) < 0.0)) {
      continue;
    }
    scratch_.setZero();
    scratch_(p) = -1.0;
    factor_.solve_lower(scratch_);
    const double length = scratch_.norm();
    const double slope = weights_(p) / length;
    const bool is_better =
        bland ? slope < -slope_noise_ && (leaving < 0 || working_[at(p)] < working_[at(leaving)])
              : slope < steepest;
    if (is_better) {
      leaving = p;
      steepest = slope;
      direction_ = scratch_ / length;
    }
  }
  if (leaving >= 0) {
    factor_.rotate_back(direction_);
  }
  return leaving;
}

// The row that blocks first along `direction_`, −1 if none does. After Harris: among the rows
// that block within the feasibility tolerance the one with the largest rate, which keeps the
// working set well conditioned.
Eigen::Index DenseLp::blocking_row() {
  rate_.noalias() = scaled_rows_.transpose() * direction_;
  const double y_norm = y_.norm();
  const double unit = 2.0 * (static_cast<double>(factor_.dim()) + 4.0) * rounding::kUnit;
  double longest_step = kInfinity;
  for (Eigen::Index i = 0; i < rate_.size(); ++i) {
    if (rate_(i) > kSmallestRate * row_norm_(i) && !is_working_[at(i)]) {
      const double tolerance = unit * (std::abs(scaled_offsets_(i)) + row_norm_(i) * y_norm);
      longest_step = std::min(longest_step, (std::max(slack_(i), 0.0) + tolerance) / rate_(i));
    }
  }
  return longest_step < kInfinity ? choose_blocking(longest_step) : -1;
}

Eigen::Index DenseLp::choose_blocking(double longest_step) const {
  const auto blocks = [&](Eigen::Index i) {
    return rate_(i) > kSmallestRate * row_norm_(i) && !is_working_[at(i)] &&
           slack_(i) <= longest_step * rate_(i);
  };
  Eigen::Index blocking = -1;
  double largest = 0.0;
  for (Eigen::Index i = 0; i < rate_.size(); ++i) {
    if (blocks(i) && rate_(i) > largest * row_norm_(i)) {
      blocking = i;
      largest = rate_(i) / row_norm_(i);
    }
  }
  if (stalled_ > kStallLimit) {
    for (Eigen::Index i = 0; i < blocking; ++i) {
      if (blocks(i) && rate_(i) > kBlandRate * largest * row_norm_(i)) {
        return i;
      }
    }
  }
  return blocking;
}

void DenseLp::step_to(Eigen::Index blocking, Eigen::Index leaving) {
  const double step = std::max(slack_(blocking), 0.0) / rate_(blocking);
  stalled_ = step > 16.0 * rounding::kUnit * y_.norm() ? 0 : stalled_ + 1;
  if (leaving >= 0) {
    is_working_[at(working_[at(leaving)])] = false;
    working_.erase(working_.begin() + leaving);
    factor_.remove(leaving);
    ++result_.factorings;
  }
  working_.push_back(blocking);
  is_working_[at(blocking)] = true;
  factor_.append(scaled_rows_.col(blocking));
  y_ += step * direction_;
  if (factor_.size() == factor_.dim()) {
    move_to_vertex();
  }
  update_slack();
}

// A vertex is a function of its working set alone: errors do not add up along the path.
void DenseLp::move_to_vertex() {
  for (std::size_t j = 0; j < working_.size(); ++j) {
    y_(static_cast<Eigen::Index>(j)) = scaled_offsets_(working_[j]);
  }
  factor_.solve_lower(y_);
  factor_.rotate_back(y_);
}

void DenseLp::update_slack() {
  slack_ = scaled_offsets_;
  slack_.noalias() -= scaled_rows_.transpose() * y_;
}

void DenseLp::report(LpStatus status, const Eigen::Ref<const Eigen::VectorXd>& h,
                     const Eigen::Ref<const Eigen::VectorXd>& v) {
  result_.status = status;
  x_ = y_.cwiseProduct(column_scale_);
  if (status != LpStatus::Optimal) {
    result_.value = kNaN;
    result_.dual_bound = kNaN;
    eta_.setConstant(kNaN);
    return;
  }
  result_.value = v.dot(x_);
  result_.dual_bound = 0.0;
  eta_.setZero();
  for (std::size_t j = 0; j < working_.size(); ++j) {
    const Eigen::Index i = working_[j];
    // A negative weight here was found to be rounding.
    const double weight = std::max(weights_(static_cast<Eigen::Index>(j)), 0.0);
    eta_(i) = weight * row_scale_(i) / objective_scale_;
    result_.dual_bound -= h(i) * eta_(i);
  }
}

}  // namespace foothold::geometry
