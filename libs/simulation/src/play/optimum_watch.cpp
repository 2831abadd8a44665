#include "play/optimum_watch.hpp"

#include <algorithm>
#include <cmath>

#include "foothold/safety/safe_set.hpp"
#include "foothold/safety/safety_rule.hpp"

namespace foothold::simulation {
namespace {

// Far above the rounding of the plain arithmetic here, so that the condition stays necessary.
constexpr double kSlack = 1e-6;

}  // namespace

OptimumWatch::OptimumWatch(const safety::Problem& problem, const Eigen::VectorXd& optimum)
    : optimum_(optimum), whitened_(optimum.size()) {
  const Eigen::VectorXd difference = optimum - problem.centre();
  const safety::SafeSet safe_set(problem);
  for (std::size_t k = 0; k < safe_set.constraints(); ++k) {
    Row row{.z = safe_set.matrix(k) * difference, .room = safe_set.room(k)};
    row.is_known = safe_set.prior_bound(k, row.z) <= row.room * (1.0 + kSlack);
    rows_.push_back(std::move(row));
  }
}

bool OptimumWatch::is_certified(const policy::Learner& policy, double radius) {
  const estimation::RidgeEstimate& estimate = policy.estimate();
  const policy::PolicyOptions& options = policy.options();
  const bool has_union = options.certified == safety::CertifiedSet::Union;
  // κβ of a bound that no certificate is below. A learner shows its estimate but no region, so the
  // bound of `safety::SafeSet` is written out here, with a width by the factor.
  const double reach =
      safety::caution_factor(safety::inner_caution(options.caution), estimate.dim()) * radius;
  const Eigen::MatrixXd& F = estimate.gram().factor();
  for (const Row& row : rows_) {
    if (has_union && row.is_known) {
      continue;
    }
    whitened_ = row.z;
    F.triangularView<Eigen::Lower>().solveInPlace(whitened_);
    const double bound = estimate.mu_hat().dot(row.z) + reach * whitened_.norm();
    if (!(bound <= row.room + kSlack * (row.room + std::abs(bound)))) {
      return false;
    }
  }
  const safety::Certificate certificate = policy.certify(optimum_);
  return std::ranges::all_of(certificate.constraints,
                             [](const auto& constraint) { return constraint.is_safe(); });
}

}  // namespace foothold::simulation
