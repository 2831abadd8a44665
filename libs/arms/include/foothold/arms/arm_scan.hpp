#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

#include "foothold/estimation/confidence_region.hpp"
#include "foothold/estimation/ridge_estimate.hpp"
#include "foothold/safety/certifier.hpp"
#include "foothold/safety/problem.hpp"

namespace foothold::arms {

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
/// with  min_{v ∈ C} vᵀx = μ̂ᵀx − β‖x‖_{A⁻¹}  or, for ℓ₁,  μ̂ᵀx − √d β‖H⁻ᵀx‖_∞. Losses are computed
/// from the factor in plain arithmetic, by the same operations for every arm, and certificates
/// are issued in the order of the losses until one is safe. Among equals the first arm wins.
///
/// Everything faster than that only leaves out arms that are proved to be neither the choice nor
/// before it (docs/algorithms/arm_scan.md): arms that cannot be certified; and of many fixed arms
/// under ellipsoidal optimism, those whose loss must be above the choice's. The choice therefore
/// depends on the arguments alone, never on what was asked before.
///
/// O(Kd²) for K arms in general; for many fixed arms and successive states O(Kd) in early rounds
/// and much less later on. No allocation in the plain scan once K has been seen. Not thread-safe.
class ArmScan {
 public:
  /// Keeps a reference to the problem.
  ArmScan(const safety::Problem& problem, ArmOptimism optimism);
  ArmScan(ArmScan&& other) noexcept;
  ArmScan& operator=(ArmScan&& other) noexcept;
  ~ArmScan();

  /// Scans the rows of `arms`. `proved[i]` set means that arm i was certified before and
  /// stays so (nested certification); leave it empty otherwise. On success `certificate` is that
  /// of the chosen arm, unless the arm was chosen because of `proved`: then it is not touched.
  const ArmChoice& choose(const estimation::RidgeEstimate& estimate,
                          const estimation::ConfidenceRegion& region,
                          const Eigen::Ref<const Eigen::MatrixXd>& arms,
                          const std::vector<bool>& proved, safety::Certifier& certifier,
                          safety::Certificate& certificate);

 private:
  class Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace foothold::arms
