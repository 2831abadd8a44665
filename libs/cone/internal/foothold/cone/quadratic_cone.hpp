#pragma once

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include "foothold/base/simd/small_product.hpp"

namespace foothold::cone {

// The centred cone  aᵀu + ρ‖u‖_Q ≤ c,  ‖u‖_Q = √(uᵀQu), in the form in which faces are solved and
// rounds follow each other: Q is symmetric and changes by one outer product a round.
struct QuadraticCone {
  Eigen::VectorXd a{};
  Eigen::MatrixXd Q{};
  double rho = 0.0;
  double c = 0.0;

  // ‖u‖_Q, given Qu.
  [[nodiscard]] static double width(const Eigen::VectorXd& u, const Eigen::VectorXd& Q_u) {
    return std::sqrt(std::max(u.dot(Q_u), 0.0));
  }
  // aᵀu + ρ‖u‖_Q.
  [[nodiscard]] double value(const Eigen::VectorXd& u, double width) const {
    return a.dot(u) + rho * width;
  }
};

}  // namespace foothold::cone
