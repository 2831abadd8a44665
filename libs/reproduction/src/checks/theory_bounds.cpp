#include "checks/theory_bounds.hpp"

#include <cmath>

#include <Eigen/SVD>

#include "foothold/base/invariant.hpp"

namespace foothold::reproduction {

double TheoryBounds::radius(double round) const {
  const double L = action_bound;
  return noise_scale *
             std::sqrt(dim * std::log((1.0 + (round - 1.0) * L * L / ridge) / failure_prob)) +
         std::sqrt(ridge) * norm_bound;
}

double TheoryBounds::eigenvalue_rounds() const {
  return 8.0 * action_bound * action_bound / min_eigenvalue * std::log(dim / failure_prob);
}

double TheoryBounds::gap_rounds(double T, double gap) const {
  const double numerator = action_bound * matrix_norm * factor * radius(T);
  return 8.0 * numerator * numerator / (min_eigenvalue * gap * gap) - 2.0 * ridge / min_eigenvalue;
}

double TheoryBounds::worst_case_rounds(double T) const {
  return std::pow(matrix_norm * action_bound * factor * radius(T) * T /
                      (limit * std::sqrt(2.0 * min_eigenvalue)),
                  2.0 / 3.0);
}

double TheoryBounds::eigenvalue_floor(double T_prime) const {
  return ridge + 0.5 * min_eigenvalue * T_prime;
}

double TheoryBounds::width_sum(double T, double T_prime) const {
  return 2.0 * dim *
         std::log(2.0 * T * action_bound * action_bound /
                  (dim * (2.0 * ridge + min_eigenvalue * T_prime)));
}

double TheoryBounds::optimism_sum(double T, double T_prime) const {
  return 2.0 * factor * radius(T) * std::sqrt((T - T_prime) * width_sum(T, T_prime));
}

double TheoryBounds::safety_sum(double T, double T_prime) const {
  return 2.0 * std::sqrt(2.0) * matrix_norm * action_bound * factor * radius(T) * (T - T_prime) /
         (limit * std::sqrt(2.0 * ridge + min_eigenvalue * T_prime));
}

double TheoryBounds::positive_gap_regret(double T, double T_prime) const {
  return 2.0 * T_prime + optimism_sum(T, T_prime);
}

double TheoryBounds::general_regret(double T, double T_prime) const {
  return positive_gap_regret(T, T_prime) + safety_sum(T, T_prime);
}

TheoryBounds theory_bounds(const safety::Problem& problem, double factor) {
  FOOTHOLD_INVARIANT(problem.constraints.size() == 1);
  const safety::SafetyConstraint& constraint = problem.constraints.front();
  const safety::KnownSafeSet foothold(problem, safety::Sampler::Uniform);
  const estimation::Assumptions& assumptions = problem.assumptions;
  return {.dim = static_cast<double>(problem.dim()),
          .action_bound = assumptions.action_bound.value(),
          .norm_bound = assumptions.norm_bound,
          .noise_scale = assumptions.noise_scale,
          .ridge = assumptions.ridge.value(),
          .failure_prob = assumptions.failure_prob,
          .matrix_norm = Eigen::JacobiSVD<Eigen::MatrixXd>(constraint.matrix).singularValues()(0),
          .limit = constraint.limit,
          .min_eigenvalue = foothold.min_eigenvalue(),
          .factor = factor};
}

}  // namespace foothold::reproduction
