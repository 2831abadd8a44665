#include "foothold/simulation/world/best_safe_action.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <variant>
#include <vector>

#include <Eigen/QR>

#include "foothold/base/check.hpp"
#include "foothold/base/invariant.hpp"
#include "foothold/base/overloaded.hpp"
#include "foothold/geometry/dense_lp.hpp"

namespace foothold::simulation {
namespace {

// The constraints as rows: Qx ≤ c with Q's rows (B_kᵀμ)ᵀ.
struct Rows {
  Eigen::MatrixXd Q;
  Eigen::VectorXd c;
};

// Optima of convex problems are computed to about 10⁻¹³ of the scale of their rows; what is
// closer to a constraint than this is on it.
constexpr double kRowTolerance = 1e-11;

// 2¹² subsets of the active constraints take a few milliseconds.
constexpr Eigen::Index kMaxBallConstraints = 12;

Rows constraint_rows(const safety::Problem& problem, const Eigen::VectorXd& mu) {
  const auto m = static_cast<Eigen::Index>(problem.constraints.size());
  Rows rows{.Q = Eigen::MatrixXd(m, problem.dim()), .c = Eigen::VectorXd(m)};
  for (Eigen::Index k = 0; k < m; ++k) {
    const safety::SafetyConstraint& constraint = problem.constraints[static_cast<std::size_t>(k)];
    rows.Q.row(k) = mu.transpose() * constraint.matrix;
    rows.c(k) = constraint.limit;
  }
  return rows;
}

double row_scale(const Rows& rows, Eigen::Index k, double action_scale) {
  return std::abs(rows.c(k)) + rows.Q.row(k).norm() * action_scale;
}

void require_safe_centre(const safety::Problem& problem, const Rows& rows) {
  const Eigen::VectorXd centre = problem.centre();
  if (!((rows.Q * centre).array() <= rows.c.array()).all()) {
    throw Error(ErrorCode::InvalidArgument, "baseline.action",
                "must satisfy the constraints under the environment's parameter");
  }
}

Eigen::VectorXd best_arm(const geometry::Arms& arms, const Eigen::VectorXd& mu, const Rows& rows) {
  const Eigen::MatrixXd& features = arms.features();
  const Eigen::VectorXd losses = features * mu;
  Eigen::Index best = -1;
  for (Eigen::Index arm = 0; arm < arms.count(); ++arm) {
    const Eigen::VectorXd values = rows.Q * features.row(arm).transpose();
    const bool is_safe = (values.array() <= rows.c.array()).all();
    if (is_safe && (best < 0 || losses(arm) < losses(best))) {
      best = arm;
    }
  }
  if (best < 0) {
    throw Error(ErrorCode::InvalidArgument, "decision_set",
                fmt::format("must have an arm that is safe under the environment's parameter, "
                            "but none of the {} is",
                            arms.count()));
  }
  return features.row(best).transpose();
}

// min { μᵀx : Gx ≤ h, Qx ≤ c } from the centre, which satisfies all rows.
Eigen::VectorXd best_in_polyhedron(const Eigen::MatrixXd& G, const Eigen::VectorXd& h,
                                   const Rows& rows, const Eigen::VectorXd& mu,
                                   const Eigen::VectorXd& centre) {
  Eigen::MatrixXd all_rows(G.rows() + rows.Q.rows(), G.cols());
  Eigen::VectorXd all_offsets(all_rows.rows());
  all_rows.topRows(G.rows()) = G;
  all_offsets.head(h.size()) = h;
  Eigen::Index count = G.rows();
  for (Eigen::Index k = 0; k < rows.Q.rows(); ++k) {
    // A zero row says 0 ≤ c, which the centre has shown to hold.
    if (!rows.Q.row(k).isZero(0.0)) {
      all_rows.row(count) = rows.Q.row(k);
      all_offsets(count) = rows.c(k);
      ++count;
    }
  }
  geometry::DenseLp program;
  const geometry::LpResult& result =
      program.solve(all_rows.topRows(count), all_offsets.head(count), mu, centre);
  FOOTHOLD_INVARIANT(result.status == geometry::LpStatus::Optimal);
  return program.point();
}

Eigen::VectorXd best_in_box(const geometry::Box& box, const Rows& rows, const Eigen::VectorXd& mu,
                            const Eigen::VectorXd& centre) {
  const Eigen::Index d = box.dim();
  Eigen::MatrixXd G(2 * d, d);
  G << Eigen::MatrixXd::Identity(d, d), -Eigen::MatrixXd::Identity(d, d);
  Eigen::VectorXd h(2 * d);
  h << box.upper(), -box.lower();
  const Eigen::VectorXd x = best_in_polyhedron(G, h, rows, mu, centre);
  return x.cwiseMax(box.lower()).cwiseMin(box.upper());
}

// min { μᵀx : Q_A x = c_A, ‖x‖ ≤ r }, or nothing if there is no such point. With x_p the shortest
// solution of the equations and p the projection of −μ on their null space, the minimiser is
// x_p + √(r² − ‖x_p‖²) p/‖p‖, and x_p if p = 0.
bool best_on_face(const Eigen::MatrixXd& Q_active, const Eigen::VectorXd& c_active, double r,
                  const Eigen::VectorXd& mu, Eigen::VectorXd& x) {
  const Eigen::Index d = mu.size();
  const Eigen::Index active = Q_active.rows();
  Eigen::VectorXd p = -mu;
  x = Eigen::VectorXd::Zero(d);
  if (active > 0) {
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(Q_active.transpose());
    if (qr.rank() < active) {
      return false;  // A smaller set of rows says the same, or they contradict each other.
    }
    const Eigen::MatrixXd basis =
        qr.householderQ() * Eigen::MatrixXd::Identity(d, active);  // of the rows' span
    Eigen::VectorXd y = qr.colsPermutation().transpose() * c_active;
    qr.matrixR()
        .topLeftCorner(active, active)
        .triangularView<Eigen::Upper>()
        .transpose()
        .solveInPlace(y);
    x = basis * y;
    p -= basis * (basis.transpose() * p);
    p -= basis * (basis.transpose() * p);  // Once more: p may be tiny beside μ.
  }
  const double rest_sq = r * r - x.squaredNorm();
  if (!(rest_sq >= -kRowTolerance * r * r)) {
    return false;
  }
  if (p.norm() > kRowTolerance * mu.norm()) {
    x += std::sqrt(std::max(rest_sq, 0.0)) * p.normalized();
  }
  return true;
}

// The optimum is the minimiser on the face of some linearly independent set of its active
// constraints (Carathéodory on the KKT conditions; the shortest optimum if μ is a
// combination of the rows alone), so the best feasible one of all faces is optimal.
Eigen::VectorXd best_in_ball(const geometry::Ball& ball, const Rows& rows,
                             const Eigen::VectorXd& mu) {
  const Eigen::Index m = rows.Q.rows();
  if (m > kMaxBallConstraints) {
    throw Error(ErrorCode::InvalidArgument, "constraints",
                fmt::format("must be at most {} for the best safe action of a ball, got {}",
                            kMaxBallConstraints, m));
  }
  Eigen::VectorXd best;
  double best_loss = std::numeric_limits<double>::infinity();
  Eigen::VectorXd x;
  for (std::uint32_t subset = 0; subset < (1U << static_cast<std::uint32_t>(m)); ++subset) {
    const auto active = static_cast<Eigen::Index>(std::popcount(subset));
    if (active > ball.dim()) {
      continue;
    }
    Eigen::MatrixXd Q_active(active, ball.dim());
    Eigen::VectorXd c_active(active);
    for (Eigen::Index k = 0, row = 0; k < m; ++k) {
      if (((subset >> static_cast<std::uint32_t>(k)) & 1U) != 0U) {
        Q_active.row(row) = rows.Q.row(k);
        c_active(row) = rows.c(k);
        ++row;
      }
    }
    if (!best_on_face(Q_active, c_active, ball.radius(), mu, x)) {
      continue;
    }
    bool is_feasible = true;
    for (Eigen::Index k = 0; k < m; ++k) {
      const double tolerance = kRowTolerance * row_scale(rows, k, ball.radius());
      is_feasible = is_feasible && rows.Q.row(k).dot(x) <= rows.c(k) + tolerance;
    }
    if (is_feasible && mu.dot(x) < best_loss) {
      best = x;
      best_loss = mu.dot(x);
    }
  }
  FOOTHOLD_INVARIANT(best.size() == ball.dim());
  return best;
}

// For arms the gap is what it is; on convex sets an active constraint makes it 0.
double safety_gap(const Rows& rows, const Eigen::VectorXd& x, bool is_continuous) {
  double gap = std::numeric_limits<double>::infinity();
  for (Eigen::Index k = 0; k < rows.Q.rows(); ++k) {
    const double slack = rows.c(k) - rows.Q.row(k).dot(x);
    const double tolerance = is_continuous ? kRowTolerance * row_scale(rows, k, x.norm()) : 0.0;
    gap = std::min(gap, slack <= tolerance ? 0.0 : slack);
  }
  return gap;
}

}  // namespace

BestSafeAction best_safe_action(const safety::Problem& problem, const Eigen::VectorXd& parameter) {
  check::size_is(parameter.size(), problem.dim(), "parameter");
  check::all_finite(parameter, "parameter");
  const Rows rows = constraint_rows(problem, parameter);
  const bool is_continuous = geometry::is_continuous(problem.decision_set);
  if (is_continuous) {
    require_safe_centre(problem, rows);
  }

  BestSafeAction best;
  best.action = std::visit(
      Overloaded{[&](const geometry::Box& box) {
                   return best_in_box(box, rows, parameter, problem.centre());
                 },
                 [&](const geometry::Ball& ball) { return best_in_ball(ball, rows, parameter); },
                 [&](const geometry::Polytope& polytope) {
                   return best_in_polyhedron(polytope.normals(), polytope.offsets(), rows,
                                             parameter, problem.centre());
                 },
                 [&](const geometry::Arms& arms) { return best_arm(arms, parameter, rows); },
                 [](const geometry::ContextualArms& /*arms*/) -> Eigen::VectorXd {
                   throw Error(ErrorCode::InvalidArgument, "decision_set",
                               "must not be contextual: there is no one best action");
                 }},
      problem.decision_set);
  best.loss = parameter.dot(best.action);
  best.safety_gap = safety_gap(rows, best.action, is_continuous);
  return best;
}

}  // namespace foothold::simulation
