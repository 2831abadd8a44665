#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "foothold/base/random_stream.hpp"
#include "foothold/cone/cone_program.hpp"
#include "foothold/estimation/confidence_region.hpp"
#include "foothold/estimation/ridge_estimate.hpp"
#include "foothold/safety/certifier.hpp"
#include "foothold/safety/known_safe_set.hpp"
#include "foothold/safety/problem.hpp"

#include "random_program.hpp"

namespace foothold::testing {

// A problem whose constraints matter, with the parameter that a simulation uses.
struct SearchInstance {
  std::string name{};
  safety::Problem problem;
  Eigen::VectorXd mu{};
};

// With `x0` a baseline there, whose declared margin of 0.5 is true.
inline SearchInstance make_instance(std::string name, geometry::DecisionSet set, int constraints,
                                    std::uint64_t stream, const Eigen::VectorXd& x0 = {}) {
  RandomStream random(/*seed=*/41, stream);
  const Eigen::Index d = geometry::dim(set);
  safety::Problem problem{.decision_set = std::move(set)};
  problem.assumptions = {.noise_scale = 0.1, .norm_bound = 1.0};
  for (int k = 0; k < constraints; ++k) {
    problem.constraints.push_back({.matrix = normal_matrix(random, d, d), .limit = 0.4});
  }
  const Eigen::VectorXd mu = 0.9 * normal_vector(random, d).normalized();
  if (x0.size() > 0) {
    for (safety::SafetyConstraint& constraint : problem.constraints) {
      constraint.limit = mu.dot(constraint.matrix * x0) + 0.6;
    }
    problem.baseline = safety::Baseline{.action = x0, .margin = 0.5};
  }
  return {std::move(name), safety::resolved(std::move(problem)), mu};
}

inline geometry::Polytope some_polytope(Eigen::Index d) {
  RandomStream random(/*seed=*/42, static_cast<std::uint64_t>(d));
  cone::ConeProgram program =
      box_program(Eigen::VectorXd::Constant(d, -1.0), Eigen::VectorXd::Ones(d));
  add_rows(random, d, program);
  return {program.G, program.h};
}

inline std::vector<SearchInstance> search_instances() {
  using geometry::Ball;
  using geometry::Box;
  std::vector<SearchInstance> instances;
  instances.push_back(make_instance("Box1", Box::symmetric(1, 1.0), 1, 1));
  instances.push_back(make_instance("Box2", Box::symmetric(2, 1.0), 1, 2));
  const Eigen::Vector3d lower(-1.0, -0.3, -2.0);
  const Eigen::Vector3d upper(0.2, 1.0, 1.0);
  instances.push_back(make_instance("Box3", Box(lower, upper), 1, 3));
  instances.push_back(make_instance("Box6", Box::symmetric(6, 1.0), 1, 4));
  instances.push_back(make_instance("BoxSeveral", Box::symmetric(3, 1.0), 2, 5));
  instances.push_back(make_instance("Ball", Ball(3, 1.0), 1, 6));
  instances.push_back(make_instance("BallSeveral", Ball(2, 1.0), 2, 7));
  instances.push_back(make_instance("Polytope2", some_polytope(2), 1, 8));
  instances.push_back(make_instance("Polytope4", some_polytope(4), 1, 9));
  instances.push_back(make_instance("PolytopeSeveral", some_polytope(3), 2, 10));

  SearchInstance singular = make_instance("SingularMatrix", Box::symmetric(3, 1.0), 1, 11);
  singular.problem.constraints.front().matrix.col(1) =
      2.0 * singular.problem.constraints.front().matrix.col(0);
  instances.push_back(singular);

  instances.push_back(
      make_instance("BaselineBall", Ball(2, 2.0), 1, 12, Eigen::Vector2d(-0.5, 1.0)));
  instances.push_back(make_instance("BaselineBox",
                                    Box(Eigen::Vector2d(1.0, 1.0), Eigen::Vector2d(3.0, 4.0)), 1,
                                    13, Eigen::Vector2d(1.5, 2.0)));
  return instances;
}

// Losses of actions from the foothold: a state after some rounds.
inline estimation::RidgeEstimate learn(const SearchInstance& instance, int rounds) {
  RandomStream random(/*seed=*/43, /*stream=*/static_cast<std::uint64_t>(rounds));
  const safety::KnownSafeSet foothold(instance.problem, safety::Sampler::Uniform);
  estimation::RidgeEstimate estimate(instance.problem.dim(), instance.problem.assumptions);
  Eigen::VectorXd x(instance.problem.dim());
  for (int round = 0; round < rounds; ++round) {
    foothold.sample(random, x);
    estimate.observe(x, instance.mu.dot(x) + 0.1 * random.normal());
  }
  return estimate;
}

// The quantities of a state from their definitions, by dense factorisations of A. Independent of
// safety::SafeSet on purpose: searches are judged by it.
struct PlainState {
  Eigen::MatrixXd factor_inverse{};  // F⁻¹
  Eigen::MatrixXd root_inverse{};    // H⁻¹
  Eigen::VectorXd mu_hat{};
  double radius = 0.0;
  double l1_radius = 0.0;

