#include "foothold/simulation/world/arm_stream.hpp"

#include <Eigen/Cholesky>

#include "foothold/base/invariant.hpp"
#include "foothold/geometry/sampling.hpp"

#include "world/run_streams.hpp"

namespace foothold::simulation {
namespace {

constexpr double kShrink = 1.0 - 1e-9;

// With M = I + (S/c)²BᵀB = GGᵀ the points are x = G⁻ᵀu, ‖u‖ ≤ 1: xᵀMx = ‖u‖².
Eigen::MatrixXd foothold_map(const safety::Problem& problem) {
  const safety::SafetyConstraint& constraint = problem.constraints.front();
  const Eigen::MatrixXd scaled =
      constraint.matrix * (problem.assumptions.norm_bound / constraint.limit);
  Eigen::MatrixXd M = scaled.transpose() * scaled;
  M.diagonal().array() += 1.0;
  const Eigen::LLT<Eigen::MatrixXd> factor(M);
  FOOTHOLD_INVARIANT(factor.info() == Eigen::Success);
  const Eigen::Index d = problem.dim();
  return kShrink * factor.matrixU().solve(Eigen::MatrixXd::Identity(d, d));
}

}  // namespace

ArmStream::ArmStream(const config::FamilyConfig& family, const safety::Problem& problem,
                     std::uint64_t seed, std::int64_t run)
    : random_(run_stream(seed, run, StreamPurpose::Arms)),
      safe_arms_(family.safe_arms),
      foothold_(foothold_map(problem)),
      point_(family.dim),
      arms_(family.arms, family.dim) {}

const Eigen::MatrixXd& ArmStream::next() {
  for (Eigen::Index arm = 0; arm < arms_.rows(); ++arm) {
    geometry::sample_ball(random_, point_);
    if (arm < safe_arms_) {
      arms_.row(arm).noalias() = (foothold_ * point_).transpose();
    } else {
      arms_.row(arm) = kShrink * point_.transpose();
    }
  }
  return arms_;
}

}  // namespace foothold::simulation
