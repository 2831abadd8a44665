#include "ellipsoid/ellipsoid_oracle.hpp"

#include <algorithm>
#include <cmath>

#include "foothold/base/check.hpp"
#include "foothold/base/error.hpp"
#include "foothold/base/infinity.hpp"

namespace foothold::optimism {
namespace {

// The inner solver's bounds are this far below its values, relative to the objective's size: a
// smaller gap cannot be proved.
constexpr double kSmallestGap = 1e-9;

// Solutions that the solvers remember per dimension, and how far apart, relative to their length,
// two objectives are that may not share one: from further away a warm start is a waste of time.
constexpr Eigen::Index kSlots = 16;
constexpr double kFar = 0.3;

// Steps of the local improvement, and the relative decrease that makes one more worth while.
constexpr int kLocalSteps = 30;
constexpr double kLocalDecrease = 1e-10;

}  // namespace

EllipsoidOracle::EllipsoidOracle(const safety::Problem& problem, const safety::SafetyRule& rule,
                                 double gap)
    : gap_(gap), programs_(problem, rule, static_cast<std::size_t>(kSlots * problem.dim())) {
  const Eigen::Index d = problem.dim();
  choice_.action = programs_.centre();
  objectives_.assign(programs_.count(), Eigen::MatrixXd::Zero(d, kSlots * d));
  used_.assign(programs_.count(), 0);
  points_.setZero(d + 1, 64);
  for (Eigen::VectorXd* vector : {&last_, &v_, &u_, &x_, &y_}) {
    vector->setZero(d);
  }
}

void EllipsoidOracle::start(const estimation::ConfidenceRegion& region) {
  region_ = &region;
  programs_.update(region);
  point_count_ = 0;
  choice_.optimistic_loss = kInfinity;
  choice_.solves = 0;
  choice_.nodes = 0;
  incumbent_.assign(programs_.count(), -1);
  values_.assign(programs_.count(), kInfinity);
  last_ = choice_.action - programs_.centre();
  for (std::size_t program = 0; program < programs_.count(); ++program) {
    u_ = last_;
    u_ *= cone::feasible_scale(programs_.program(program), last_);
    consider(program, u_);
    improve(program);
  }
}

EllipsoidOracle::Answer EllipsoidOracle::minimise(std::size_t program, const Eigen::VectorXd& p) {
  v_ = region_->mu_hat();
  v_.noalias() -= region_->radius() * (region_->root_inverse() * p);
  const double offset = v_.dot(programs_.centre());
  const std::size_t slot = nearest_slot(program);
  const double known = offset + programs_.solver(program).remembered_bound(v_, slot);
  if (known >= threshold()) {
    return {.bound = known};
  }
  const cone::ConeSolution& solution = solve(program, slot);
  const double bound = std::max(known, offset + solution.dual_bound);
  const double last_loss = choice_.optimistic_loss;
  u_ = solution.u;
  consider(program, u_);
  const int point = add_point();
  if (choice_.optimistic_loss < last_loss) {
    improve(program);
  }
  return {.bound = bound, .point = point};
}

// The slot that solved the objective nearest to `v_`, or a new one if all are far.
std::size_t EllipsoidOracle::nearest_slot(std::size_t program) const {
  const Eigen::MatrixXd& objectives = objectives_[program];
  const Eigen::Index used = used_[program];
  Eigen::Index nearest = 0;
  double smallest = kInfinity;
  for (Eigen::Index slot = 0; slot < used; ++slot) {
    const double distance = (objectives.col(slot) - v_).squaredNorm();
    if (distance < smallest) {
      smallest = distance;
      nearest = slot;
    }
  }
  const bool is_far = !(smallest < kFar * kFar * v_.squaredNorm());
  return static_cast<std::size_t>(is_far && used < objectives.cols() ? used : nearest);
}

const cone::ConeSolution& EllipsoidOracle::solve(std::size_t program, std::size_t slot) {
  const auto index = static_cast<Eigen::Index>(slot);
  objectives_[program].col(index) = v_;
  used_[program] = std::max(used_[program], index + 1);
  ++choice_.solves;
  return programs_.solver(program).solve(v_, slot);
}

// Keeps the y and μ̂ᵀx that were last considered.
int EllipsoidOracle::add_point() {
  if (point_count_ == points_.cols()) {
    points_.conservativeResize(Eigen::NoChange, 2 * points_.cols());
  }
  points_.col(point_count_).head(y_.size()) = y_;
  points_(y_.size(), point_count_) = estimate_;
  return point_count_++;
}

// Evaluates the objective at x₀ + u, leaving y and μ̂ᵀx behind.
void EllipsoidOracle::consider(std::size_t program, const Eigen::VectorXd& u) {
  x_ = programs_.centre() + u;
  y_.noalias() = region_->root_inverse().transpose() * x_;
  estimate_ = region_->mu_hat().dot(x_);
  const double width = region_->radius() * y_.norm();
  const double value = estimate_ - width;
  if (value < values_[program]) {
    values_[program] = value;
    incumbent_[program] = add_point();
  }
  if (value < choice_.optimistic_loss) {
    choice_.optimistic_loss = value;
    choice_.action = x_;
    choice_.is_foothold = program == safety::CertifiedPrograms::kFoothold;
    tolerance_ = std::max(gap_, kSmallestGap) * (std::abs(estimate_) + width);
  }
}

// x ← argmin { (μ̂ − βH⁻¹ω)ᵀx } with ω = y/‖y‖: the objective is concave, so that its linearisation
// is above it, and the step never goes up.
void EllipsoidOracle::improve(std::size_t program) {
  for (int step = 0; step < kLocalSteps; ++step) {
    const double value = values_[program];
    const auto y = point(incumbent_[program]);
    const double norm = y.norm();
    if (!(norm > 0.0)) {
      return;
    }
    v_ = region_->mu_hat();
    v_.noalias() -= (region_->radius() / norm) * (region_->root_inverse() * y);
    u_ = solve(program, nearest_slot(program)).u;
    consider(program, u_);
    if (!(values_[program] < value - kLocalDecrease * std::abs(value))) {
      return;
    }
  }
}

void EllipsoidOracle::save(ByteWriter& out) const {
  programs_.save(out);
  for (std::size_t program = 0; program < programs_.count(); ++program) {
    out.write(static_cast<std::int64_t>(used_[program]));
    out.write(objectives_[program]);
  }
  out.write(choice_.action);
}

void EllipsoidOracle::restore(ByteReader& in) {
  programs_.restore(in);
  for (std::size_t program = 0; program < programs_.count(); ++program) {
    Eigen::MatrixXd& objectives = objectives_[program];
    const std::int64_t used = in.read_integer();
    if (!(used >= 0 && used <= objectives.cols())) {
      throw Error(ErrorCode::InvalidArgument, "snapshot", "must hold a search of this problem");
    }
    used_[program] = used;
    objectives = in.read_matrix(objectives.rows(), objectives.cols());
  }
  const Eigen::VectorXd action = in.read_matrix(choice_.action.size(), 1);
  check::all_finite(action, "snapshot");
  choice_.action = action;
}

}  // namespace foothold::optimism