  PlainState(const estimation::RidgeEstimate& estimate, const safety::SafetyRule& rule) {
    const Eigen::MatrixXd& A = estimate.gram().matrix();
    const Eigen::Index d = A.rows();
    const Eigen::LLT<Eigen::MatrixXd> factor(A);
    factor_inverse = factor.matrixL().solve(Eigen::MatrixXd::Identity(d, d));
    root_inverse = rule.root == estimation::RootForm::Cholesky
                       ? Eigen::MatrixXd(factor_inverse.transpose())
                       : Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A).operatorInverseSqrt();
    mu_hat = estimate.mu_hat();
    radius = estimate.radius(rule.radius);
    l1_radius = std::sqrt(static_cast<double>(d)) * radius;
  }

  [[nodiscard]] Eigen::VectorXd vertex(Eigen::Index k) const {
    return mu_hat + (k % 2 == 0 ? l1_radius : -l1_radius) * root_inverse.col(k / 2);
  }
  // min over C₁ of vᵀx.
  [[nodiscard]] double optimistic_loss(const Eigen::VectorXd& x) const {
    return mu_hat.dot(x) - l1_radius * (root_inverse.transpose() * x).cwiseAbs().maxCoeff();
  }
  // The caution's bound on μᵀz.
  [[nodiscard]] double caution_bound(safety::Caution caution, const Eigen::VectorXd& z) const {
    const double estimate = mu_hat.dot(z);
    switch (caution) {
      case safety::Caution::Ellipsoid:
        return estimate + radius * (factor_inverse * z).norm();
      case safety::Caution::L1Exact:
        return estimate + l1_radius * (root_inverse.transpose() * z).cwiseAbs().maxCoeff();
      case safety::Caution::L1Paper:
        return estimate + l1_radius * (factor_inverse * z).norm();
    }
    return std::nan("");
  }
};

// D₀ − x₀ as a program without caution.
inline cone::ConeProgram domain_of(const safety::Problem& problem) {
  const Eigen::VectorXd x0 = problem.centre();
  if (const auto* box = std::get_if<geometry::Box>(&problem.decision_set)) {
    return box_program(box->lower() - x0, box->upper() - x0);
  }
  if (const auto* ball = std::get_if<geometry::Ball>(&problem.decision_set)) {
    return ball_program(x0, ball->radius());
  }
  const auto& polytope = std::get<geometry::Polytope>(problem.decision_set);
  cone::ConeProgram program = box_program(polytope.lower() - x0, polytope.upper() - x0);
  program.box_is_constraint = false;
  program.G = polytope.normals();
  program.h = polytope.offsets() - polytope.normals() * x0;
  return program;
}

// The cones of a caution, or of the foothold, written out from their definitions. ℓ₁ exact is
// one cone per vertex with ρ = 0 here, where the search has rows.
inline cone::ConeProgram program_of(const safety::Problem& problem, safety::Caution caution,
                                    const PlainState& state, bool is_foothold) {
  cone::ConeProgram program = domain_of(problem);
  const Eigen::Index d = problem.dim();
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(d);
  std::vector<cone::Cone> cones;
  for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
    const Eigen::MatrixXd& B = problem.constraints[k].matrix;
    const double room = problem.room(k);
    if (is_foothold) {
      cones.push_back(
          {.a = zero, .M = B, .e = zero, .rho = problem.assumptions.norm_bound, .c = room});
    } else if (caution == safety::Caution::L1Exact) {
      for (Eigen::Index vertex = 0; vertex < 2 * d; ++vertex) {
        cones.push_back({.a = B.transpose() * state.vertex(vertex),
                         .M = Eigen::MatrixXd::Zero(d, d),
                         .e = zero,
                         .rho = 1.0,
                         .c = room});
      }
    } else {
      cones.push_back(
          {.a = B.transpose() * state.mu_hat,
           .M = state.factor_inverse * B,
           .e = zero,
           .rho = caution == safety::Caution::Ellipsoid ? state.radius : state.l1_radius,
           .c = room});
    }
  }
  program.cones.insert(program.cones.begin(), cones.begin(), cones.end());
  return program;
}

// What values are compared by: the largest |vᵀx| over the set and the vertices, roughly.
inline double loss_scale(const SearchInstance& instance, const PlainState& state) {
  return (state.mu_hat.norm() + state.l1_radius * state.root_inverse.norm()) *
         *geometry::norm_bound(instance.problem.decision_set);
}

}  // namespace foothold::testing
