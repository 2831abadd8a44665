#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "foothold/base/random_stream.hpp"
#include "foothold/policy/safe_lucb.hpp"

namespace foothold::policy {

// One problem of each kind of decision set, with a parameter for which the constraint matters.
struct Instance {
  std::string name;
  safety::Problem problem;
  Eigen::VectorXd parameter;  // μ
};

inline Eigen::MatrixXd paper_matrix() {
  return Eigen::MatrixXd{{0.6, 1.8}, {1.8, 0.4}};
}

inline safety::Problem problem_on(geometry::DecisionSet set, double limit = 0.5) {
  return {.decision_set = std::move(set),
          .constraints = {{.matrix = paper_matrix(), .limit = limit}},
          .assumptions = {.noise_scale = 0.1, .norm_bound = 1.0, .ridge = 0.01}};
}

inline Eigen::MatrixXd some_arms() {
  return Eigen::MatrixXd{{0.1, 0.0}, {0.0, 0.1},  {-0.1, 0.05}, {0.6, -0.6},
                         {0.9, 0.1}, {-0.7, 0.3}, {-0.5, -0.5}, {0.05, -0.1}};
}

inline std::vector<Instance> all_instances() {
  const Eigen::Vector2d mu(0.8, -0.4);
  std::vector<Instance> instances;
  instances.push_back({"Box", problem_on(geometry::Box::symmetric(2, 1.0)), mu});
  instances.push_back({"Ball", problem_on(geometry::Ball(2, 1.0)), mu});
  const Eigen::MatrixXd normals{{1.0, 0.2}, {-1.0, 0.1}, {0.0, 1.0}, {0.3, -1.0}, {1.0, 1.0}};
  instances.push_back(
      {"Polytope", problem_on(geometry::Polytope(normals, Eigen::VectorXd::Ones(5))), mu});
  instances.push_back({"Arms", problem_on(geometry::Arms(some_arms())), mu});

  safety::Problem several = problem_on(geometry::Box::symmetric(2, 1.0));
  several.constraints.push_back({.matrix = Eigen::MatrixXd{{1.0, 0.0}, {0.0, 0.0}}, .limit = 0.4});
  instances.push_back({"SeveralConstraints", several, mu});

  safety::Problem baseline = problem_on(
      geometry::Box(Eigen::Vector2d(1.0, 1.0), Eigen::Vector2d(3.0, 4.0)), /*limit=*/4.0);
  // μᵀBx₀ = 0.8·4.8 − 0.4·4.4 = 2.08 ≤ 4 − 1 for x₀ = (2, 2): the declared margin is true.
  baseline.baseline = safety::Baseline{.action = Eigen::Vector2d(2.0, 2.0), .margin = 1.0};
  instances.push_back({"Baseline", baseline, mu});

  instances.push_back(
      {"OneDimension",
       {.decision_set = geometry::Box::symmetric(1, 1.0),
        .constraints = {{.matrix = Eigen::MatrixXd::Constant(1, 1, -1.0), .limit = 0.3}},
        .assumptions = {.noise_scale = 0.1}},
       Eigen::VectorXd::Constant(1, 0.8)});
  return instances;
}

inline double true_loss(const Instance& instance, const Decision& decision) {
  return instance.parameter.dot(decision.action);
}

}  // namespace foothold::policy
