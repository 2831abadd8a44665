#include "foothold/cone/active_set/face_minimum.hpp"

#include <cmath>
#include <numbers>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "random_program.hpp"

namespace foothold::cone {
namespace {

using testing::log_uniform;
using testing::normal_matrix;
using testing::normal_vector;

// A face of a random problem: u = (t, s) with s fixed, so that Q', g and r0 come from one form.
struct Face {
  Eigen::MatrixXd M;  // ‖u‖_Q = ‖M u‖
  Eigen::VectorXd fixed;
  Eigen::VectorXd a;
  Eigen::VectorXd v;
  double rho = 1.0;
  double c0 = 0.0;

  [[nodiscard]] Eigen::Index free() const { return v.size(); }
  [[nodiscard]] Eigen::VectorXd image(const Eigen::VectorXd& t) const {
    Eigen::VectorXd u(M.cols());
    u << t, fixed;
    return M * u;
  }
  // ≤ 0 where t is feasible.
  [[nodiscard]] double excess(const Eigen::VectorXd& t) const {
    return a.dot(t) + rho * image(t).norm() - c0;
  }
};

// `inside` is feasible with some room. rho_factor > 1: the set is bounded; < 1: it is not.
Face random_face(RandomStream& random, Eigen::Index n, Eigen::Index fixed, double rho_factor,
                 const Eigen::VectorXd& inside) {
  Face face{.M = normal_matrix(random, n + fixed + 1, n + fixed),
            .fixed = normal_vector(random, fixed),
            .a = normal_vector(random, n),
            .v = normal_vector(random, n)};
  const Eigen::MatrixXd Q = face.M.leftCols(n).transpose() * face.M.leftCols(n);
  face.rho = rho_factor * std::sqrt(face.a.dot(Q.llt().solve(face.a)));
  face.c0 = face.excess(inside) + log_uniform(random, -1.0, 1.0);
  return face;
}

FaceStatus solve(const Face& face, FaceMinimum& minimum) {
  const Eigen::Index n = face.free();
  const Eigen::VectorXd from_fixed = face.image(Eigen::VectorXd::Zero(n));
  minimum.Q.topLeftCorner(n, n) = face.M.leftCols(n).transpose() * face.M.leftCols(n);
  minimum.a.head(n) = face.a;
  minimum.v.head(n) = face.v;
  minimum.g.head(n) = face.M.leftCols(n).transpose() * from_fixed;
  minimum.r0 = from_fixed.squaredNorm();
  minimum.c0 = face.c0;
  minimum.rho = face.rho;
  return minimum.solve(n);
}

// Convex problem: t is optimal iff it is feasible and, with some τ ≥ 0 that is 0 unless the
// constraint holds with equality, v + τ(a + ρ Mᵀ Mu/‖Mu‖) = 0.
void expect_optimality(const Face& face, const FaceMinimum& minimum) {
  const Eigen::Index n = face.free();
  const Eigen::VectorXd t = minimum.t.head(n);
  const Eigen::VectorXd image = face.image(t);
  const double size = std::abs(face.c0) + face.a.norm() * t.norm() + face.rho * image.norm();
  EXPECT_NEAR(face.excess(t), 0.0, 1e-11 * size);
  EXPECT_GT(minimum.tau, 0.0);
  EXPECT_NEAR(minimum.norm, image.norm(), 1e-9 * (image.norm() + face.M.norm() * t.norm()));
  const Eigen::VectorXd gradient =
      face.a + face.rho * (face.M.leftCols(n).transpose() * image.normalized());
  EXPECT_LE((face.v + minimum.tau * gradient).norm(), 1e-9 * face.v.norm());
}

// Bisection for the border of the feasible set from a feasible point along a direction.
double distance_to_border(const Face& face, const Eigen::VectorXd& inside,
                          const Eigen::VectorXd& direction) {
  double low = 0.0;
  double high = 1.0;
  while (face.excess(inside + high * direction) <= 0.0) {
    high *= 2.0;
  }
  for (int step = 0; step < 100; ++step) {
    const double middle = 0.5 * (low + high);
    (face.excess(inside + middle * direction) <= 0.0 ? low : high) = middle;
  }
  return low;
}

TEST(FaceMinimum, IsTheClosedFormWithoutFixedCoordinates) {
  // Without a fixed part: τ is the positive root of (‖a‖² − ρ²)τ² − 2(wᵀQ⁻¹a)τ + ‖w‖² = 0 in the
  // norm of Q⁻¹, w = −v, the value −cτ, and x = c y/(aᵀy + ρ‖y‖_Q) with y = Q⁻¹(w − τa).
  RandomStream random(/*seed=*/1, /*stream=*/0);
  FaceMinimum minimum(8);
  for (const Eigen::Index n : {1, 2, 3, 8}) {
    const Face face = random_face(random, n, 0, /*rho_factor=*/1.7, Eigen::VectorXd::Zero(n));
    ASSERT_EQ(solve(face, minimum), FaceStatus::Optimal);
    const Eigen::MatrixXd Q = face.M.transpose() * face.M;
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(Q);
    const Eigen::VectorXd w = -face.v;
    const double quadratic = face.a.dot(lu.solve(face.a)) - face.rho * face.rho;
    const double linear = w.dot(lu.solve(face.a));
    const double constant = w.dot(lu.solve(w));
    const double root = std::sqrt(linear * linear - quadratic * constant);
    const double tau = (linear - root) / quadratic;
    EXPECT_NEAR(minimum.tau, tau, 1e-11 * tau);
    EXPECT_NEAR(face.v.dot(minimum.t.head(n)), -face.c0 * tau, 1e-10 * face.c0 * tau);
    const Eigen::VectorXd y = lu.solve(w - tau * face.a);
    const Eigen::VectorXd x = face.c0 / (face.a.dot(y) + face.rho * (face.M * y).norm()) * y;
    EXPECT_LE((minimum.t.head(n) - x).norm(), 1e-9 * x.norm());
  }
}

TEST(FaceMinimum, IsTheLowerEndOfTheIntervalInOneDimension) {
  RandomStream random(/*seed=*/2, /*stream=*/0);
  FaceMinimum minimum(1);
  for (int problem = 0; problem < 200; ++problem) {
    SCOPED_TRACE(problem);
    const Eigen::VectorXd inside = normal_vector(random, 1);
    const Face face = random_face(random, 1, problem % 3, /*rho_factor=*/1.1, inside);
    ASSERT_EQ(solve(face, minimum), FaceStatus::Optimal);
    const Eigen::VectorXd downhill = -face.v.normalized();
    const double distance = distance_to_border(face, inside, downhill);
    const double expected = face.v.dot(inside + distance * downhill);
    EXPECT_NEAR(face.v(0) * minimum.t(0), expected, 1e-9 * (std::abs(expected) + 1.0));
  }
}

TEST(FaceMinimum, IsTheLowestPointOfTheBorderInTwoDimensions) {
  RandomStream random(/*seed=*/3, /*stream=*/0);
  FaceMinimum minimum(2);
  for (int problem = 0; problem < 25; ++problem) {
    SCOPED_TRACE(problem);
    const Eigen::VectorXd inside = normal_vector(random, 2);
    const Face face = random_face(random, 2, problem % 3, /*rho_factor=*/1.5, inside);
    ASSERT_EQ(solve(face, minimum), FaceStatus::Optimal);
    const auto value_at = [&](double angle) {
      const Eigen::Vector2d direction(std::cos(angle), std::sin(angle));
      const Eigen::VectorXd point =
          inside + distance_to_border(face, inside, direction) * direction;
      return face.v.dot(point);
    };
    constexpr int kAngles = 400;
    constexpr double kStep = 2.0 * std::numbers::pi / kAngles;
    int best = 0;
    for (int i = 1; i < kAngles; ++i) {
      best = value_at(i * kStep) < value_at(best * kStep) ? i : best;
    }
    // Ternary search: seen from inside, the value along the border of a convex set has one minimum.
    double low = (best - 1) * kStep;
    double high = (best + 1) * kStep;
    for (int step = 0; step < 60; ++step) {
      const double left = low + (high - low) / 3.0;
      const double right = high - (high - low) / 3.0;
      (value_at(left) < value_at(right) ? high : low) =
          value_at(left) < value_at(right) ? right : left;
    }
    const double expected = value_at(0.5 * (low + high));
    EXPECT_NEAR(face.v.dot(minimum.t.head(2)), expected, 1e-8 * (std::abs(expected) + 1.0));
  }
}

TEST(FaceMinimum, SatisfiesTheOptimalityConditionsWhereverItSaysOptimal) {
  RandomStream random(/*seed=*/4, /*stream=*/0);
  FaceMinimum minimum(12);
  int optimal = 0;
  int unbounded_sets = 0;
  for (int problem = 0; problem < 400; ++problem) {
    SCOPED_TRACE(problem);
    const Eigen::Index n = 1 + problem % 12;
    // Below 1 the set is unbounded, as it soon is in practice, and the objective decides.
    const double rho_factor = log_uniform(random, -0.5, 0.5);
    const Eigen::VectorXd inside = normal_vector(random, n);
    const Face face = random_face(random, n, problem % 4, rho_factor, inside);
    const FaceStatus status = solve(face, minimum);
    EXPECT_NE(status, FaceStatus::Infeasible);
    if (status == FaceStatus::Optimal) {
      ++optimal;
      unbounded_sets += rho_factor < 1.0 ? 1 : 0;
      expect_optimality(face, minimum);
      EXPECT_LE(face.v.dot(minimum.t.head(n)), face.v.dot(inside));
    } else {
      EXPECT_LT(rho_factor, 1.0) << "a bounded set has a minimum";
    }
  }
  EXPECT_GE(optimal, 200);
  EXPECT_GE(unbounded_sets, 10);
}

TEST(FaceMinimum, SaysInfeasibleIfNoPointSatisfiesTheConstraint) {
  // min over t of √(t² + 1) is 1: a limit below it leaves nothing, one above it something.
  FaceMinimum minimum(1);
  Face face{.M = Eigen::MatrixXd::Identity(2, 2),
            .fixed = Eigen::VectorXd::Ones(1),
            .a = Eigen::VectorXd::Zero(1),
            .v = Eigen::VectorXd::Ones(1)};
  face.c0 = 0.99;
  EXPECT_EQ(solve(face, minimum), FaceStatus::Infeasible);
  face.c0 = -1.5;
  EXPECT_EQ(solve(face, minimum), FaceStatus::Infeasible);
  face.c0 = 1.25;  // then |t| ≤ √(1.25² − 1) = 0.75
  ASSERT_EQ(solve(face, minimum), FaceStatus::Optimal);
  EXPECT_NEAR(minimum.t(0), -0.75, 1e-15);
}

TEST(FaceMinimum, SaysUnboundedIfTheObjectiveFallsAlongTheSet) {
  // −2t + |t| ≤ 1 holds for all t ≥ −1/3.
  FaceMinimum minimum(1);
  Face face{.M = Eigen::MatrixXd::Identity(1, 1),
            .fixed = Eigen::VectorXd(0),
            .a = Eigen::VectorXd::Constant(1, -2.0),
            .v = Eigen::VectorXd::Constant(1, -1.0),
            .c0 = 1.0};
  EXPECT_EQ(solve(face, minimum), FaceStatus::Unbounded);
  face.v(0) = 1.0;
  ASSERT_EQ(solve(face, minimum), FaceStatus::Optimal);
  EXPECT_NEAR(minimum.t(0), -1.0 / 3.0, 1e-15);
}

TEST(FaceMinimum, SaysSingularIfADirectionCostsNothing) {
  FaceMinimum minimum(2);
  Face face{.M = Eigen::MatrixXd{{1.0, 2.0}, {2.0, 4.0}},
            .fixed = Eigen::VectorXd(0),
            .a = Eigen::VectorXd::Zero(2),
            .v = Eigen::VectorXd::Ones(2),
            .c0 = 1.0};
  EXPECT_EQ(solve(face, minimum), FaceStatus::Singular);
  face.M.setZero();
  EXPECT_EQ(solve(face, minimum), FaceStatus::Singular);
}

}  // namespace
}  // namespace foothold::cone
