#pragma once

#include <Eigen/Core>

#include "foothold/safety/known_safe_set.hpp"
#include "foothold/safety/problem.hpp"

namespace foothold::reproduction {

/// The right-hand sides of [AAT19] as they are printed, for one constraint, with κβ for β where
/// the ℓ₁ region is used [AAT19, App. D]. Written from the paper and not from `policy/warmup.hpp`,
/// which mends two of them: here the question is whether what is printed holds.
struct TheoryBounds {
  double dim = 0.0;             ///< d
  double action_bound = 0.0;    ///< L
  double norm_bound = 0.0;      ///< S
  double noise_scale = 0.0;     ///< R
  double ridge = 0.0;           ///< λ
  double failure_prob = 0.0;    ///< δ
  double matrix_norm = 0.0;     ///< ‖B‖
  double limit = 0.0;           ///< c
  double min_eigenvalue = 0.0;  ///< λ_-
  double factor = 1.0;          ///< κ: 1 for the ellipsoid, √d for ℓ₁

  [[nodiscard]] double radius(double round) const;                    ///< β_t, (7)
  [[nodiscard]] double eigenvalue_rounds() const;                     ///< t_δ, Lem. 1
  [[nodiscard]] double gap_rounds(double T, double gap) const;        ///< T_Δ without t_δ, Lem. 2
  [[nodiscard]] double worst_case_rounds(double T) const;             ///< T_0 without t_δ, Thm. 3
  [[nodiscard]] double eigenvalue_floor(double T_prime) const;        ///< λ + λ_-T'/2, Lem. 1
  [[nodiscard]] double width_sum(double T, double T_prime) const;     ///< Lem. 3, first part
  [[nodiscard]] double optimism_sum(double T, double T_prime) const;  ///< Lem. 3, Term I
  [[nodiscard]] double safety_sum(double T, double T_prime) const;    ///< Lem. 5, Term II
  [[nodiscard]] double positive_gap_regret(double T, double T_prime) const;  ///< Thm. 2
  [[nodiscard]] double general_regret(double T, double T_prime) const;       ///< Thm. 3
};

/// The constants of a resolved problem with one constraint, warm-up drawn uniformly.
[[nodiscard]] TheoryBounds theory_bounds(const safety::Problem& problem, double factor);

}  // namespace foothold::reproduction
