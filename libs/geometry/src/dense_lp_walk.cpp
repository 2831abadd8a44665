#include <algorithm>
#include <cmath>
#include <cstddef>

#include "foothold/base/rounding.hpp"
#include "foothold/geometry/dense_lp.hpp"

// From vertex to vertex by an explicit inverse of the working rows. It only finds a good working
// set: the factor decides about optimality.
namespace foothold::geometry {
namespace {

// Errors of the inverse add up; a new one after this many steps costs a small part of them.
constexpr int kStepsPerInverse = 100;

// A walk that takes fewer steps does not pay for its inverse.
constexpr int kFewSteps = 4;

}  // namespace

bool DenseLp::may_walk() const {
  return factor_.dim() >= walk_from_ && factor_.size() == factor_.dim() && is_walk_useful_ &&
         stalled_ == 0;
}

void DenseLp::walk(int limit) {
  while (may_walk() && result_.iterations < limit) {
    invert_working_rows();
    const int first = result_.iterations;
    const int last = std::min(limit, first + kStepsPerInverse);
    bool has_edge = true;
    while (has_edge && result_.iterations < last) {
      has_edge = walk_one_edge();
      result_.iterations += has_edge ? 1 : 0;
    }
    is_walk_useful_ = result_.iterations - first >= kFewSteps;
    if (result_.iterations > first) {
      factor_working_rows();
    }
    if (!has_edge) {
      return;
    }
  }
}

// W = RᵀQᵀ, hence W⁻¹e_p = QR⁻ᵀe_p.
void DenseLp::invert_working_rows() {
  inverse_.setIdentity();
  for (Eigen::Index p = 0; p < inverse_.cols(); ++p) {
    factor_.solve_lower(inverse_.col(p));
    factor_.rotate_back(inverse_.col(p));
  }
  ++result_.factorings;
}

void DenseLp::factor_working_rows() {
  factor_.reset(factor_.dim());
  for (const Eigen::Index row : working_) {
    factor_.append(scaled_rows_.col(row));
  }
  move_to_vertex();
  update_slack();
  ++result_.factorings;
}

// The steepest edge, to the row that blocks it. False where the factor has to decide: no edge falls
// or none is blocked, or steps have no length.
bool DenseLp::walk_one_edge() {
  // −c = Wᵀη.
  weights_.noalias() = inverse_.transpose() * objective_;
  weights_ = -weights_;
  lengths_ = inverse_.colwise().norm().transpose();
  double size = objective_.norm();
  for (std::size_t j = 0; j < working_.size(); ++j) {
    size += std::abs(weights_(static_cast<Eigen::Index>(j))) * row_norm_(working_[j]);
  }
  const double noise = 8.0 * (static_cast<double>(factor_.dim()) + 4.0) * rounding::kUnit * size;
  Eigen::Index leaving = 0;
  const double steepest = weights_.cwiseQuotient(lengths_).minCoeff(&leaving);
  if (!(steepest < -noise)) {
    return false;
  }
  direction_ = inverse_.col(leaving) / -lengths_(leaving);
  const Eigen::Index blocking = blocking_row();
  if (blocking < 0) {
    return false;
  }
  const double step = std::max(slack_(blocking), 0.0) / rate_(blocking);
  if (!(step > 16.0 * rounding::kUnit * y_.norm())) {
    return false;
  }
  const auto place = static_cast<std::size_t>(leaving);
  is_working_[static_cast<std::size_t>(working_[place])] = false;
  working_[place] = blocking;
  is_working_[static_cast<std::size_t>(blocking)] = true;
  y_ += step * direction_;
  slack_ -= step * rate_;
  // The entering row g replaces row p of W: W⁻¹ ← W⁻¹ − W⁻¹e_p (gᵀW⁻¹ − e_pᵀ)/(gᵀW⁻¹e_p).
  entering_.noalias() = inverse_.transpose() * scaled_rows_.col(blocking);
  scratch_ = inverse_.col(leaving) / entering_(leaving);
  entering_(leaving) -= 1.0;
  inverse_.noalias() -= scratch_ * entering_.transpose();
  return true;
}

}  // namespace foothold::geometry
