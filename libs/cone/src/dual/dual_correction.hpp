#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "foothold/cone/cone_program.hpp"

namespace foothold::cone {

// Moves multipliers that are right up to rounding or to a solver's tolerance so that the reduced
// gradient g of `dual_bound` vanishes where the point is not at a side of the box:
//
//     min Σ_k ‖δz_k‖²/τ_k² + Σ_i δη_i²/η_i²   s.t.   g_F + Σ_k (ρ_k M_k + w_k a_kᵀ)ᵀδz_k + G_Fᵀδη =
//     0,
//
// z_k = τ_k w_k, with the τ_k following the length of the z_k to first order. Where the terms of
// M_k u cancel, w_k = M_k u/‖M_k u‖ is too rough for a tight bound whatever the point; corrected
// as unknowns of their own, the w_k are not. A wrong guess only makes the bound worse, and the
// caller keeps the better one. No allocation after `reshape`.
class DualCorrection {
 public:
  void reshape(const ConeProgram& program);

  // One correction of `multipliers`; false if there was nothing to factor. O(d²(d + rows)).
  bool improve(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v,
               const Eigen::VectorXd& u, ConeMultipliers& multipliers);

 private:
  void mark_free(const ConeProgram& program, const Eigen::VectorXd& u);

  Eigen::VectorXd free_;      // 1 where g must vanish, 0 at a side of the box
  Eigen::VectorXd gradient_;  // g
  Eigen::MatrixXd map_;       // ρM + waᵀ of one cone
  Eigen::MatrixXd weighted_;  // η_i g_iᵀ
  Eigen::MatrixXd normal_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  Eigen::VectorXd y_;
  Eigen::VectorXd z_;
};

}  // namespace foothold::cone
