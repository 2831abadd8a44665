#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/estimation/confidence_region.hpp"
#include "foothold/estimation/ridge_estimate.hpp"
#include "foothold/safety/certifier.hpp"
#include "foothold/safety/problem.hpp"

namespace foothold::selection {

/// Which region the optimistic loss of an arm is taken over.
enum class ArmOptimism { Ellipsoid, L1 };

struct ArmChoice {
  Eigen::Index arm = -1;         ///< Row of the arms; −1 if none is certified.
  double optimistic_loss = 0.0;  ///< min over the region of vᵀx at the arm
  double dual_bound = 0.0;       ///< No certified arm has a smaller one.
};

/// Optimism over finitely many arms:
///
///     argmin { min_{v ∈ C} vᵀx : x an arm with a safe certificate },
///
/// with  min_{v ∈ C} vᵀx = μ̂ᵀx − β‖x‖_{A⁻¹}  or, for ℓ₁,  μ̂ᵀx − √d β‖H⁻ᵀx‖_∞. Arms are ranked in
/// plain arithmetic, and certificates are issued in the order of the ranking until one is safe:
/// the scan only orders, the certificate decides. Among equals the first arm wins. O(Kd²) for K
/// arms; no allocation once K has been seen. Not thread-safe.
class ArmScan {
 public:
  ArmScan(const safety::Problem& problem, ArmOptimism optimism);

  /// Scans the rows of `arms`. `proved[i]` set means that arm i was certified before and
  /// stays so (nested certification); leave it empty otherwise. On success `certificate` is that
  /// of the chosen arm, unless the arm was chosen because of `proved`: then it is not touched.
  const ArmChoice& choose(const estimation::RidgeEstimate& estimate,
                          const estimation::ConfidenceRegion& region,
                          const Eigen::Ref<const Eigen::MatrixXd>& arms,
                          const std::vector<bool>& proved, safety::Certifier& certifier,
                          safety::Certificate& certificate);

 private:
  void rank(const estimation::ConfidenceRegion& region,
            const Eigen::Ref<const Eigen::MatrixXd>& arms);

  const safety::Problem* problem_;
  ArmOptimism optimism_;
  Eigen::VectorXd losses_;  // optimistic loss of each arm
  Eigen::VectorXd image_;
  Eigen::VectorXd arm_;
  std::vector<Eigen::Index> order_;  // arms not yet ruled out, as a heap by loss
  ArmChoice choice_;
};

}  // namespace foothold::selection
