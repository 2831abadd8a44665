#include "foothold/simulation/family.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/SVD>

#include "foothold/base/check.hpp"
#include "foothold/base/rounding.hpp"
#include "foothold/geometry/sampling.hpp"

#include "run_streams.hpp"

namespace foothold::simulation {
namespace {

// The constraint excludes the best arm in about 3 % of the paper's draws.
constexpr int kMaxRedraws = 10000;

// The volume of the covering ellipsoid is a smooth convex function of w on a logarithmic scale; a
// grid this fine finds it to within a fraction of a per cent.
constexpr int kCoverGrid = 256;

void validate(const config::FamilyConfig& family) {
  if (family.type != "k-armed") {
    throw Error(ErrorCode::InvalidArgument, "family.type",
                fmt::format(R"(must be "k-armed", got "{}")", family.type));
  }
  if (!(family.dim >= 1)) {
    throw Error(ErrorCode::InvalidArgument, "family.dim",
                fmt::format("must be at least 1, got {}", family.dim));
  }
  if (!(family.arms >= 1)) {
    throw Error(ErrorCode::InvalidArgument, "family.arms",
                fmt::format("must be at least 1, got {}", family.arms));
  }
  if (!(family.safe_arms >= 0 && family.safe_arms <= family.arms)) {
    throw Error(
        ErrorCode::InvalidArgument, "family.safe_arms",
        fmt::format("must lie between 0 and the {} arms, got {}", family.arms, family.safe_arms));
  }
  if (!(family.norm_bound >= 1.0)) {
    throw Error(ErrorCode::InvalidArgument, "family.norm_bound",
                fmt::format("must be at least 1, the length of the drawn parameters, got {}",
                            family.norm_bound));
  }
}

// Points that rounding has put outside the unit ball would break ‖x‖ ≤ L.
bool is_in_unit_ball(const Eigen::VectorXd& x) {
  return rounding::norm_upper(x) <= 1.0;
}

Eigen::VectorXd draw_in_unit_ball(Eigen::Index dim, RandomStream& random) {
  Eigen::VectorXd x(dim);
  do {
    geometry::sample_ball(random, x);
  } while (!is_in_unit_ball(x));
  return x;
}

Eigen::VectorXd draw_parameter(Eigen::Index dim, RandomStream& random) {
  Eigen::VectorXd mu(dim);
  do {
    for (Eigen::Index i = 0; i < dim; ++i) {
      mu(i) = random.normal();
    }
  } while (!(mu.norm() > 0.0));
  mu.normalize();
  while (!is_in_unit_ball(mu)) {
    mu *= 1.0 - 4.0 * rounding::kUnit;  // ‖μ‖ ≤ S in exact arithmetic, too.
  }
  return mu;
}

safety::SafetyConstraint draw_constraint(Eigen::Index dim, RandomStream& random) {
  safety::SafetyConstraint constraint{.matrix = Eigen::MatrixXd(dim, dim), .limit = 0.0};
  for (Eigen::Index i = 0; i < dim; ++i) {
    for (Eigen::Index j = 0; j < dim; ++j) {
      constraint.matrix(i, j) = 0.5 * random.uniform();
    }
  }
  do {
    constraint.limit = random.uniform();
  } while (!(constraint.limit > 0.0));
  return constraint;
}

Eigen::MatrixXd draw_arms(const config::FamilyConfig& family,
                          const safety::SafetyConstraint& constraint, RandomStream& random) {
  const BallSectionSampler foothold(constraint.matrix, constraint.limit / family.norm_bound);
  Eigen::MatrixXd features(family.arms, family.dim);
  for (Eigen::Index arm = 0; arm < family.arms; ++arm) {
    features.row(arm) = arm < family.safe_arms ? foothold.sample(random).transpose()
                                               : draw_in_unit_ball(family.dim, random).transpose();
  }
  return features;
}

bool is_best_arm_unsafe(const Eigen::MatrixXd& features, const safety::SafetyConstraint& constraint,
                        const Eigen::VectorXd& mu) {
  Eigen::Index best = 0;
  (features * mu).minCoeff(&best);
  return mu.dot(constraint.matrix * features.row(best).transpose()) > constraint.limit;
}

// log of the volume of { w‖x‖² + (1 − w)Σ s_i²x_i² ≤ 1 }, up to a constant.
double log_volume(const Eigen::VectorXd& s, double w) {
  return -0.5 * (w + (1.0 - w) * s.array().square()).log().sum();
}

}  // namespace

BallSectionSampler::BallSectionSampler(Eigen::MatrixXd B, double r)
    : matrix_(std::move(B)), radius_(r) {
  // In the basis of right singular vectors both sets have the coordinate axes as axes.
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(matrix_, Eigen::ComputeFullV);
  const Eigen::VectorXd s = svd.singularValues() / radius_;
  double best_weight = 1.0;
  for (int i = 0; i < kCoverGrid; ++i) {
    const double w = static_cast<double>(i) / kCoverGrid;
    if (log_volume(s, w) < log_volume(s, best_weight)) {
      best_weight = w;
    }
  }
  const auto axes = [&s](double w) -> Eigen::VectorXd {
    return (w + (1.0 - w) * s.array().square()).rsqrt().matrix();
  };
  cover_ = svd.matrixV() * axes(best_weight).asDiagonal();
  inscribed_ = svd.matrixV() * (axes(0.5) / std::sqrt(2.0)).asDiagonal();
}

bool BallSectionSampler::contains(const Eigen::VectorXd& x) const {
  const Eigen::VectorXd image = matrix_ * x;
  // The product's rounding error is at most γ_d |B||x| in every entry.
  const double error = rounding::gamma(static_cast<double>(2 * x.size())) *
                       rounding::norm_upper(matrix_.reshaped()) * rounding::norm_upper(x);
  return is_in_unit_ball(x) && rounding::up(rounding::norm_upper(image) + error) <= radius_;
}

Eigen::VectorXd BallSectionSampler::sample(RandomStream& random) const {
  Eigen::VectorXd point(matrix_.cols());
  Eigen::VectorXd x(matrix_.cols());
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    geometry::sample_ball(random, point);
    x = cover_ * point;
    if (contains(x)) {
      return x;
    }
  }
  do {
    geometry::sample_ball(random, point);
    x = inscribed_ * point;
  } while (!contains(x));
  return x;
}

