#include "interior_point/interior_point.hpp"

#include <algorithm>
#include <cmath>

#include "foothold/base/infinity.hpp"

namespace foothold::cone {
namespace {

constexpr int kMaxIterations = 60;
// Relative gap and dual residual at which the path has been followed far enough for the polish.
constexpr double kGapTolerance = 1e-13;
constexpr double kResidualTolerance = 1e-12;
// Below this gap a dual residual that grows is rounding: more steps would only add to it.
constexpr double kRoundingGap = 1e-8;
// Share of the way to the border of the cones that a step may take.
constexpr double kStepShare = 0.99;

}  // namespace

void InteriorPoint::reshape(const ConeProgram& program) {
  const Eigen::Index d = program.dim();
  const Eigen::Index rows = program.G.rows() + (program.box_is_constraint ? 2 * d : 0);
  dim_ = d;
  rows_ = rows;
  width_.resize(d);
  row_units_.resize(rows);
  G_.resize(rows, d);
  scaled_G_.resize(rows, d);
  for (Eigen::VectorXd* vector :
       {&h_, &s_, &z_, &lambda_, &weight_, &step_s_, &step_z_, &target_}) {
    vector->resize(rows);
  }
  for (Eigen::VectorXd* vector : {&objective_, &y_, &step_y_, &rhs_, &residual_}) {
    vector->resize(d);
  }
  if (normal_.rows() != d) {
    normal_.setIdentity(d, d);
    factor_.compute(normal_);  // makes room
  }
  blocks_.resize(program.cones.size());
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    Block& block = blocks_[k];
    const Eigen::Index size = program.cones[k].M.rows() + 1;
    block.G.resize(size, d);
    block.scaled_G.resize(size, d);
    for (Eigen::VectorXd* vector : {&block.h, &block.s, &block.z, &block.lambda, &block.step_s,
                                    &block.step_z, &block.target, &block.scaling.w}) {
      vector->resize(size);
    }
  }
}

void InteriorPoint::load(const ConeProgram& program) {
  reshape(program);
  width_ = program.upper.cwiseMax(-program.lower);
  Eigen::Index next = 0;
  if (program.box_is_constraint) {
    G_.topRows(2 * dim_).setZero();
    for (Eigen::Index i = 0; i < dim_; ++i) {
      row_units_(next) = program.upper(i);
      G_(next++, i) = width_(i) / program.upper(i);
      row_units_(next) = -program.lower(i);
      G_(next++, i) = width_(i) / program.lower(i);
    }
  }
  for (Eigen::Index i = 0; i < program.G.rows(); ++i) {
    row_units_(next) = program.h(i);
    G_.row(next++) = program.G.row(i).cwiseProduct(width_.transpose()) / program.h(i);
  }
  h_.setOnes();
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Cone& cone = program.cones[k];
    Block& block = blocks_[k];
    const Eigen::Index tail = cone.M.rows();
    block.unit = cone.c;
    block.G.row(0) = cone.a.cwiseProduct(width_).transpose() / cone.c;
    block.G.bottomRows(tail).noalias() = (-cone.rho / cone.c) * cone.M * width_.asDiagonal();
    block.h.setZero();
    block.h(0) = 1.0;
    if (!cone.is_centred) {
      block.h.tail(tail) = (cone.rho / cone.c) * cone.e;
    }
  }
}

void InteriorPoint::update_slacks() {
  s_ = h_;
  s_.noalias() -= G_ * y_;
  for (Block& block : blocks_) {
    block.s = block.h;
    block.s.noalias() -= block.G * y_;
  }
}

void InteriorPoint::start(const Eigen::Ref<const Eigen::VectorXd>& v) {
  objective_ = v.cwiseProduct(width_);
  const double scale = objective_.stableNorm();
  objective_ /= scale > 0.0 ? scale : 1.0;
  y_.setZero();
  update_slacks();
  z_.setOnes();
  for (Block& block : blocks_) {
    block.z.setZero();
    block.z(0) = 1.0;
  }
}

double InteriorPoint::gap() const {
  double sum = s_.dot(z_);
  for (const Block& block : blocks_) {
    sum += block.s.dot(block.z);
  }
  return sum;
}

// The normal matrix Σ G̃ᵀG̃ with G̃ = W⁻¹G, and the scaled point λ.
bool InteriorPoint::scale_and_factor() {
  weight_ = (z_.array() / s_.array()).sqrt();
  lambda_ = (z_.array() * s_.array()).sqrt();
  scaled_G_ = weight_.asDiagonal() * G_;
  normal_.noalias() = scaled_G_.transpose() * scaled_G_;
  for (Block& block : blocks_) {
    block.scaling.compute(block.s, block.z);
    block.lambda = block.z;
    block.scaling.apply(block.lambda, /*inverse=*/false);
    block.scaled_G = block.G;
    for (Eigen::Index j = 0; j < dim_; ++j) {
      block.scaling.apply(block.scaled_G.col(j), /*inverse=*/true);
    }
    normal_.noalias() += block.scaled_G.transpose() * block.scaled_G;
  }
  if (!normal_.allFinite()) {
    return false;
  }
  // A whisper of regularisation keeps directions that nothing pins down from breaking the factor.
  normal_.diagonal().array() += 1e-15 * normal_.diagonal().maxCoeff();
  factor_.compute(normal_);
  return factor_.info() == Eigen::Success;
}

void InteriorPoint::set_affine_targets() {
  target_ = -lambda_;
  for (Block& block : blocks_) {
    block.target = -block.lambda;
  }
}

