#pragma once

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include "foothold/base/fixed_dim.hpp"

namespace foothold::selection {

// The centred cone  aᵀu + ρ‖u‖_Q ≤ c,  ‖u‖_Q = √(uᵀQu), in the form in which faces are solved and
// rounds follow each other: Q is symmetric and changes by one outer product a round.
struct QuadraticCone {
  Eigen::VectorXd a{};
  Eigen::MatrixXd Q{};
  double rho = 0.0;
  double c = 0.0;

  // aᵀu + ρ‖u‖_Q, given Qu.
  [[nodiscard]] double value(const Eigen::VectorXd& u, const Eigen::VectorXd& Q_u) const {
    return a.dot(u) + rho * std::sqrt(std::max(u.dot(Q_u), 0.0));
  }
};

// out ← Qx for a square Q, column by column: lanes run along the rows. For the dimensions of
// this library (a handful to a few dozen) a library product costs more in its preparations.
inline void multiply(const Eigen::MatrixXd& Q, const double* __restrict x, double* __restrict out) {
  with_fixed_dim(Q.rows(), [&](auto fixed) {
    const Eigen::Index d = fixed_or<fixed.value>(Q.rows());
    const double* __restrict column = Q.data();
    for (Eigen::Index i = 0; i < d; ++i) {
      out[i] = x[0] * column[i];
    }
    for (Eigen::Index j = 1; j < d; ++j) {
      column += d;
      for (Eigen::Index i = 0; i < d; ++i) {
        out[i] += x[j] * column[i];
      }
    }
  });
}

}  // namespace foothold::selection
