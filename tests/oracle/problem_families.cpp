#include "problem_families.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace foothold::oracle {
namespace {

using cone::Cone;
using cone::ConeProgram;

constexpr std::array kFamilies{
    Family{.name = "box"},
    Family{.name = "box, off centre", .shape = Shape::AsymmetricBox},
    Family{.name = "box, badly scaled", .shape = Shape::AsymmetricBox, .is_badly_scaled = true},
    Family{.name = "box, ill-conditioned", .condition_exponent = 8.0},
    Family{.name = "box, degenerate B",
           .shape = Shape::AsymmetricBox,
           .matrix = MatrixKind::Degenerate},
    Family{.name = "box, ties", .objective = ObjectiveKind::Ties},
    Family{.name = "box, foothold", .caution = CautionKind::Prior},
    Family{.name = "box, foothold, degenerate B",
           .caution = CautionKind::Prior,
           .matrix = MatrixKind::Degenerate,
           .objective = ObjectiveKind::Ties},
    Family{.name = "box, several cones", .shape = Shape::AsymmetricBox, .max_cones = 3},
    Family{.name = "box, several, badly scaled", .max_cones = 3, .is_badly_scaled = true},
    Family{.name = "box, several, degenerate B", .max_cones = 3, .matrix = MatrixKind::Degenerate},
    Family{.name = "ball", .shape = Shape::Ball},
    Family{.name = "ball, off centre", .shape = Shape::OffsetBall},
    Family{.name = "ball, badly scaled",
           .shape = Shape::Ball,
           .condition_exponent = 6.0,
           .is_badly_scaled = true},
    Family{.name = "ball, several cones", .shape = Shape::OffsetBall, .max_cones = 3},
    Family{.name = "ball, degenerate B",
           .shape = Shape::OffsetBall,
           .max_cones = 2,
           .matrix = MatrixKind::Degenerate},
    Family{.name = "ball, rows", .shape = Shape::Ball, .caution = CautionKind::Rows},
    Family{
        .name = "ball, off centre, rows", .shape = Shape::OffsetBall, .caution = CautionKind::Rows},
    Family{.name = "polytope", .shape = Shape::Polytope},
    Family{.name = "polytope, badly scaled", .shape = Shape::Polytope, .is_badly_scaled = true},
    Family{
        .name = "polytope, ill-conditioned", .shape = Shape::Polytope, .condition_exponent = 8.0},
    Family{.name = "polytope, degenerate B",
           .shape = Shape::Polytope,
           .matrix = MatrixKind::Degenerate},
    Family{.name = "polytope, ties", .shape = Shape::Polytope, .objective = ObjectiveKind::Ties},
    Family{.name = "polytope, foothold", .shape = Shape::Polytope, .caution = CautionKind::Prior},
    Family{.name = "polytope, several cones", .shape = Shape::Polytope, .max_cones = 3},
    Family{.name = "linear, box", .shape = Shape::AsymmetricBox, .caution = CautionKind::Rows},
    Family{.name = "linear, polytope", .shape = Shape::Polytope, .caution = CautionKind::Rows},
    Family{.name = "linear, badly scaled",
           .shape = Shape::Polytope,
           .caution = CautionKind::Rows,
           .max_cones = 2,
           .condition_exponent = 6.0,
           .is_badly_scaled = true},
};

// Half of the dimensions up to 8, a third up to 16, the rest up to 32.
Eigen::Index draw_dim(RandomStream& random) {
  const double choice = random.uniform();
  const double share = random.uniform();
  const double low = choice < 0.5 ? 1.0 : choice < 0.83 ? 9.0 : 17.0;
  const double high = choice < 0.5 ? 9.0 : choice < 0.83 ? 17.0 : 33.0;
  return static_cast<Eigen::Index>(low + (high - low) * share);
}

void add_box_rows(ConeProgram& program) {
  const Eigen::Index d = program.dim();
  program.G.setZero(2 * d, d);
  program.G.topRows(d).setIdentity();
  program.G.bottomRows(d) = -Eigen::MatrixXd::Identity(d, d);
  program.h.resize(2 * d);
  program.h << program.upper, -program.lower;
}

void add_polytope_rows(RandomStream& random, ConeProgram& program) {
  const Eigen::Index d = program.dim();
  const Eigen::VectorXd width = program.upper;
  add_box_rows(program);
  program.G.conservativeResize(4 * d, d);
  program.h.conservativeResize(4 * d);
  for (Eigen::Index i = 2 * d; i < 3 * d; ++i) {
    const Eigen::VectorXd direction = normal_matrix(random, d, 1).normalized();
    program.G.row(i) = direction.cwiseQuotient(width).transpose();
    program.h(i) = 0.3 + random.uniform() * std::sqrt(static_cast<double>(d));
  }
  for (Eigen::Index i = 3 * d; i < 4 * d; ++i) {
    const auto original =
        static_cast<Eigen::Index>(random.index(static_cast<std::uint64_t>(3 * d)));
    const auto factor = std::array{1.0, 4.0, 0.3}[random.index(3)];
    program.G.row(i) = factor * program.G.row(original);
    program.h(i) = factor * program.h(original) * (random.uniform() < 0.5 ? 1.0 : 1.2);
  }
}

ConeProgram draw_domain(RandomStream& random, const Family& family, Eigen::Index d) {
  ConeProgram program;
  program.G.resize(0, d);
  program.h.resize(0);
  const double size = family.is_badly_scaled ? log_uniform(random, -6.0, 6.0) : 1.0;
  Eigen::VectorXd width = Eigen::VectorXd::Constant(d, size);
  const bool is_ball = family.shape == Shape::Ball || family.shape == Shape::OffsetBall;
  for (Eigen::Index i = 0; i < d && family.is_badly_scaled && !is_ball; ++i) {
    width(i) *= log_uniform(random, -1.5, 1.5);
  }
  program.lower = -width;
  program.upper = width;
  if (family.shape == Shape::AsymmetricBox) {
    for (Eigen::Index i = 0; i < d; ++i) {
      program.lower(i) *= log_uniform(random, -1.5, 0.0);
      program.upper(i) *= log_uniform(random, -1.5, 0.0);
    }
  }
  if (is_ball) {
    Eigen::VectorXd centre = Eigen::VectorXd::Zero(d);
    if (family.shape == Shape::OffsetBall) {
      const double distance = 0.95 * size * random.uniform();
      centre = distance * normal_matrix(random, d, 1).normalized();
    }
    program.lower -= centre;
    program.upper -= centre;
    program.cones.push_back(Cone{.a = Eigen::VectorXd::Zero(d),
                                 .M = Eigen::MatrixXd::Identity(d, d),
                                 .e = centre,
                                 .rho = 1.0,
                                 .c = size,
                                 .is_centred = family.shape == Shape::Ball});
  } else if (family.shape == Shape::Polytope) {
    add_polytope_rows(random, program);
  } else if (family.caution == CautionKind::Rows) {
    add_box_rows(program);
  } else {
    program.box_is_constraint = true;
  }
  return program;
}

Eigen::VectorXd draw_objective(RandomStream& random, const Family& family,
                               const RandomState& state) {
  const Eigen::Index d = state.mu_hat.size();
  const bool is_vertex = random.uniform() < 0.5;
  const auto axis = static_cast<Eigen::Index>(random.index(static_cast<std::uint64_t>(d)));
  Eigen::VectorXd v = normal_matrix(random, d, 1);
  if (family.objective == ObjectiveKind::Mixed) {
    return is_vertex ? state.vertex(2 * axis) : v;
  }
  const std::uint64_t choice = random.index(3);
  for (Eigen::Index i = 0; i < d; ++i) {
    if (choice == 0 && i != axis && random.uniform() < 0.5) {
      v(i) = 0.0;
    } else if (choice == 1) {
      v(i) = v(i) > 0.0 ? 1.0 : -1.0;
    } else if (choice == 2) {
      v(i) = i == axis ? v(i) : 0.0;
    }
  }
  return v;
}

// The corner of the box that v prefers: what the limit is measured by.
Eigen::VectorXd preferred_corner(const ConeProgram& program, const Eigen::VectorXd& v) {
  return (v.array() > 0.0).select(program.lower, program.upper);
}

// The limit: a share of what the corner needs, so that the constraint mostly binds.
double draw_limit(RandomStream& random, const Family& family, double at_corner, double norm_part) {
  const double share =
      family.is_badly_scaled ? log_uniform(random, -6.0, 0.3) : log_uniform(random, -2.0, 0.1);
  const double needed = at_corner > 0.05 * norm_part ? at_corner : norm_part;
  return needed > 0.0 ? share * needed : 1.0;
}

void add_caution(RandomStream& random, const Family& family, const RandomState& state,
                 RandomProblem& problem) {
  ConeProgram& program = problem.program;
  const Eigen::Index d = program.dim();
  Eigen::MatrixXd B = draw_matrix(random, d, family.matrix);
  B *= family.is_badly_scaled ? log_uniform(random, -6.0, 6.0) : 1.0;
  const Eigen::VectorXd corner = preferred_corner(program, problem.v);
  if (family.caution == CautionKind::Rows) {
    const Eigen::Index first = program.G.rows();
    program.G.conservativeResize(first + 2 * d, d);
    program.h.conservativeResize(first + 2 * d);
    for (Eigen::Index k = 0; k < 2 * d; ++k) {
      program.G.row(first + k) = state.vertex(k).transpose() * B;
    }
    const Eigen::VectorXd needs = program.G.bottomRows(2 * d) * corner;
    program.h.tail(2 * d).setConstant(
        draw_limit(random, family, needs.maxCoeff(), needs.cwiseAbs().maxCoeff()));
    return;
  }
  Cone cone{.a = Eigen::VectorXd::Zero(d),
            .M = B,
            .e = Eigen::VectorXd::Zero(d),
            .rho = log_uniform(random, -0.5, 0.5)};
  if (family.caution == CautionKind::Ellipsoid) {
    cone.a = B.transpose() * state.mu_hat;
    cone.M = state.factor_inverse * B;
    cone.rho = state.radius;
  }
  cone.c = draw_limit(random, family, cone.value(corner), cone.rho * (cone.M * corner).norm());
  // A ball's own cone stays the last.
  const bool has_ball = !program.box_is_constraint && family.shape != Shape::Polytope;
  program.cones.insert(program.cones.end() - (has_ball ? 1 : 0), cone);
}

}  // namespace

