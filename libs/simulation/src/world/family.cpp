#include "foothold/simulation/world/family.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <fmt/format.h>

#include "foothold/base/check.hpp"
#include "foothold/base/rounding.hpp"
#include "foothold/geometry/sampling.hpp"
#include "foothold/simulation/world/best_safe_action.hpp"

#include "world/run_streams.hpp"

namespace foothold::simulation {
namespace {

// The constraint excludes the best arm in about 3 % of the paper's draws.
constexpr int kMaxRedraws = 10000;

// The volume of the covering ellipsoid is a smooth convex function of w on a logarithmic scale; a
// grid this fine finds it to within a fraction of a per cent.
constexpr int kCoverGrid = 256;

// How the foothold's constraint is aligned with the optimum of a set with a prescribed gap; in
// 64 dimensions two of five random directions pass.
constexpr double kMinAlignment = 0.1;

void require(bool holds, const char* field, const std::string& message) {
  if (!holds) {
    throw Error(ErrorCode::InvalidArgument, field, message);
  }
}

void validate_counts(const config::FamilyConfig& family) {
  const bool is_contextual = family.type == "contextual";
  require(family.dim >= 1, "family.dim", fmt::format("must be at least 1, got {}", family.dim));
  require(family.arms >= 1, "family.arms", fmt::format("must be at least 1, got {}", family.arms));
  const Eigen::Index least = is_contextual ? 1 : 0;
  require(family.safe_arms >= least && family.safe_arms <= family.arms, "family.safe_arms",
          fmt::format("must lie between {} and the {} arms, got {}", least, family.arms,
                      family.safe_arms));
  require(!family.rows || *family.rows >= 2 * family.dim, "family.rows",
          fmt::format("must be at least {}, twice the dimension, got {}", 2 * family.dim,
                      family.rows.value_or(0)));
}

void validate_gaps(const config::FamilyConfig& family) {
  if (family.min_gap) {
    check::positive(*family.min_gap, "family.min_gap");
  }
  if (family.gap) {
    check::non_negative(*family.gap, "family.gap");
  }
  const bool has_arms = family.type == "k-armed" || family.type == "contextual";
  require(!family.gap || !has_arms, "family.gap", "must be left out for arms");
  const bool redraws = family.constraint_active || family.min_gap;
  require(!(redraws && family.gap), "family.gap",
          "must be left out if constraint_active or min_gap is given");
  require(!(redraws && family.type == "contextual"), "family.constraint_active",
          "must be left out, as must min_gap, for contextual arms, which are new each round");
}

void validate(const config::FamilyConfig& family) {
  static constexpr std::array<std::string_view, 5> kTypes = {"k-armed", "box", "ball", "polytope",
                                                             "contextual"};
  require(std::ranges::count(kTypes, family.type) == 1, "family.type",
          fmt::format(R"(must be "k-armed", "box", "ball", "polytope" or "contextual", got "{}")",
                      family.type));
  validate_counts(family);
  validate_gaps(family);
  require(family.norm_bound >= 1.0, "family.norm_bound",
          fmt::format("must be at least 1, the length of the drawn parameters, got {}",
                      family.norm_bound));
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

double draw_between(double low, double high, RandomStream& random) {
  return low + (high - low) * random.uniform();
}

// The paper's entries are U[0, 0.5]; on a whole box or ball such a matrix would leave
// directions without a constraint worth the name, so there they are U[−1, 1].
Eigen::MatrixXd draw_matrix(const config::FamilyConfig& family, RandomStream& random) {
  const bool is_paper = family.type == "k-armed";
  Eigen::MatrixXd B(family.dim, family.dim);
  for (Eigen::Index i = 0; i < family.dim; ++i) {
    for (Eigen::Index j = 0; j < family.dim; ++j) {
      B(i, j) = is_paper ? 0.5 * random.uniform() : 2.0 * random.uniform() - 1.0;
    }
  }
  return B;
}

safety::SafetyConstraint draw_constraint(const config::FamilyConfig& family, RandomStream& random) {
  safety::SafetyConstraint constraint{.matrix = draw_matrix(family, random), .limit = 0.0};
  // Tiny limits would leave contextual learners nothing to learn from within any horizon.
  const double least = family.type == "contextual" ? 0.1 : 0.0;
  do {
    constraint.limit = draw_between(least, 1.0, random);
  } while (!(constraint.limit > 0.0));
  return constraint;
}

// A constraint that makes Δ the wanted number; see the header.
safety::SafetyConstraint constraint_with_gap(const config::FamilyConfig& family,
                                             const geometry::DecisionSet& set,
                                             const Eigen::VectorXd& mu, RandomStream& random) {
  const Eigen::VectorXd y = geometry::minimize_linear(set, mu).point;
  Eigen::MatrixXd B;
  double value = 0.0;  // μᵀBy
  double scale = 0.0;
  do {
    B = draw_matrix(family, random);
    value = mu.dot(B * y);
    scale = (B.transpose() * mu).norm() * y.norm();
  } while (!(std::abs(value) >= kMinAlignment * scale && scale > 0.0));
  if (value < 0.0) {
    B = -B;
    value = -value;
  }
  const double gap = *family.gap;
  const double limit = gap > 0.0 ? value + gap : draw_between(0.25, 0.75, random) * value;
  return {.matrix = std::move(B), .limit = limit};
}

geometry::Polytope draw_polytope(Eigen::Index dim, Eigen::Index rows, RandomStream& random) {
  Eigen::MatrixXd gaussian(dim, dim);
  for (Eigen::Index i = 0; i < gaussian.size(); ++i) {
    gaussian.reshaped()(i) = random.normal();
  }
  const Eigen::MatrixXd turned = Eigen::HouseholderQR<Eigen::MatrixXd>(gaussian).householderQ() *
                                 Eigen::MatrixXd::Identity(dim, dim);
  Eigen::MatrixXd normals(rows, dim);
  normals.topRows(dim) = turned;
  normals.middleRows(dim, dim) = -turned;
  Eigen::VectorXd g(dim);
  for (Eigen::Index row = 2 * dim; row < rows; ++row) {
    geometry::sample_sphere(random, g);
    normals.row(row) = g;
  }
  Eigen::VectorXd offsets(rows);
  for (double& offset : offsets) {
    offset = draw_between(0.5, 1.0, random);
  }
  return {std::move(normals), std::move(offsets)};
}

geometry::Arms draw_arms(const config::FamilyConfig& family,
                         const safety::SafetyConstraint& constraint, RandomStream& random) {
  const BallSectionSampler foothold(constraint.matrix, constraint.limit / family.norm_bound);
  Eigen::MatrixXd features(family.arms, family.dim);
  for (Eigen::Index arm = 0; arm < family.arms; ++arm) {
    features.row(arm) = arm < family.safe_arms ? foothold.sample(random).transpose()
                                               : draw_in_unit_ball(family.dim, random).transpose();
  }
  return geometry::Arms(std::move(features));
}

// A set that does not depend on the constraint.
geometry::DecisionSet draw_set(const config::FamilyConfig& family, RandomStream& random) {
  if (family.type == "box") {
    return geometry::Box::symmetric(family.dim, 1.0);
  }
  if (family.type == "ball") {
    return geometry::Ball(family.dim, 1.0);
  }
  if (family.type == "contextual") {
    return geometry::ContextualArms(family.dim);
  }
  return draw_polytope(family.dim, family.rows.value_or(3 * family.dim), random);
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

struct InstanceStreams {
  RandomStream parameter;
  RandomStream constraint;
  RandomStream arms;
};

Instance draw_once(const config::FamilyConfig& family, InstanceStreams& streams) {
  Eigen::VectorXd mu = draw_parameter(family.dim, streams.parameter);
  estimation::Assumptions assumptions{.noise_scale = family.noise_scale,
                                      .norm_bound = family.norm_bound,
                                      .ridge = family.ridge,
                                      .failure_prob = family.failure_prob};
  if (family.type == "k-armed") {
    safety::SafetyConstraint constraint = draw_constraint(family, streams.constraint);
    geometry::Arms arms = draw_arms(family, constraint, streams.arms);
    assumptions.action_bound = 1.0;
    return {.problem = {.decision_set = std::move(arms),
                        .constraints = {std::move(constraint)},
                        .assumptions = assumptions},
            .parameter = std::move(mu)};
  }
  geometry::DecisionSet set = draw_set(family, streams.arms);
  safety::SafetyConstraint constraint =
      family.gap ? constraint_with_gap(family, set, mu, streams.constraint)
                 : draw_constraint(family, streams.constraint);
  if (family.type == "contextual") {
    assumptions.action_bound = 1.0;
  }
  return {.problem = {.decision_set = std::move(set),
                      .constraints = {std::move(constraint)},
                      .assumptions = assumptions},
          .parameter = std::move(mu)};
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
  InstanceStreams streams{.parameter = run_stream(seed, run, StreamPurpose::Parameter),
                          .constraint = run_stream(seed, run, StreamPurpose::Constraint),
                          .arms = run_stream(seed, run, StreamPurpose::Arms)};
  for (int attempt = 0; attempt < kMaxRedraws; ++attempt) {
    Instance instance = draw_once(family, streams);
    if (is_wanted(family, instance)) {
      return instance;
    }
  }
  throw Error(
      ErrorCode::InvalidArgument, family.min_gap ? "family.min_gap" : "family.constraint_active",
      fmt::format("must be met by some draw: none of {} draws of run {} did", kMaxRedraws, run));
}

}  // namespace foothold::simulation
