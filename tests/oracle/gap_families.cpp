#include "gap_families.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "random_state.hpp"

namespace foothold::oracle {
namespace {

using estimation::RootForm;
using gap::GapRegion;

constexpr std::array kFamilies{
    GapFamily{.name = "arms, ellipsoid"},
    GapFamily{.name = "arms, l1", .region = GapRegion::L1},
    GapFamily{.name = "box, ellipsoid", .shape = GapShape::Box, .max_constraints = 2},
    GapFamily{.name = "arms, ellipsoid, several", .max_constraints = 3},
    GapFamily{.name = "arms, l1, several", .region = GapRegion::L1, .max_constraints = 3},
    GapFamily{.name = "polytope, l1", .shape = GapShape::Polytope, .region = GapRegion::L1},
    GapFamily{.name = "arms, ellipsoid, baseline", .max_constraints = 2, .has_baseline = true},
    GapFamily{.name = "arms, l1 cholesky, baseline",
              .region = GapRegion::L1,
              .root = RootForm::Cholesky,
              .max_constraints = 2,
              .has_baseline = true},
    GapFamily{.name = "polytope, ellipsoid", .shape = GapShape::Polytope},
    GapFamily{.name = "arms, ellipsoid, many", .max_arms = 25},
    GapFamily{.name = "arms, l1 cholesky", .region = GapRegion::L1, .root = RootForm::Cholesky},
    GapFamily{.name = "box, l1",
              .shape = GapShape::Box,
              .region = GapRegion::L1,
              .root = RootForm::Cholesky,
              .max_constraints = 2},
    GapFamily{.name = "polytope, several, baseline",
              .shape = GapShape::Polytope,
              .max_constraints = 3,
              .has_baseline = true},
    GapFamily{.name = "ball, ellipsoid", .shape = GapShape::Ball, .max_constraints = 2},
    GapFamily{.name = "ball, l1, baseline",
              .shape = GapShape::Ball,
              .region = GapRegion::L1,
              .has_baseline = true},
};

Eigen::MatrixXd draw_arms(RandomStream& random, Eigen::Index d, int most) {
  const auto count =
      static_cast<Eigen::Index>(2 + random.index(static_cast<std::uint64_t>(most - 1)));
  Eigen::MatrixXd arms(count, d);
  for (Eigen::Index i = 0; i < count; ++i) {
    const double length = random.uniform() < 0.5 ? log_uniform(random, -1.5, -0.3) : 1.0;
    arms.row(i) = length * normal_matrix(random, d, 1).normalized().transpose();
    const double copy = random.uniform();
    const auto original = static_cast<Eigen::Index>(
        random.index(static_cast<std::uint64_t>(std::max<Eigen::Index>(i, 1))));
    if (i > 0 && copy < 0.1) {
      arms.row(i) = arms.row(original);
    }
  }
  return arms;
}

// A box, random cuts, and rows that add nothing: copies, multiples, and rows through a vertex.
geometry::Polytope draw_polytope(RandomStream& random, Eigen::Index d) {
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(4 * d, d);
  Eigen::VectorXd h = Eigen::VectorXd::Ones(4 * d);
  G.topRows(d).setIdentity();
  G.middleRows(d, d) = -Eigen::MatrixXd::Identity(d, d);
  for (Eigen::Index i = 2 * d; i < 3 * d; ++i) {
    G.row(i) = normal_matrix(random, d, 1).normalized().transpose();
    h(i) = 0.5 + 0.7 * random.uniform();
  }
  for (Eigen::Index i = 3 * d; i < 4 * d; ++i) {
    const auto original =
        static_cast<Eigen::Index>(random.index(static_cast<std::uint64_t>(3 * d)));
    const std::uint64_t kind = random.index(3);
    G.row(i) = (kind == 1 ? 4.0 : 1.0) * G.row(original);
    h(i) = (kind == 1 ? 4.0 : 1.0) * h(original);
    if (kind == 2) {
      // Supports the box in the corner of the signs of its normal.
      const Eigen::VectorXd normal = normal_matrix(random, d, 1);
      G.row(i) = normal.transpose();
      h(i) = normal.cwiseAbs().sum();
    }
  }
  return {G, h};
}

geometry::DecisionSet draw_set(RandomStream& random, const GapFamily& family, Eigen::Index d) {
  switch (family.shape) {
    case GapShape::Arms:
      return geometry::Arms(draw_arms(random, d, family.max_arms));
    case GapShape::Polytope:
      return draw_polytope(random, d);
    case GapShape::Ball:
      return geometry::Ball(d, log_uniform(random, -0.5, 0.5));
    case GapShape::Box:
      break;
  }
  const auto side = [&random] { return log_uniform(random, -0.5, 0.3); };
  const Eigen::VectorXd lower = -Eigen::VectorXd::NullaryExpr(d, side);
  const Eigen::VectorXd upper = Eigen::VectorXd::NullaryExpr(d, side);
  return geometry::Box(lower, upper);
}

Eigen::VectorXd best_action(const geometry::DecisionSet& set, const Eigen::VectorXd& mu) {
  return geometry::minimize_linear(set, mu).point;
}

}  // namespace

std::span<const GapFamily> gap_families() {
  return kFamilies;
}

GapCase draw_gap_case(RandomStream& random, const GapFamily& family) {
  const std::uint64_t largest = family.shape == GapShape::Polytope ? 4 : 6;
  const auto d = static_cast<Eigen::Index>(1 + random.index(largest));
  const Eigen::VectorXd mu = normal_matrix(random, d, 1).normalized();
  safety::Problem problem{.decision_set = draw_set(random, family, d)};
  problem.assumptions = {.noise_scale = log_uniform(random, -3.0, -0.5),
                         .norm_bound = 1.0,
                         .action_bound = 8.0,
                         .ridge = log_uniform(random, -2.0, 0.5)};
  const Eigen::VectorXd best = best_action(problem.decision_set, mu);
  Eigen::VectorXd x0 = Eigen::VectorXd::Zero(d);
  if (family.has_baseline) {
    const auto* arms = std::get_if<geometry::Arms>(&problem.decision_set);
    const Eigen::VectorXd step = 0.2 * normal_matrix(random, d, 1).normalized();
    x0 = arms != nullptr ? Eigen::VectorXd(arms->features().row(0).transpose()) : step;
  }
  const auto constraints = 1 + random.index(static_cast<std::uint64_t>(family.max_constraints));
  double margin = 0.0;
  for (std::uint64_t k = 0; k < constraints; ++k) {
    const MatrixKind kind = random.uniform() < 0.15 ? MatrixKind::Degenerate : MatrixKind::Dense;
    const Eigen::MatrixXd B = draw_matrix(random, d, kind);
    // What the best action needs, and a share of the scale to spare or to miss.
    const double need = mu.dot(B * (best - x0));
    const double scale = (B * (best - x0)).norm() + 0.1;
    const double room = std::max(need, 0.0) + (1.3 * random.uniform() - 0.2) * scale;
    const double kept = room > 0.05 * scale ? room : 0.05 * scale;
    margin = k == 0 ? kept : std::min(margin, kept);
    problem.constraints.push_back({.matrix = B, .limit = kept});
  }
  if (family.has_baseline) {
    for (safety::SafetyConstraint& constraint : problem.constraints) {
      constraint.limit = mu.dot(constraint.matrix * x0) + margin;
    }
    problem.baseline = safety::Baseline{.action = x0, .margin = margin};
  }
  problem = safety::resolved(std::move(problem));

  estimation::RidgeEstimate estimate(d, problem.assumptions);
  const auto rounds = static_cast<int>(log_uniform(random, 0.0, 3.3)) - 1;
  Eigen::VectorXd scales = normal_matrix(random, d, 1);
  for (int round = 0; round < rounds; ++round) {
    Eigen::VectorXd x = normal_matrix(random, d, 1).cwiseProduct(scales);
    x /= std::max(1.0, x.norm());
    estimate.observe(x, mu.dot(x) + problem.assumptions.noise_scale * random.normal());
  }
  return {std::move(problem), std::move(estimate)};
}

}  // namespace foothold::oracle
