#include "play/optimum_watch.hpp"

#include <algorithm>
#include <cmath>

#include "foothold/safety/certifier.hpp"

namespace foothold::simulation {
namespace {

// Far above the rounding of the plain arithmetic here, so that the condition stays necessary.
constexpr double kSlack = 1e-6;

double caution_scale(safety::Caution caution, Eigen::Index dim) {
  // The exact ℓ₁ bound lies between the ellipsoid's and √d times its width.
  return caution == safety::Caution::L1Paper ? safety::caution_factor(caution, dim) : 1.0;
}

}  // namespace

OptimumWatch::OptimumWatch(const safety::Problem& problem, const Eigen::VectorXd& optimum)
    : optimum_(optimum), whitened_(optimum.size()) {
  const Eigen::VectorXd difference = optimum - problem.centre();
  for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
    Row row{.z = problem.constraints[k].matrix * difference, .room = problem.room(k)};
    row.is_known = problem.assumptions.norm_bound * row.z.norm() <= row.room * (1.0 + kSlack);
    rows_.push_back(std::move(row));
  }
}

bool OptimumWatch::is_certified(const policy::Learner& policy, double radius) {
  const estimation::RidgeEstimate& estimate = policy.estimate();
  const policy::PolicyOptions& options = policy.options();
  const bool has_union = options.certified == safety::CertifiedSet::Union;
  const double scale = caution_scale(options.caution, estimate.dim()) * radius;
  const Eigen::MatrixXd& F = estimate.gram().factor();
  for (const Row& row : rows_) {
    if (has_union && row.is_known) {
      continue;
    }
    whitened_ = row.z;
    F.triangularView<Eigen::Lower>().solveInPlace(whitened_);
    const double bound = estimate.mu_hat().dot(row.z) + scale * whitened_.norm();
    if (!(bound <= row.room + kSlack * (row.room + std::abs(bound)))) {
      return false;
    }
  }
  const safety::Certificate certificate = policy.certify(optimum_);
  return std::ranges::all_of(certificate.constraints,
                             [](const auto& constraint) { return constraint.is_safe(); });
}

}  // namespace foothold::simulation
