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

  // ‖u‖_Q, given Qu.
  [[nodiscard]] static double width(const Eigen::VectorXd& u, const Eigen::VectorXd& Q_u) {
    return std::sqrt(std::max(u.dot(Q_u), 0.0));
  }
  // aᵀu + ρ‖u‖_Q.
  [[nodiscard]] double value(const Eigen::VectorXd& u, double width) const {
    return a.dot(u) + rho * width;
  }
};

// out ← Qx for a square Q, column by column: lanes run along the rows. For the dimensions of
// this library (a handful to a few dozen) a library product costs more in its preparations.
template <int Fixed>
void multiply(const Eigen::MatrixXd& Q, const double* __restrict x, double* __restrict out) {
  const auto columns = fixed_view<Fixed>(Q);
  if constexpr (Fixed > 0) {
    Eigen::Matrix<double, Fixed, 1> sum = x[0] * columns.col(0);  // in registers
    for (Eigen::Index j = 1; j < Fixed; ++j) {
      sum += x[j] * columns.col(j);
    }
    Eigen::Map<Eigen::Matrix<double, Fixed, 1>> result(out);
    result = sum;
  } else {
    Eigen::Map<Eigen::VectorXd> sum(out, Q.rows());
    sum = x[0] * columns.col(0);
    for (Eigen::Index j = 1; j < Q.rows(); ++j) {
      sum += x[j] * columns.col(j);
    }
  }
}

inline void multiply(const Eigen::MatrixXd& Q, const double* __restrict x, double* __restrict out) {
  with_fixed_dim(Q.rows(), [&](auto fixed) { multiply<fixed.value>(Q, x, out); });
}

}  // namespace foothold::selection