Instance draw_instance(const config::FamilyConfig& family, std::uint64_t seed, std::int64_t run) {
  validate(family);
  RandomStream parameter_stream = run_stream(seed, run, StreamPurpose::Parameter);
  RandomStream constraint_stream = run_stream(seed, run, StreamPurpose::Constraint);
  RandomStream arms_stream = run_stream(seed, run, StreamPurpose::Arms);
  for (int attempt = 0; attempt < kMaxRedraws; ++attempt) {
    Eigen::VectorXd mu = draw_parameter(family.dim, parameter_stream);
    safety::SafetyConstraint constraint = draw_constraint(family.dim, constraint_stream);
    Eigen::MatrixXd features = draw_arms(family, constraint, arms_stream);
    if (family.constraint_active && !is_best_arm_unsafe(features, constraint, mu)) {
      continue;
    }
    safety::Problem problem{.decision_set = geometry::Arms(std::move(features)),
                            .constraints = {std::move(constraint)},
                            .assumptions = {.noise_scale = family.noise_scale,
                                            .norm_bound = family.norm_bound,
                                            .action_bound = 1.0,
                                            .ridge = family.ridge,
                                            .failure_prob = family.failure_prob}};
    return {.problem = std::move(problem), .parameter = std::move(mu)};
  }
  throw Error(
      ErrorCode::InvalidArgument, "family.constraint_active",
      fmt::format("must be false: in {} draws of run {} the best arm was safe", kMaxRedraws, run));
}

}  // namespace foothold::simulation
