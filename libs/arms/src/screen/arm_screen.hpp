#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "foothold/estimation/confidence_region.hpp"
#include "foothold/estimation/ridge_estimate.hpp"
#include "foothold/safety/certifier.hpp"
#include "foothold/safety/problem.hpp"
#include "foothold/safety/safe_set.hpp"

#include "screen/factor_fidelity.hpp"
#include "table/arm_forms.hpp"
#include "table/arm_images.hpp"

namespace foothold::arms {

// Foresees which arms a certifier will refuse, all rounding on the safe side: an arm that is
// refused here has no certificate, one that is not may have none either. In plain arithmetic this
// costs a small part of a certificate, and where many arms promise more than the best certified
// one, it counts. The bounds are those of `safety::SafeSet`, from where their constants come; the
// loops over arms are here.
class ArmScreen {
 public:
  // Keeps a reference to the problem.
  explicit ArmScreen(const safety::Problem& problem);

  // Lets `drop` of these fixed arms use what does not change; keeps a reference to them.
  void prepare(const ArmTable& arms);
  // Makes room, so that `drop` of no more arms than that does not allocate.
  void reserve(Eigen::Index count);

  // Sets the state and the rule to judge by, which must stay until the next call.
  void begin(const estimation::RidgeEstimate& estimate, const estimation::ConfidenceRegion& region,
             const safety::Certifier& certifier);

  // Whether anything can be said. As much work as FactorFidelity's the first time after `begin`.
  [[nodiscard]] bool can_refuse();
  // A⁻¹ as the factor has it, F⁻ᵀF⁻¹, up to `inverse_error`. Likewise.
  [[nodiscard]] const Eigen::MatrixXd& inverse();
  [[nodiscard]] InverseError inverse_error();
  // Whether x will be refused. O(d²).
  [[nodiscard]] bool refuses(const Eigen::VectorXd& x);
  // Sets the loss of every arm to +∞ that will be refused. O(Kd²).
  void drop(const ArmBlock<double>& arms, bool is_padded, Eigen::VectorXd& losses);

 private:
  struct DataRefusal;

  void look();
  // Limits for what is computed, beyond which the certificate's own bounds exceed the room.
  [[nodiscard]] double data_limit(std::size_t constraint, double length) const;
  [[nodiscard]] double prior_limit(std::size_t constraint, double length) const;
  [[nodiscard]] bool is_exact_l1() const {
    return safe_set_.rule().caution == safety::Caution::L1Exact;
  }
  [[nodiscard]] ArmForms<double> width_forms() const;
  ArmForms<double> width_forms_of_image(std::size_t constraint);
  ArmForms<double> norm_forms(std::size_t constraint);
  [[nodiscard]] DataRefusal data_refusal(std::size_t constraint, double length) const;
  void rule_out(std::size_t constraint, double length, Eigen::Index count,
                const double* prior_bounds, Eigen::VectorXd& losses) const;
  void set_prior_bounds(std::size_t constraint, Eigen::Index count);
  void rule_out_by_norm(std::size_t constraint, double length, const ArmBlock<double>& arms,
                        Eigen::VectorXd& losses);
  template <int Fixed>
  bool refuses_sized(const Eigen::VectorXd& x);

  const safety::Problem* problem_;
  safety::SafeSet safe_set_;
  Eigen::VectorXd centre_;
  double centre_norm_;
  Eigen::VectorXd matrix_norms_;  // ‖B_k‖_F
  FactorFidelity fidelity_;
  const estimation::RidgeEstimate* estimate_ = nullptr;
  const estimation::ConfidenceRegion* region_ = nullptr;
  const safety::Certifier* certifier_ = nullptr;
  bool has_looked_ = false;
  double width_norm_ = 0.0;  // of the matrix that widths are computed with
  double mu_norm_ = 0.0;     // ‖μ̂‖
  double data_share_ = 0.0;  // what a bound from the data errs by, of ‖z‖

  std::optional<ArmImages> images_;
  ArmTail<double> tail_;
  Eigen::VectorXd difference_;
  Eigen::VectorXd z_;
  Eigen::VectorXd image_;
  Eigen::VectorXd linear_;  // what forms on x are made of
  Eigen::MatrixXd rows_;
  Eigen::VectorXd offsets_;
  Eigen::VectorXd estimates_;     // μ̂ᵀz of every arm
  Eigen::VectorXd spreads_;       // ‖F⁻¹z‖² or ‖H⁻ᵀz‖_∞
  Eigen::VectorXd prior_bounds_;  // at most S‖z‖
  // Some arms whose norms must be known, by their places.
  std::vector<Eigen::Index> unsettled_;
  Eigen::MatrixXd unsettled_arms_;
  Eigen::VectorXd norms_;      // ‖z‖²
  Eigen::VectorXd forgotten_;  // a form that nobody asks for
};

}  // namespace foothold::arms
