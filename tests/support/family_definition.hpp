#pragma once

#include <cmath>

#include <Eigen/Core>
#include <Eigen/LU>

#include "foothold/estimation/assumptions.hpp"

namespace foothold::testing {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

// The member of a ridge family with λ' = factor·λ from its definition, in extended precision and
// with inverses. Actions are rows.
struct FamilyDefinition {
  LongVector b{};
  LongMatrix inverse{};          // A'⁻¹
  long double radius_sq = 0.0L;  // β'²

  FamilyDefinition(const Eigen::MatrixXd& actions, const Eigen::VectorXd& losses,
                   const estimation::Assumptions& assumptions, double factor) {
    const LongMatrix X = actions.cast<long double>();
    const Eigen::Index d = X.cols();
    const LongMatrix eye = LongMatrix::Identity(d, d);
    const long double ridge = *assumptions.ridge;
    const LongMatrix A = ridge * eye + X.transpose() * X;
    b = X.transpose() * losses.cast<long double>();
    inverse = (A + (factor - 1.0L) * ridge * eye).inverse();
    const long double R = assumptions.noise_scale;
    const long double S = assumptions.norm_bound;
    const long double log_det = std::log((A / ridge).determinant());
    radius_sq = R * R * (2.0L * std::log(1.0L / assumptions.failure_prob) + log_det) +
                factor * ridge * S * S + b.dot(inverse * b) - b.dot(A.inverse() * b);
  }
};

}  // namespace foothold::testing
