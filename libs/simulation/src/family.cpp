#include "foothold/simulation/family.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/SVD>

#include "foothold/base/check.hpp"
#include "foothold/base/rounding.hpp"
#include "foothold/geometry/sampling.hpp"
#include "foothold/simulation/best_safe_action.hpp"

#include "run_streams.hpp"

namespace foothold::simulation {
namespace {

// The constraint excludes the best arm in about 3 % of the paper's draws.
constexpr int kMaxRedraws = 10000;

// The volume of the covering ellipsoid is a smooth convex function of w on a logarithmic scale; a
// grid this fine finds it to within a fraction of a per cent.
constexpr int kCoverGrid = 256;

void validate(const config::FamilyConfig& family) {
  if (family.type != "k-armed" && family.type != "box" && family.type != "ball") {
    throw Error(ErrorCode::InvalidArgument, "family.type",
                fmt::format(R"(must be "k-armed", "box" or "ball", got "{}")", family.type));
  }
  if (family.min_gap) {
    check::positive(*family.min_gap, "family.min_gap");
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

// The paper's entries are U[0, 0.5]; on a whole box or ball such a matrix would leave
// directions without a constraint worth the name, so there they are U[−1, 1].
safety::SafetyConstraint draw_constraint(const config::FamilyConfig& family, RandomStream& random) {
  const Eigen::Index dim = family.dim;
  const bool is_paper = family.type == "k-armed";
  safety::SafetyConstraint constraint{.matrix = Eigen::MatrixXd(dim, dim), .limit = 0.0};
  for (Eigen::Index i = 0; i < dim; ++i) {
    for (Eigen::Index j = 0; j < dim; ++j) {
      constraint.matrix(i, j) = is_paper ? 0.5 * random.uniform() : 2.0 * random.uniform() - 1.0;
    }
  }
  do {
    constraint.limit = random.uniform();
  } while (!(constraint.limit > 0.0));
  return constraint;
}

geometry::DecisionSet draw_decision_set(const config::FamilyConfig& family,
                                        const safety::SafetyConstraint& constraint,
                                        RandomStream& random) {
  if (family.type == "box") {
    return geometry::Box::symmetric(family.dim, 1.0);
  }
  if (family.type == "ball") {
    return geometry::Ball(family.dim, 1.0);
  }
  const BallSectionSampler foothold(constraint.matrix, constraint.limit / family.norm_bound);
  Eigen::MatrixXd features(family.arms, family.dim);
  for (Eigen::Index arm = 0; arm < family.arms; ++arm) {
    features.row(arm) = arm < family.safe_arms ? foothold.sample(random).transpose()
                                               : draw_in_unit_ball(family.dim, random).transpose();
  }
  return geometry::Arms(std::move(features));
}

// Whether the action with the smallest loss, constraints aside, is unsafe.
bool is_constraint_active(const safety::Problem& problem, const Eigen::VectorXd& mu) {
  const Eigen::VectorXd best = geometry::minimize_linear(problem.decision_set, mu).point;
  const safety::SafetyConstraint& constraint = problem.constraints.front();
  return mu.dot(constraint.matrix * best) > constraint.limit;
}

bool is_wanted(const config::FamilyConfig& family, const Instance& instance) {
  if (family.constraint_active && !is_constraint_active(instance.problem, instance.parameter)) {
    return false;
  }
  return !family.min_gap ||
         best_safe_action(instance.problem, instance.parameter).safety_gap >= *family.min_gap;
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
    safety::SafetyConstraint constraint = draw_constraint(family, constraint_stream);
    geometry::DecisionSet set = draw_decision_set(family, constraint, arms_stream);
    estimation::Assumptions assumptions{.noise_scale = family.noise_scale,
                                        .norm_bound = family.norm_bound,
                                        .ridge = family.ridge,
                                        .failure_prob = family.failure_prob};
    if (family.type == "k-armed") {
      assumptions.action_bound = 1.0;
    }
    Instance instance{.problem = {.decision_set = std::move(set),
                                  .constraints = {std::move(constraint)},
                                  .assumptions = assumptions},
                      .parameter = std::move(mu)};
    if (is_wanted(family, instance)) {
      return instance;
    }
  }
  throw Error(
      ErrorCode::InvalidArgument, family.min_gap ? "family.min_gap" : "family.constraint_active",
      fmt::format("must be met by some draw: none of {} draws of run {} did", kMaxRedraws, run));
}

}  // namespace foothold::simulation
