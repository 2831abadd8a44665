#pragma once

#include <Eigen/Core>

#include "foothold/config/experiment.hpp"
#include "foothold/safety/problem.hpp"

namespace foothold::simulation::testing {

/// The polytope instance of [AAT19, App. F]: D₀ = [−1, 1]², μ = (0.9, 0.044), c = 0.9. All
/// entries of Bᵀμ = (0.6192, 1.6376) and of μ are positive, so x* = (−1, −1) is the
/// unconstrained minimiser, safe with Δ = 0.9 + 0.6192 + 1.6376 = 3.1568.
inline safety::Problem paper_polytope() {
  Eigen::MatrixXd matrix(2, 2);
  matrix << 0.6, 1.8, 1.8, 0.4;
  return {.decision_set = geometry::Box::symmetric(2, 1.0),
          .constraints = {{.matrix = matrix, .limit = 0.9}},
          .assumptions = {.noise_scale = 0.1, .norm_bound = 1.0, .ridge = 1.0}};
}

inline Eigen::VectorXd paper_polytope_parameter() {
  return Eigen::Vector2d(0.9, 0.044);
}

/// The paper's learner on it, for a short horizon.
inline config::ExperimentConfig paper_experiment(std::int64_t horizon, std::int64_t runs) {
  return {
      .name = "polytope",
      .horizon = horizon,
      .runs = runs,
      .seed = 2019,
      .problem = paper_polytope(),
      .environment = config::EnvironmentConfig{.parameter = paper_polytope_parameter(),
                                               .noise = {.scale = 0.1}},
      .policies = {{.name = "paper",
                    .algorithm = policy::Algorithm::SafeLucb,
                    .options = {.optimism = policy::Optimism::L1,
                                .caution = safety::Caution::L1Paper,
                                .certified = safety::CertifiedSet::Region,
                                .radius = estimation::RadiusForm::Paper,
                                .warmup = {.schedule = policy::Schedule::Rounds, .rounds = 50}}}}};
}

}  // namespace foothold::simulation::testing
