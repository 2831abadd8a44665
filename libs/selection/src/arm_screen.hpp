#pragma once

#include <Eigen/Core>

#include "foothold/estimation/confidence_region.hpp"
#include "foothold/estimation/ridge_estimate.hpp"
#include "foothold/safety/certifier.hpp"
#include "foothold/safety/problem.hpp"

#include "arm_forms.hpp"

namespace foothold::selection {

// Whether the region's F⁻¹ belongs to A so well that ‖z‖_{A⁻¹} ≥ (1 − kFidelity)‖F⁻¹z‖ for every z.
// A certificate is judged by A itself; what is to foresee its refusal must know how far F⁻¹ is off.
class FactorFidelity {
 public:
  static constexpr double kFidelity = 1e-6;

  explicit FactorFidelity(Eigen::Index dim) : product_(dim, dim), gram_(dim, dim) {}

  [[nodiscard]] bool holds(const estimation::RidgeEstimate& estimate,
                           const estimation::ConfidenceRegion& region);

 private:
  Eigen::MatrixXd product_;
  Eigen::MatrixXd gram_;
};

// Foresees which arms a certifier will refuse, all rounding on the safe side: an arm that is
// screened out has no certificate, one that is not may have none either. It spares certificates
// where many arms promise more than the best certified one. O(Kd²), in plain arithmetic.
class ArmScreen {
 public:
  // Keeps a reference to the problem.
  explicit ArmScreen(const safety::Problem& problem);

  // Sets the loss of every arm to +∞ that cannot be certified. False if nothing can be said.
  bool drop(const estimation::RidgeEstimate& estimate, const estimation::ConfidenceRegion& region,
            const safety::Certifier& certifier, const ArmBlock<double>& arms, bool is_padded,
            Eigen::VectorXd& losses);

 private:
  void drop_by(std::size_t constraint, const estimation::ConfidenceRegion& region,
               const safety::SafetyRule& rule, const ArmBlock<double>& arms, bool is_padded,
               Eigen::VectorXd& losses);

  const safety::Problem* problem_;
  Eigen::VectorXd centre_;
  FactorFidelity fidelity_;
  ArmForms<double> forms_;
  ArmForms<double>::Matrix tail_;
  Eigen::VectorXd estimates_;  // μ̂ᵀz of every arm
  Eigen::VectorXd spreads_;    // ‖F⁻¹z‖² or ‖H⁻ᵀz‖_∞
  Eigen::VectorXd unused_;
  Eigen::VectorXd norms_;      // ‖z‖²
  double length_ = 0.0;        // ≥ ‖x‖ + ‖x₀‖ for every arm
};

}  // namespace foothold::selection
