#include "instances.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "foothold/base/invariant.hpp"
#include "foothold/base/random_stream.hpp"

namespace foothold::bench {

namespace {

constexpr std::uint64_t kSeed = 2019;
// One stream per purpose; parameters and matrices take one per attempt, from their base on.
constexpr std::uint64_t kNoiseStream = 1;
constexpr std::uint64_t kSetStream = 2;
constexpr std::uint64_t kParameterStream = 1'000;
constexpr std::uint64_t kMatrixStream = 100'000;
constexpr std::uint64_t kContextStream = 10'000'000;
constexpr double kNoiseScale = 0.1;
constexpr double kParameterNorm = 0.9;
constexpr double kLimitShare = 0.4;
constexpr Eigen::Index kShortStride = 5;
constexpr int kAttempts = 10'000;

Eigen::MatrixXd normal_matrix(Eigen::Index rows, Eigen::Index cols, RandomStream& random) {
  Eigen::MatrixXd matrix(rows, cols);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < cols; ++j) {
      matrix(i, j) = random.normal();
    }
  }
  return matrix;
}

Eigen::MatrixXd constraint_matrix(Eigen::Index d, std::uint64_t attempt) {
  RandomStream random(kSeed, kMatrixStream + attempt);
  return normal_matrix(d, d, random) / std::sqrt(static_cast<double>(d));
}

Eigen::VectorXd draw_parameter(Eigen::Index d) {
  RandomStream random(kSeed, kParameterStream);
  const Eigen::VectorXd direction = normal_matrix(d, 1, random);
  return kParameterNorm * direction.normalized();
}

safety::Problem without_constraints(geometry::DecisionSet set) {
  return {.decision_set = std::move(set),
          .assumptions = {.noise_scale = kNoiseScale, .norm_bound = 1.0}};
}

// Adds constraints that the best action x of the decision set violates clearly: μᵀBx is at least
// one standard deviation of what random B give.
Instance with_binding_constraints(geometry::DecisionSet set, std::size_t constraints) {
  const Eigen::Index d = geometry::dim(set);
  Instance instance{.problem = without_constraints(std::move(set)), .mu = draw_parameter(d)};
  const Eigen::VectorXd x =
      geometry::minimize_linear(instance.problem.decision_set, instance.mu).point;
  const double spread = kParameterNorm * x.norm() / std::sqrt(static_cast<double>(d));
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Eigen::MatrixXd B = constraint_matrix(d, static_cast<std::uint64_t>(attempt));
    const double value = instance.mu.dot(B * x);
    if (value >= spread) {
      instance.problem.constraints.push_back(
          {.matrix = std::move(B), .limit = kLimitShare * value});
    }
    if (instance.problem.constraints.size() == constraints) {
      break;
    }
  }
  FOOTHOLD_INVARIANT(instance.problem.constraints.size() == constraints);
  return instance;
}

// Rows of random directions and lengths uniform in [0.02, 1]; of every fifth only a tenth of it, so
// that some are safe before any data.
Eigen::MatrixXd random_arms(Eigen::Index K, Eigen::Index d, std::uint64_t stream) {
  RandomStream random(kSeed, stream);
  Eigen::MatrixXd arms(K, d);
  Eigen::VectorXd arm(d);
  for (Eigen::Index i = 0; i < K; ++i) {
    for (Eigen::Index j = 0; j < d; ++j) {
      arm(j) = random.normal();
    }
    // 1 − 1e-9: a computed length may exceed 1 by rounding, and an action bound of 1 is declared.
    const double longest = (i % kShortStride == 0 ? 0.02 : 1.0) * (1.0 - 1e-9);
    const double length = (0.02 + 0.98 * random.uniform()) * longest;
    arms.row(i) = arm.transpose() * (length / arm.norm());
  }
  return arms;
}

}  // namespace

Instance box_instance(Eigen::Index d) {
  return with_binding_constraints(geometry::Box::symmetric(d, 1.0), 1);
}

Instance ball_instance(Eigen::Index d) {
  return with_binding_constraints(geometry::Ball(d, std::sqrt(static_cast<double>(d))), 1);
}

Instance polytope_instance(Eigen::Index d) {
  RandomStream random(kSeed, kSetStream);
  Eigen::MatrixXd normals(4 * d, d);
  normals.topRows(d).setIdentity();
  normals.middleRows(d, d) = -Eigen::MatrixXd::Identity(d, d);
  normals.bottomRows(2 * d) = normal_matrix(2 * d, d, random);
  Eigen::VectorXd offsets = Eigen::VectorXd::Ones(4 * d);
  // At this distance a random row cuts off corners of the box and leaves its centre.
  offsets.tail(2 * d).setConstant(0.6 * std::sqrt(static_cast<double>(d)));
  return with_binding_constraints(geometry::Polytope(normals, offsets), 1);
}

Instance arms_instance(Eigen::Index K, Eigen::Index d) {
  Eigen::MatrixXd arms = random_arms(K, d, kSetStream);
  Instance instance = with_binding_constraints(geometry::Arms(arms), 1);
  // The short arms are safe before any data whatever the draw: ‖By‖ ≤ 0.9 c/S.
  const safety::SafetyConstraint& constraint = instance.problem.constraints.front();
  for (Eigen::Index i = 0; i < K; i += kShortStride) {
    const double need = (constraint.matrix * arms.row(i).transpose()).norm();
    arms.row(i) *= std::min(1.0, 0.9 * constraint.limit / need);
  }
  instance.problem.decision_set = geometry::Arms(std::move(arms));
  return instance;
}

Instance contextual_instance(Eigen::Index d) {
  Instance instance{.problem = without_constraints(geometry::ContextualArms(d)),
                    .mu = draw_parameter(d)};
  instance.problem.assumptions.action_bound = 1.0;
  // The value at a typical good arm, which has length 1: one standard deviation, as above.
  const double value = kParameterNorm / std::sqrt(static_cast<double>(d));
  instance.problem.constraints.push_back(
      {.matrix = constraint_matrix(d, 0), .limit = kLimitShare * value});
  return instance;
}

Instance several_instance(Eigen::Index d, std::size_t constraints) {
  return with_binding_constraints(geometry::Box::symmetric(d, 1.0), constraints);
}

Eigen::MatrixXd context(Eigen::Index K, Eigen::Index d, std::uint64_t round) {
  return random_arms(K, d, kContextStream + round);
}

std::vector<double> noise(std::size_t rounds) {
  RandomStream random(kSeed, kNoiseStream);
  std::vector<double> values(rounds);
  for (double& value : values) {
    value = kNoiseScale * random.normal();
  }
  return values;
}

}  // namespace foothold::bench
