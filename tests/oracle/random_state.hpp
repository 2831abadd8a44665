#pragma once

#include <Eigen/Core>

#include "foothold/base/random_stream.hpp"

namespace foothold::oracle {

// 10^e with e uniform between the two exponents.
[[nodiscard]] double log_uniform(RandomStream& random, double low, double high);
[[nodiscard]] Eigen::MatrixXd normal_matrix(RandomStream& random, Eigen::Index rows,
                                            Eigen::Index cols);

// A state as a learner meets it, in the unit box:
//
//     A = λI + Σ n_j x_j x_jᵀ = F Fᵀ,   μ̂,   β = 10^U(−1.5, 1) ‖μ̂‖_A,
//
// with x_j uniform in the box and n_j up to 10^condition_exponent: ‖μ̂‖_A lies below the radius
// in two thirds of the draws and above it in the others.
struct RandomState {
  Eigen::MatrixXd factor_inverse{};  // F⁻¹
  Eigen::VectorXd mu_hat{};
  double radius = 0.0;

  // Vertex k < 2d of the ℓ₁ region: μ̂ ± √d β F⁻ᵀeᵢ.
  [[nodiscard]] Eigen::VectorXd vertex(Eigen::Index k) const;
};

[[nodiscard]] RandomState draw_state(RandomStream& random, Eigen::Index dim,
                                     double condition_exponent);

// Which constraint matrix B.
enum class MatrixKind {
  Dense,
  Degenerate  // by turns singular of rank d − 1, of rank 1, diagonal, diagonal with zeros, zero
};

[[nodiscard]] Eigen::MatrixXd draw_matrix(RandomStream& random, Eigen::Index dim, MatrixKind kind);

}  // namespace foothold::oracle
