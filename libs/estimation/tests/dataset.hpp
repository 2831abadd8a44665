#pragma once

#include <cmath>
#include <cstdint>

#include <Eigen/Core>
#include <Eigen/QR>

#include "foothold/base/random_stream.hpp"
#include "foothold/estimation/ridge_estimate.hpp"

namespace foothold::estimation::testing {

// Actions as rows, and their losses.
struct Dataset {
  Eigen::MatrixXd actions{};
  Eigen::VectorXd losses{};
};

// Normal actions, scaled down to norm 1 where they exceed it, and noisy losses of a fixed μ.
inline Dataset random_dataset(Eigen::Index rows, Eigen::Index dim, std::uint64_t stream) {
  RandomStream random(/*seed=*/20'240'601, stream);
  const auto normal = [&] { return random.normal(); };
  Dataset data{.actions = Eigen::MatrixXd::NullaryExpr(rows, dim, normal),
               .losses = Eigen::VectorXd::Zero(rows)};
  const Eigen::VectorXd mu = Eigen::VectorXd::NullaryExpr(dim, normal).normalized();
  for (Eigen::Index n = 0; n < rows; ++n) {
    data.actions.row(n) *= 0.999 / std::max(1.0, data.actions.row(n).norm());
    data.losses(n) = data.actions.row(n).dot(mu) + 0.5 * random.normal();
  }
  return data;
}

inline RidgeEstimate estimate_from(const Dataset& data, Assumptions assumptions) {
  assumptions.action_bound = assumptions.action_bound.value_or(1.0);
  RidgeEstimate estimate(data.actions.cols(), assumptions);
  for (Eigen::Index n = 0; n < data.actions.rows(); ++n) {
    estimate.observe(data.actions.row(n).transpose(), data.losses(n));
  }
  return estimate;
}

// Ridge regression is least squares on the augmented system [X; √λ I] μ ≈ [ℓ; 0], solved here by
// QR: no normal equations, no Cholesky, no incremental update, hence no code shared with the unit.
inline Eigen::VectorXd ridge_by_augmented_qr(const Dataset& data, double ridge) {
  const Eigen::Index n = data.actions.rows();
  const Eigen::Index d = data.actions.cols();
  Eigen::MatrixXd lhs(n + d, d);
  lhs << data.actions, std::sqrt(ridge) * Eigen::MatrixXd::Identity(d, d);
  Eigen::VectorXd rhs(n + d);
  rhs << data.losses, Eigen::VectorXd::Zero(d);
  return lhs.colPivHouseholderQr().solve(rhs);
}

}  // namespace foothold::estimation::testing
