#pragma once

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "certificate_cases.hpp"

// What rounding can cost the bounds of a certificate, to first order in u and from plain
// arithmetic.
namespace foothold::safety::testing {

constexpr double kUnit = 0x1p-53;

// Plain arithmetic without any allowance: what the oracle must be able to catch.
struct NaiveEstimate {
  Eigen::MatrixXd gram;
  Eigen::VectorXd mu_hat;
  Eigen::LLT<Eigen::MatrixXd> factor;
  double log_det_ratio = 0.0;
  double condition = 1.0;  // of A
  double ridge = 1.0;      // λ
  double growth = 1.0;     // ‖A‖/λ: the largest condition number on the way
  double count = 0.0;      // n

  explicit NaiveEstimate(const CertificateCase& given) {
    const Eigen::Index d = given.problem.dim();
    ridge = *given.problem.assumptions.ridge;
    gram = ridge * Eigen::MatrixXd::Identity(d, d);
    Eigen::VectorXd b = Eigen::VectorXd::Zero(d);
    for (const Observation& row : given.data) {
      gram += row.times * row.action * row.action.transpose();
      b += row.times * row.loss * row.action;
      count += row.times;
    }
    factor.compute(gram);
    mu_hat = factor.solve(b);
    log_det_ratio = (factor.matrixLLT().diagonal().array().square() / ridge).log().sum();
    const Eigen::VectorXd eigenvalues =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(gram, Eigen::EigenvaluesOnly).eigenvalues();
    condition = eigenvalues(d - 1) / std::max(eigenvalues(0), ridge);
    growth = eigenvalues(d - 1) / ridge;
  }
};

// What plain arithmetic may lose of the bounds on a direction z that is known to within a vector of
// norm ≤ error. With y = A⁻¹z and w² = zᵀy, the residual z − Ay is known to within
//
//     (d + 8)u(tr(A)‖y‖ + ‖z‖) + error.
struct PlainCosts {
  double width = 0.0;
  double allowance = 0.0;

  PlainCosts(const NaiveEstimate& state, const Eigen::VectorXd& z, double error) {
    const auto d = static_cast<double>(z.size());
    const Eigen::VectorXd y = state.factor.solve(z);
    const double w = std::sqrt(z.dot(y));
    const double y_norm = y.norm();
    const double y_sum = y.lpNorm<1>();  // stands for ‖y‖ in all terms but the largest
    const double mu_norm = state.mu_hat.norm();
    const double trace = state.gram.trace();
    // The square is what was computed plus an error bound, and what was computed errs by no more
    // than that: twice the bound, hence once in the root. The bound holds ‖y‖ times the residual's
    // error and (d + 8)u‖z‖ from zᵀy; rounding up adds 10u to the root of the square and 12u to the
    // root itself, less than 4(d + 8)u together.
    width = (d + 8.0) * kUnit * ((trace * y_norm * y_norm + 2.0 * z.norm() * y_sum) / w + 4.0 * w) +
            2.0 * error * y_sum / w;
    // The sum μ̂ᵀz and z's error; and ‖r‖‖y‖. An r that is accepted measures at most 4√d u tr(A)‖μ̂‖,
    // and its error bound has √d max|bᵢ| ≤ √d tr(A)‖μ̂‖ for ‖b‖.
    const double r_units = 4.0 * std::sqrt(d) + (d + 8.0) * (1.0 + std::sqrt(d));
    allowance = ((d + 8.0) * kUnit * z.norm() + error) * mu_norm +
                r_units * kUnit * trace * mu_norm * y_norm;
  }
};

// The terms of an ℓ₁ exact bound μ̂ᵀz + √dβ‖F⁻¹z‖_∞.
struct L1Terms {
  double radius = 0.0;
  double estimate = 0.0;  // the first term
  double spread = 0.0;    // the second
};

// What rounding may do to it, or to the ellipsoid's bound where that is larger, for z = B·step.
// With g = ‖A‖/λ and w = ‖z‖_{A⁻¹} ≤ spread/β we have ‖z‖ ≤ √‖A‖ w and ‖y‖ ≤ w/√λ.
//
// - A width errs by (d + 8)u(dg + 2√(dg) + 4) of itself; so do those behind the radius. As
//   2√(dg) ≤ d + g, both together are below 4(d + 8)²ug, and what is of second order below half of
//   that.
// - n updates by d rotations, of 7 roundings each, err by 7dnu of F, 14dnu of A and thereby 14d²nug
//   of the spread; and by 7dnu of F⁻¹, whose norm is 1/√λ at first: 7d²nug. The products of F⁻¹
//   and z cost d²ug.
// - z errs by (d + 2)u‖B‖‖step‖, the dual norm by 1/√λ of it, and a width by twice that.
// - The estimate errs by its allowance, which is also added. Sums cost (2d + 20)u.
inline double l1_cost(const NaiveEstimate& state, const Eigen::MatrixXd& B,
                      const Eigen::VectorXd& step, const L1Terms& terms) {
  const auto d = static_cast<double>(step.size());
  const double z_error = (d + 2.0) * kUnit * B.norm() * step.norm();
  const double growth_units = 6.0 * (d + 8.0) * (d + 8.0) + d * d * (21.0 * state.count + 1.0);
  return growth_units * kUnit * state.growth * terms.spread +
         (2.0 + std::sqrt(d)) * terms.radius * z_error / std::sqrt(state.ridge) +
         2.0 * PlainCosts(state, B * step, z_error).allowance +
         (2.0 * d + 20.0) * kUnit * (std::abs(terms.estimate) + terms.spread);
}

}  // namespace foothold::safety::testing