std::span<const Family> families() {
  return kFamilies;
}

RandomProblem draw_problem(RandomStream& random, const Family& family) {
  const Eigen::Index d = draw_dim(random);
  RandomProblem problem;
  problem.program = draw_domain(random, family, d);
  const RandomState state = draw_state(random, d, family.condition_exponent);
  problem.v = draw_objective(random, family, state);
  if (family.is_badly_scaled) {
    problem.v *= log_uniform(random, -6.0, 6.0);
  }
  const std::uint64_t cones =
      family.max_cones == 1 ? 1
                            : 2 + random.index(static_cast<std::uint64_t>(family.max_cones - 1));
  for (std::uint64_t k = 0; k < cones; ++k) {
    add_caution(random, family, state, problem);
  }
  return problem;
}

RandomProblem perturbed(RandomStream& random, const RandomProblem& problem) {
  const double size = log_uniform(random, -4.0, -1.0);
  const auto shake = [&](Eigen::Ref<Eigen::MatrixXd> values) {
    for (Eigen::Index j = 0; j < values.cols(); ++j) {
      for (Eigen::Index i = 0; i < values.rows(); ++i) {
        values(i, j) *= 1.0 + size * random.normal();
      }
    }
  };
  RandomProblem earlier = problem;
  shake(earlier.v);
  for (Cone& cone : earlier.program.cones) {
    if (cone.M.isIdentity(0.0)) {
      continue;  // the ball itself does not change
    }
    shake(cone.a);
    shake(cone.M);
  }
  return earlier;
}

}  // namespace foothold::oracle
