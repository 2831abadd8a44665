#pragma once

#include <Eigen/Core>

#include "foothold/estimation/confidence_region.hpp"
#include "foothold/estimation/ridge_estimate.hpp"
#include "foothold/safety/certifier.hpp"
#include "foothold/safety/problem.hpp"

#include "arm_forms.hpp"
#include "factor_fidelity.hpp"

namespace foothold::selection {

// Foresees which arms a certifier will refuse, all rounding on the safe side: an arm that is
// refused here has no certificate, one that is not may have none either. In plain arithmetic this
// costs a small part of a certificate, and where many arms promise more than the best certified
// one, it counts.
class ArmScreen {
 public:
  // Keeps a reference to the problem.
  explicit ArmScreen(const safety::Problem& problem);

  // Makes room, so that `drop` of no more arms than that does not allocate.
  void reserve(Eigen::Index count);

  // Sets the state and the rule to judge by, which must stay until the next call.
  void begin(const estimation::RidgeEstimate& estimate, const estimation::ConfidenceRegion& region,
             const safety::Certifier& certifier);

  // Whether anything can be said. O(d³) the first time after `begin`.
  [[nodiscard]] bool can_refuse();
  // A⁻¹ as the factor has it. O(d³) the first time after `begin`.
  [[nodiscard]] const Eigen::MatrixXd& inverse();
  // Whether x will be refused. O(d²).
  [[nodiscard]] bool refuses(const Eigen::VectorXd& x);
  // Sets the loss of every arm to +∞ that will be refused. O(Kd²).
  void drop(const ArmBlock<double>& arms, bool is_padded, Eigen::VectorXd& losses);

 private:
  void look();
  // Limits for what is computed, beyond which the certificate's own bounds exceed the room.
  [[nodiscard]] double data_limit(std::size_t constraint, double length) const;
  [[nodiscard]] double prior_limit(std::size_t constraint, double length) const;
  void load_forms(const Eigen::MatrixXd& B, const Eigen::MatrixXd& vectors, bool is_transposed);
  void drop_by(std::size_t constraint, const ArmBlock<double>& arms, bool is_padded,
               Eigen::VectorXd& losses);

  const safety::Problem* problem_;
  Eigen::VectorXd centre_;
  Eigen::VectorXd matrix_norms_;  // ‖B_k‖_F
  FactorFidelity fidelity_;
  const estimation::RidgeEstimate* estimate_ = nullptr;
  const estimation::ConfidenceRegion* region_ = nullptr;
  const safety::Certifier* certifier_ = nullptr;
  bool has_looked_ = false;
  double kappa_ = 1.0;
  double width_norm_ = 0.0;  // of the matrix that widths are computed with

  ArmForms<double> forms_;
  ArmForms<double>::Matrix tail_;
  Eigen::VectorXd difference_;
  Eigen::VectorXd z_;
  Eigen::VectorXd image_;
  Eigen::VectorXd estimates_;  // μ̂ᵀz of every arm
  Eigen::VectorXd spreads_;  // ‖F⁻¹z‖² or ‖H⁻ᵀz‖_∞, then what is compared with the limit
  Eigen::VectorXd norms_;  // ‖z‖², then S‖z‖
  double length_ = 0.0;    // ≥ ‖x‖ + ‖x₀‖ for every arm
};

}  // namespace foothold::selection
