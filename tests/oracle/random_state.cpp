#include "random_state.hpp"

#include <cmath>

#include <Eigen/Cholesky>

namespace foothold::oracle {

double log_uniform(RandomStream& random, double low, double high) {
  return std::pow(10.0, low + (high - low) * random.uniform());
}

Eigen::MatrixXd normal_matrix(RandomStream& random, Eigen::Index rows, Eigen::Index cols) {
  Eigen::MatrixXd matrix(rows, cols);
  for (Eigen::Index j = 0; j < cols; ++j) {
    for (Eigen::Index i = 0; i < rows; ++i) {
      matrix(i, j) = random.normal();
    }
  }
  return matrix;
}

Eigen::VectorXd RandomState::vertex(Eigen::Index k) const {
  const auto d = static_cast<double>(mu_hat.size());
  const double sign = k % 2 == 0 ? 1.0 : -1.0;
  return mu_hat + sign * std::sqrt(d) * radius * factor_inverse.row(k / 2).transpose();
}

RandomState draw_state(RandomStream& random, Eigen::Index dim, double condition_exponent) {
  const double ridge = log_uniform(random, -2.0, 1.0);
  Eigen::MatrixXd A = ridge * Eigen::MatrixXd::Identity(dim, dim);
  const auto actions = static_cast<Eigen::Index>(random.index(static_cast<std::uint64_t>(3 * dim)));
  for (Eigen::Index j = 0; j < actions; ++j) {
    const Eigen::VectorXd x =
        Eigen::VectorXd::NullaryExpr(dim, [&random] { return 2.0 * random.uniform() - 1.0; });
    A.noalias() += ridge * log_uniform(random, 0.0, condition_exponent) * x * x.transpose();
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(A);
  RandomState state;
  state.factor_inverse = factor.matrixL().solve(Eigen::MatrixXd::Identity(dim, dim));
  const double size = log_uniform(random, -2.0, 0.0);
  state.mu_hat = size * normal_matrix(random, dim, 1);
  const Eigen::VectorXd image = factor.matrixU() * state.mu_hat;
  state.radius = log_uniform(random, -1.5, 1.0) * image.norm();
  return state;
}

Eigen::MatrixXd draw_matrix(RandomStream& random, Eigen::Index dim, MatrixKind kind) {
  const Eigen::MatrixXd dense = normal_matrix(random, dim, dim);
  if (kind == MatrixKind::Dense) {
    return dense;
  }
  const std::uint64_t choice = random.index(20);
  if (choice < 6) {  // rank d − 1: one direction is free
    Eigen::MatrixXd singular = dense;
    singular.col(0) = dim > 1 ? Eigen::VectorXd(dense.col(dim - 1) * 2.0)
                              : Eigen::VectorXd(Eigen::VectorXd::Zero(1));
    return singular;
  }
  if (choice < 11) {
    return dense.col(0) * dense.row(0);
  }
  Eigen::MatrixXd diagonal = Eigen::MatrixXd::Zero(dim, dim);
  if (choice < 19) {
    diagonal.diagonal() = dense.diagonal();
    for (Eigen::Index i = 0; i < dim && choice >= 15; ++i) {
      if (random.uniform() < 0.4) {
        diagonal(i, i) = 0.0;
      }
    }
  }
  return diagonal;
}

}  // namespace foothold::oracle
