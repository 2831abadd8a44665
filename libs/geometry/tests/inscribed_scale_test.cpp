#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "foothold/geometry/decision_set.hpp"
#include "foothold/geometry/sampling.hpp"

#include "random_lp.hpp"

namespace foothold::geometry {
namespace {

// The closed form min_i (h_i − g_iᵀc)/‖Eᵀg_i‖ in extended precision.
long double scale_by_rows(const Eigen::MatrixXd& G, const Eigen::VectorXd& h,
                          const Eigen::VectorXd& centre, const Eigen::MatrixXd& E) {
  long double scale = std::numeric_limits<long double>::infinity();
  for (Eigen::Index i = 0; i < G.rows(); ++i) {
    const auto g = G.row(i).cast<long double>();
    const long double reach = (g * E.cast<long double>()).norm();
    const long double slack = static_cast<long double>(h(i)) - g.dot(centre.cast<long double>());
    scale = std::min(scale, slack / reach);
  }
  return scale;
}

// Not above the exact value, and within 1e-12 of it.
void expect_rounded_down(double scale, long double exact) {
  EXPECT_LE(static_cast<long double>(scale), exact);
  EXPECT_GE(static_cast<long double>(scale), exact * (1.0L - 1e-12L));
}

TEST(InscribedScale, OfAPolytopeAgreesWithItsClosedFormFromBelow) {
  RandomStream random(/*seed=*/40, /*stream=*/0);
  for (int i = 0; i < 100; ++i) {
    const auto d = static_cast<Eigen::Index>(1 + random.index(8));
    testing::LinearProgram lp = testing::bounded(random, d, 2 * d);
    testing::scale_rows_badly(random, lp);
    const auto k = static_cast<Eigen::Index>(1 + random.index(10));
    const Eigen::MatrixXd E = testing::normal_matrix(random, d, k);
    const DecisionSet set = Polytope(lp.G, lp.h);
    expect_rounded_down(inscribed_scale(set, lp.start, E), scale_by_rows(lp.G, lp.h, lp.start, E));
  }
}

TEST(InscribedScale, OfABoxAgreesWithItsRowsAsAPolytope) {
  RandomStream random(/*seed=*/41, /*stream=*/0);
  for (int i = 0; i < 100; ++i) {
    const auto d = static_cast<Eigen::Index>(1 + random.index(8));
    const Eigen::VectorXd centre = testing::normal_vector(random, d);
    Eigen::VectorXd lower = centre;
    Eigen::VectorXd upper = centre;
    for (Eigen::Index j = 0; j < d; ++j) {
      lower(j) -= 0.01 + random.uniform();
      upper(j) += 0.01 + random.uniform();
    }
    const Eigen::MatrixXd E = testing::normal_matrix(random, d, d);
    Eigen::MatrixXd G(2 * d, d);
    G << Eigen::MatrixXd::Identity(d, d), -Eigen::MatrixXd::Identity(d, d);
    Eigen::VectorXd h(2 * d);
    h << upper, -lower;
    expect_rounded_down(inscribed_scale(Box(lower, upper), centre, E),
                        scale_by_rows(G, h, centre, E));
  }
}

TEST(InscribedScale, OfABallAboutTheOriginIsItsRadiusOverTheSpectralNorm) {
  RandomStream random(/*seed=*/42, /*stream=*/0);
  for (int i = 0; i < 100; ++i) {
    // E = s·QD with Q orthogonal and D diagonal, its largest entry 1, has spectral norm s.
    const auto d = static_cast<Eigen::Index>(1 + random.index(8));
    const Eigen::MatrixXd Q = testing::normal_matrix(random, d, d).householderQr().householderQ();
    Eigen::VectorXd diagonal = Eigen::VectorXd::NullaryExpr(d, [&] { return random.uniform(); });
    diagonal(0) = 1.0;
    const double s = std::exp(random.normal());
    const Eigen::MatrixXd E = s * Q * diagonal.asDiagonal();
    const double radius = 0.5 + random.uniform();
    EXPECT_NEAR(inscribed_scale(Ball(d, radius), Eigen::VectorXd::Zero(d), E) * s, radius,
                1e-12 * radius);
  }
}

TEST(InscribedScale, OfABallIsRoundedDown) {
  // ‖E‖₂ = 3·0.1 exactly in extended precision, for one column.
  const Eigen::Vector2d E(0.1, 0.2);
  const long double norm = E.cast<long double>().norm();
  expect_rounded_down(inscribed_scale(Ball(2, 0.7), Eigen::Vector2d::Zero(), E),
                      static_cast<long double>(0.7) / norm);
}

TEST(InscribedScale, ScaledEllipsoidsLieInsideAndTouchTheBorder) {
  RandomStream random(/*seed=*/43, /*stream=*/0);
  const testing::LinearProgram lp = testing::bounded(random, 3, 6);
  const Eigen::MatrixXd E = testing::normal_matrix(random, 3, 3);
  const double scale = inscribed_scale(Polytope(lp.G, lp.h), lp.start, E);
  Eigen::VectorXd w(3);
  double least_slack = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 20'000; ++i) {
    sample_sphere(random, w);
    const Eigen::VectorXd x = lp.start + scale * (E * w);
    least_slack = std::min(least_slack, (lp.h - lp.G * x).minCoeff());
  }
  EXPECT_GE(least_slack, -1e-13);
  // A share of 2e4 directions comes within an angle of 0.05 of the touching one, where the
  // ellipsoid has left the border by less than 0.05² of its reach.
  EXPECT_LE(least_slack, 0.05);
}

TEST(InscribedScale, EllipsoidsInABallAwayFromTheOriginLieInside) {
  RandomStream random(/*seed=*/44, /*stream=*/0);
  const Ball ball(3, 2.0);
  const Eigen::Vector3d centre(0.3, -1.0, 0.5);
  const Eigen::MatrixXd E = testing::normal_matrix(random, 3, 2);
  const double scale = inscribed_scale(ball, centre, E);
  EXPECT_GT(scale, 0.0);
  Eigen::VectorXd w(2);
  for (int i = 0; i < 5000; ++i) {
    sample_sphere(random, w);
    ASSERT_LE((centre + scale * (E * w)).norm(), 2.0 * (1.0 + 1e-15));
  }
}

TEST(InscribedScale, RowsThatTheEllipsoidDoesNotMoveAlongDoNotCount) {
  // E spans the first axis only.
  EXPECT_NEAR(inscribed_scale(Box::symmetric(2, 3.0), Eigen::Vector2d(1.0, 2.5),
                              Eigen::MatrixXd(Eigen::Vector2d(2.0, 0.0))),
              1.0, 1e-14);
}

TEST(InscribedScale, IsZeroForACentreOnOrOutsideTheBorder) {
  const Eigen::Matrix2d E = Eigen::Matrix2d::Identity();
  EXPECT_EQ(inscribed_scale(Box::symmetric(2, 1.0), Eigen::Vector2d(1.0, 0.0), E), 0.0);
  EXPECT_EQ(inscribed_scale(Box::symmetric(2, 1.0), Eigen::Vector2d(0.0, 7.0), E), 0.0);
  EXPECT_EQ(inscribed_scale(Ball(2, 1.0), Eigen::Vector2d(1.0, 0.0), E), 0.0);
}

}  // namespace
}  // namespace foothold::geometry
