#include "foothold/geometry/norm_extent.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>
#include <gtest/gtest.h>

#include "foothold/base/random_stream.hpp"
#include "foothold/geometry/decision_set.hpp"

namespace foothold::geometry {
namespace {

// |x₁| + … + |x_d| ≤ 1: extent 1, while the corner of its bounding box has norm √d.
Polytope cross_polytope(int d) {
  Eigen::MatrixXd normals(1 << d, d);
  for (int row = 0; row < normals.rows(); ++row) {
    for (int j = 0; j < d; ++j) {
      normals(row, j) = (row >> j) % 2 == 0 ? 1.0 : -1.0;
    }
  }
  return {normals, Eigen::VectorXd::Ones(normals.rows())};
}

Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index cols, std::uint64_t seed) {
  RandomStream random(seed, 0);
  return Eigen::MatrixXd::NullaryExpr(rows, cols, [&] { return random.normal(); });
}

// A cube of half-width 1 in a frame turned about the origin: extent √d, by invariance.
Polytope turned_cube(Eigen::Index d, std::uint64_t seed) {
  const Eigen::MatrixXd Q =
      Eigen::HouseholderQR<Eigen::MatrixXd>(random_matrix(d, d, seed)).householderQ();
  Eigen::MatrixXd normals(2 * d, d);
  normals << Q, -Q;
  return {normals, Eigen::VectorXd::Ones(2 * d)};
}

TEST(NormExtent, OfACrossPolytopeIsOne) {
  for (const int d : {1, 2, 3, 5, 7}) {
    const NormExtent extent = norm_extent(cross_polytope(d), 1.0 + 1e-9);
    EXPECT_GE(extent.proved, 1.0) << d;
    EXPECT_LE(extent.proved, 1.0 + 1e-9) << d;
    EXPECT_LE(extent.found, 1.0) << d;
  }
}

TEST(NormExtent, OfATurnedCubeIsItsDiagonal) {
  for (const Eigen::Index d : {2, 3, 4, 5}) {
    const double diagonal = std::sqrt(static_cast<double>(d));
    const Polytope cube = turned_cube(d, 7);
    const NormExtent above = norm_extent(cube, diagonal * (1.0 + 1e-9));
    EXPECT_LE(above.proved, diagonal * (1.0 + 1e-9)) << d;
    EXPECT_GE(above.proved, diagonal * (1.0 - 1e-14)) << d;
    const NormExtent below = norm_extent(cube, diagonal * (1.0 - 1e-9));
    EXPECT_GT(below.found, diagonal * (1.0 - 1e-9)) << d;
    EXPECT_LE(below.found, diagonal * (1.0 + 1e-14)) << d;
  }
}

// Oracle: the vertices of a polygon, from all pairs of rows.
double extent_by_vertices(const Polytope& polygon) {
  double extent = 0.0;
  const Eigen::MatrixXd& G = polygon.normals();
  for (Eigen::Index i = 0; i < G.rows(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      Eigen::Matrix2d pair;
      pair << G.row(i), G.row(j);
      const Eigen::Vector2d x =
          pair.fullPivLu().solve(Eigen::Vector2d(polygon.offsets()(i), polygon.offsets()(j)));
      if (((G * x - polygon.offsets()).array() < 1e-9).all()) {
        extent = std::max(extent, x.norm());
      }
    }
  }
  return extent;
}

TEST(NormExtent, OfAPolygonIsThatOfItsVertices) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Eigen::MatrixXd normals(9, 2);
    normals << random_matrix(5, 2, seed), Eigen::Matrix2d::Identity(), -Eigen::Matrix2d::Identity();
    Eigen::VectorXd offsets = random_matrix(9, 1, seed + 1000).cwiseAbs();
    offsets.array() += 0.1;
    const Polytope polygon(normals, offsets);
    const double extent = extent_by_vertices(polygon);
    ASSERT_GT(extent, 0.0);
    const NormExtent above = norm_extent(polygon, extent * (1.0 + 1e-8));
    EXPECT_LE(above.proved, extent * (1.0 + 1e-8)) << seed;
    EXPECT_GE(above.proved, extent * (1.0 - 1e-12)) << seed;
    EXPECT_LE(above.found, extent * (1.0 + 1e-12)) << seed;
    EXPECT_GT(norm_extent(polygon, extent * (1.0 - 1e-8)).found, extent * (1.0 - 1e-8)) << seed;
  }
}

// Scaling by a power of two scales every number of the search exactly.
TEST(NormExtent, DoesNotDependOnTheUnit) {
  for (const double unit : {0x1p-200, 0x1p200}) {
    const Polytope far(turned_cube(3, 5).normals(), unit * Eigen::VectorXd::Ones(6));
    const double diagonal = std::sqrt(3.0) * unit;
    EXPECT_LE(norm_extent(far, diagonal * (1.0 + 1e-9)).proved, diagonal * (1.0 + 1e-9));
    EXPECT_GT(norm_extent(far, diagonal * (1.0 - 1e-9)).found, diagonal * (1.0 - 1e-9));
  }
}

// Twenty dimensions have 2²⁰ orthants: the search gives up, and says only what it has proved.
TEST(NormExtent, StopsAfterItsEffort) {
  const Polytope cube = turned_cube(20, 3);
  const double diagonal = std::sqrt(20.0);
  const NormExtent extent = norm_extent(cube, diagonal * (1.0 + 1e-9));
  EXPECT_LE(extent.programs, 20'001);
  EXPECT_LE(extent.found, diagonal * (1.0 + 1e-14));
  EXPECT_GE(extent.proved, diagonal * (1.0 - 1e-14));
  EXPECT_LE(extent.proved, *norm_bound(cube));
}

}  // namespace
}  // namespace foothold::geometry