// λ ∘ target = −λ∘λ − Δs̃∘Δz̃ + σμ e, with the steps of the predictor.
void InteriorPoint::set_centring_targets(double sigma_mu) {
  target_ = (sigma_mu - step_s_.array() * step_z_.array()) / lambda_.array() - lambda_.array();
  for (Block& block : blocks_) {
    soc::multiply(block.step_s, block.step_z, block.target);
    block.target = -block.target;
    block.target(0) += sigma_mu;
    soc::divide(block.lambda, block.target);
    block.target -= block.lambda;
  }
}

void InteriorPoint::find_step(double residual_share) {
  rhs_ = -residual_share * residual_;
  rhs_.noalias() -= scaled_G_.transpose() * target_;
  for (const Block& block : blocks_) {
    rhs_.noalias() -= block.scaled_G.transpose() * block.target;
  }
  step_y_ = rhs_;
  factor_.solveInPlace(step_y_);
  // One refinement: the normal matrix is badly conditioned near the end.
  rhs_.noalias() -= normal_.selfadjointView<Eigen::Lower>() * step_y_;
  factor_.solveInPlace(rhs_);
  step_y_ += rhs_;
  step_s_.noalias() = -1.0 * (scaled_G_ * step_y_);
  step_z_ = target_ - step_s_;
  for (Block& block : blocks_) {
    block.step_s.noalias() = -1.0 * (block.scaled_G * step_y_);
    block.step_z = block.target - block.step_s;
  }
}

double InteriorPoint::max_step() const {
  double alpha = kInfinity;
  for (Eigen::Index i = 0; i < rows_; ++i) {
    if (step_s_(i) < 0.0) {
      alpha = std::min(alpha, -lambda_(i) / step_s_(i));
    }
    if (step_z_(i) < 0.0) {
      alpha = std::min(alpha, -lambda_(i) / step_z_(i));
    }
  }
  for (const Block& block : blocks_) {
    alpha = std::min(alpha, soc::max_step(block.lambda, block.step_s));
    alpha = std::min(alpha, soc::max_step(block.lambda, block.step_z));
  }
  return alpha;
}

// residual ← objective + Gᵀz: what is missing to dual feasibility.
void InteriorPoint::update_residual() {
  residual_ = objective_;
  residual_.noalias() += G_.transpose() * z_;
  for (const Block& block : blocks_) {
    residual_.noalias() += block.G.transpose() * block.z;
  }
}

// Takes the step; false if rounding at the border of the cones does not allow it.
bool InteriorPoint::advance() {
  const double alpha = std::min(1.0, kStepShare * max_step());
  if (!(alpha > 1e-10) || !step_y_.allFinite()) {
    return false;
  }
  y_ += alpha * step_y_;
  update_slacks();
  z_.array() += alpha * weight_.array() * step_z_.array();
  bool is_inside = s_.size() == 0 || (s_.minCoeff() > 0.0 && z_.minCoeff() > 0.0);
  for (Block& block : blocks_) {
    block.scaling.apply(block.step_z, /*inverse=*/true);
    block.z += alpha * block.step_z;
    is_inside = is_inside && soc::determinant(block.s) > 0.0 && soc::determinant(block.z) > 0.0 &&
                block.s(0) > 0.0 && block.z(0) > 0.0;
  }
  if (!is_inside) {
    y_ -= alpha * step_y_;
  }
  return is_inside;
}

void InteriorPoint::solve(const Eigen::Ref<const Eigen::VectorXd>& v, ConeSolution& solution) {
  start(v);
  const auto degree = static_cast<double>(rows_) + static_cast<double>(blocks_.size());
  int iteration = 0;
  double last_residual = kInfinity;
  for (; iteration < kMaxIterations; ++iteration) {
    update_residual();
    const double current_gap = gap();
    const double scale = std::max(std::abs(objective_.dot(y_)), 1e-6);
    const double residual = residual_.norm();
    const bool has_converged =
        current_gap <= kGapTolerance * scale && residual <= kResidualTolerance;
    const bool has_stalled = current_gap <= kRoundingGap * scale && residual > last_residual;
    if (has_converged || has_stalled || !scale_and_factor()) {
      break;
    }
    last_residual = residual;
    set_affine_targets();
    find_step(1.0);
    const double affine = std::min(1.0, max_step());
    const double sigma = std::pow(1.0 - affine, 3);
    set_centring_targets(sigma * current_gap / degree);
    find_step(1.0 - sigma);
    if (!advance()) {
      break;
    }
  }
  solution.iterations = iteration;
  write_solution(v, solution);
}

// Back to the unscaled program; the multipliers of the box are implied.
void InteriorPoint::write_solution(const Eigen::Ref<const Eigen::VectorXd>& v,
                                   ConeSolution& solution) const {
  solution.u = y_.cwiseProduct(width_);
  const double scale = v.cwiseProduct(width_).stableNorm();
  const Eigen::Index skipped = rows_ - solution.multipliers.eta.size();
  for (Eigen::Index i = 0; i < solution.multipliers.eta.size(); ++i) {
    solution.multipliers.eta(i) = scale * std::max(z_(skipped + i), 0.0) / row_units_(skipped + i);
  }
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Block& block = blocks_[k];
    const auto index = static_cast<Eigen::Index>(k);
    const double tau = std::max(block.z(0), 0.0);
    solution.multipliers.tau(index) = scale * tau / block.unit;
    const Eigen::Index tail = block.z.size() - 1;
    solution.multipliers.w.col(index).setZero();
    if (tau > 0.0) {
      solution.multipliers.w.col(index).head(tail) = -block.z.tail(tail) / tau;
    }
  }
}

}  // namespace foothold::cone
