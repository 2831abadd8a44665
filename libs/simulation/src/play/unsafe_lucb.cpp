#include "foothold/simulation/play/unsafe_lucb.hpp"

#include <limits>
#include <variant>

#include "foothold/base/error.hpp"
#include "foothold/base/invariant.hpp"

namespace foothold::simulation {
namespace {

UnsafeLucbOptions with_defaults(UnsafeLucbOptions options, const geometry::DecisionSet& set) {
  const bool is_continuous = geometry::is_continuous(set);
  const bool is_contextual = geometry::is_contextual(set);
  if (is_contextual &&
      options.optimism.value_or(policy::Optimism::Ellipsoid) != policy::Optimism::Ellipsoid) {
    throw Error(ErrorCode::InvalidArgument, "optimism",
                R"(must be "ellipsoid" for contextual arms of unsafe-lucb)");
  }
  if (is_continuous && options.optimism == policy::Optimism::Ellipsoid) {
    throw Error(ErrorCode::InvalidArgument, "optimism",
                R"(must be "l1" or "l1-cholesky" on a convex set, got "ellipsoid")");
  }
  if (!options.optimism) {
    options.optimism = is_continuous ? policy::Optimism::L1Cholesky : policy::Optimism::Ellipsoid;
  }
  return options;
}

}  // namespace

UnsafeLucb::UnsafeLucb(const safety::Problem& problem, const UnsafeLucbOptions& options)
    : decision_set_(problem.decision_set),
      options_(with_defaults(options, problem.decision_set)),
      estimate_(problem.dim(), problem.assumptions),
      region_(problem.dim()),
      vertex_(problem.dim()),
      action_(problem.dim()) {
  if (const geometry::Arms* arms = geometry::fixed_arms(decision_set_)) {
    arms_ = arms->features().transpose();
    whitened_.resize(arms_.rows(), arms_.cols());
  }
}

const Eigen::VectorXd& UnsafeLucb::choose() {
  const auto root = options_.optimism == policy::Optimism::L1 ? estimation::RootForm::Symmetric
                                                              : estimation::RootForm::Cholesky;
  region_.update(estimate_, options_.radius, root);
  FOOTHOLD_INVARIANT(region_.is_usable());
  if (options_.optimism == policy::Optimism::Ellipsoid) {
    choose_by_ellipsoid();
  } else {
    choose_by_vertices();
  }
  return action_;
}

const Eigen::VectorXd& UnsafeLucb::choose(const Eigen::MatrixXd& arms) {
  arms_ = arms.transpose();
  whitened_.resize(arms_.rows(), arms_.cols());
  return choose();
}

// min_{v ∈ C} vᵀx = μ̂ᵀx − β‖F⁻¹x‖.
void UnsafeLucb::choose_by_ellipsoid() {
  whitened_.noalias() = region_.factor_inverse() * arms_;
  double best = std::numeric_limits<double>::infinity();
  for (Eigen::Index arm = 0; arm < arms_.cols(); ++arm) {
    const double value =
        region_.mu_hat().dot(arms_.col(arm)) - region_.radius() * whitened_.col(arm).norm();
    if (value < best) {
      best = value;
      action_ = arms_.col(arm);
    }
  }
}

void UnsafeLucb::choose_by_vertices() {
  double best = std::numeric_limits<double>::infinity();
  for (Eigen::Index k = 0; k < 2 * region_.dim(); ++k) {
    region_.vertex(k, vertex_);
    geometry::LinearMinimum minimum = geometry::minimize_linear(decision_set_, vertex_);
    if (minimum.value < best) {
      best = minimum.value;
      action_ = minimum.point;
    }
  }
}

}  // namespace foothold::simulation
