#pragma once

#include <cstdint>
#include <optional>

#include <Eigen/Core>

#include "foothold/estimation/confidence_region.hpp"
#include "foothold/estimation/ridge_estimate.hpp"
#include "foothold/policy/safe_lucb.hpp"
#include "foothold/safety/problem.hpp"

namespace foothold::simulation {

struct UnsafeLucbOptions {
  /// Left out: `Ellipsoid` for arms, fixed or contextual, `L1Cholesky` for convex sets.
  std::optional<policy::Optimism> optimism{};
  estimation::RadiusForm radius = estimation::RadiusForm::Mixture;
};

/// The classical optimistic learner [DHK08], which does not look at the constraints:
///
///     x_t = argmin { min_{v ∈ C_t} vᵀx : x ∈ D₀ }.
///
/// It exists to show what ignoring them costs. It is no `policy::Policy`, so nothing that
/// serves decisions can hold one. Not thread-safe.
class UnsafeLucb {
 public:
  /// Requires a resolved problem. Throws `Error{InvalidArgument}` for ellipsoidal optimism on a
  /// convex set, and any other for contextual arms.
  explicit UnsafeLucb(const safety::Problem& problem, const UnsafeLucbOptions& options = {});

  /// The action of the next round, valid until the next call. Ellipsoidal optimism costs O(Kd²)
  /// for K arms; ℓ₁ optimism minimises a linear function for each of the 2d vertices.
  [[nodiscard]] const Eigen::VectorXd& choose();

  /// The same among the rows of `arms`, for contextual problems.
  [[nodiscard]] const Eigen::VectorXd& choose(const Eigen::MatrixXd& arms);

  /// Adds the loss of an action.
  void observe(const Eigen::VectorXd& action, double loss) { estimate_.observe(action, loss); }

  [[nodiscard]] const estimation::RidgeEstimate& estimate() const noexcept { return estimate_; }
  /// Options with their defaults filled in.
  [[nodiscard]] const UnsafeLucbOptions& options() const noexcept { return options_; }

 private:
  void choose_by_ellipsoid();
  void choose_by_vertices();

  geometry::DecisionSet decision_set_;
  UnsafeLucbOptions options_;
  estimation::RidgeEstimate estimate_;
  estimation::ConfidenceRegion region_;
  Eigen::VectorXd vertex_;
  Eigen::VectorXd action_;
  Eigen::MatrixXd arms_;      // Xᵀ, one arm per column
  Eigen::MatrixXd whitened_;  // F⁻¹Xᵀ
};

}  // namespace foothold::simulation
