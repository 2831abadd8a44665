#include "foothold/geometry/polytope.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "foothold/base/infinity.hpp"
#include "foothold/geometry/decision_set.hpp"

#include "expect_error.hpp"
#include "random_lp.hpp"

namespace foothold::geometry {
namespace {

using testing::expect_invalid;
using testing::LinearProgram;

Eigen::MatrixXd rows(std::initializer_list<std::initializer_list<double>> entries) {
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(entries.size()),
                         static_cast<Eigen::Index>(entries.begin()->size()));
  Eigen::Index i = 0;
  for (const auto& row : entries) {
    Eigen::Index j = 0;
    for (const double entry : row) {
      matrix(i, j++) = entry;
    }
    ++i;
  }
  return matrix;
}

// Oracle: every vertex is the meeting point of d rows that satisfies all others.
std::vector<Eigen::VectorXd> vertices(const Eigen::MatrixXd& G, const Eigen::VectorXd& h) {
  const Eigen::Index d = G.cols();
  std::vector<Eigen::VectorXd> found;
  std::vector<bool> chosen(static_cast<std::size_t>(G.rows()), false);
  std::fill(chosen.begin(), chosen.begin() + d, true);
  do {
    Eigen::MatrixXd W(d, d);
    Eigen::VectorXd b(d);
    Eigen::Index k = 0;
    for (Eigen::Index i = 0; i < G.rows(); ++i) {
      if (chosen[static_cast<std::size_t>(i)]) {
        W.row(k) = G.row(i);
        b(k++) = h(i);
      }
    }
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(W);
    if (lu.isInvertible()) {
      const Eigen::VectorXd x = lu.solve(b);
      if (((G * x - h).array() <= 1e-10).all()) {
        found.push_back(x);
      }
    }
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return found;
}

TEST(Polytope, TheBoundingBoxAndTheNormBoundAgreeWithItsVertices) {
  RandomStream random(/*seed=*/50, /*stream=*/0);
  for (int i = 0; i < 60; ++i) {
    const auto d = static_cast<Eigen::Index>(1 + random.index(3));
    const LinearProgram lp = testing::bounded(random, d, 6);
    const Polytope polytope(lp.G, lp.h);
    Eigen::VectorXd lower = Eigen::VectorXd::Constant(d, 1e300);
    Eigen::VectorXd upper = -lower;
    double largest_norm = 0.0;
    for (const Eigen::VectorXd& vertex : vertices(lp.G, lp.h)) {
      lower = lower.cwiseMin(vertex);
      upper = upper.cwiseMax(vertex);
      largest_norm = std::max(largest_norm, vertex.norm());
    }
    // The vertices themselves carry rounding; that the box contains them exactly is for the
    // sets whose vertices are known below.
    EXPECT_LE((polytope.lower() - lower).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LE((polytope.upper() - upper).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_GE(norm_bound(polytope).value(), largest_norm * (1.0 - 1e-14));
    EXPECT_LE(norm_bound(polytope).value(),
              lower.cwiseAbs().cwiseMax(upper.cwiseAbs()).norm() * (1.0 + 1e-12));
    EXPECT_TRUE(contains_in_interior(polytope, polytope.interior_point()));
  }
}

TEST(Polytope, TheBoundingBoxContainsVerticesKnownExactly) {
  // Rows through integer points, with integer normals: a random simplex with the vertices 0 and
  // kᵢ·eᵢ, in many positions. None of its bounds may fall short.
  RandomStream random(/*seed=*/51, /*stream=*/0);
  for (int i = 0; i < 200; ++i) {
    const auto d = static_cast<Eigen::Index>(1 + random.index(6));
    // Σ xᵢ/kᵢ ≤ 1 multiplied by the product of the kᵢ.
    const Eigen::VectorXd k = Eigen::VectorXd::NullaryExpr(
        d, [&] { return 1.0 + static_cast<double>(random.index(90)); });
    const Eigen::VectorXd shift = Eigen::VectorXd::NullaryExpr(
        d, [&] { return static_cast<double>(random.index(2'000'001)) - 1e6; });
    Eigen::MatrixXd G(d + 1, d);
    G << -Eigen::MatrixXd::Identity(d, d),
        (k.prod() * k.cwiseInverse()).transpose().array().round();
    Eigen::VectorXd h(d + 1);
    h << -shift, k.prod() + G.row(d).dot(shift);
    ASSERT_LT(std::abs(h(d)), 0x1p53) << "the input must be exact";
    const Polytope polytope(G, h);
    EXPECT_TRUE((polytope.lower().array() <= shift.array()).all());
    EXPECT_TRUE((polytope.upper().array() >= (shift + k).array()).all());
    const double size = shift.cwiseAbs().maxCoeff() + k.maxCoeff();
    EXPECT_LE((polytope.lower() - shift).cwiseAbs().maxCoeff(), 1e-12 * size);
    EXPECT_LE((polytope.upper() - shift - k).cwiseAbs().maxCoeff(), 1e-12 * size);
  }
}

TEST(Polytope, ABoxHasItselfAsBoundingBox) {
  const Polytope polytope(rows({{1, 0}, {-1, 0}, {0, 1}, {0, -1}}),
                          Eigen::Vector4d(5.0, -1.0, 5.0, -1.0));
  EXPECT_EQ(polytope.lower(), Eigen::Vector2d(1.0, 1.0));
  EXPECT_EQ(polytope.upper(), Eigen::Vector2d(5.0, 5.0));
  EXPECT_TRUE(polytope.interior_point().isApprox(Eigen::Vector2d(3.0, 3.0), 1e-14));
}

TEST(Polytope, TheInteriorPointOfATriangleIsItsIncentre) {
  // The triangle with legs 3 and 4 has the inradius 1.
  const Polytope polytope(rows({{-1, 0}, {0, -1}, {3, 4}}), Eigen::Vector3d(0.0, 0.0, 12.0));
  EXPECT_LE((polytope.interior_point() - Eigen::Vector2d(1.0, 1.0)).norm(), 1e-14);
}

TEST(Polytope, BadlyScaledRowsDescribeTheSameSet) {
  const Eigen::MatrixXd G = rows({{1, 1}, {-1, 1}, {1, -1}, {-1, -1}});
  const Polytope plain(G, Eigen::Vector4d::Ones());
  for (const double power : {-280.0, -120.0, 120.0, 280.0}) {
    const Eigen::Vector4d scale(std::pow(10.0, power), 1.0, 1e-7, std::pow(10.0, -power));
    const Polytope scaled(scale.asDiagonal() * G, scale);
    EXPECT_TRUE(scaled.lower().isApprox(plain.lower(), 1e-12));
    EXPECT_TRUE(scaled.upper().isApprox(plain.upper(), 1e-12));
    EXPECT_EQ(scaled.offsets(), scale) << "the rows are kept as given";
  }
}

TEST(Polytope, SetsWideInOneCoordinateAndThinInAnotherAreBounded) {
  const Polytope polytope(rows({{1e8, 1e-8}, {-1e8, 1e-8}, {1e8, -1e-8}, {-1e8, -1e-8}}),
                          Eigen::Vector4d::Ones());
  EXPECT_NEAR(polytope.upper()(0), 1e-8, 1e-20);
  EXPECT_NEAR(polytope.upper()(1), 1e8, 1e-4);
}

TEST(Polytope, ABoxTooThinForTheCentreOfItsLargestBallHasAnInterior) {
  // A ball of radius 1e-9 may sit at the far end, 1e9 away, where doubles are 1e-7 apart.
  const Polytope polytope(rows({{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1e9, 1e-9}}),
                          (Eigen::VectorXd(5) << 1e-9, 1e-9, 1e9, 1e9, 1.5).finished());
  EXPECT_TRUE(contains_in_interior(polytope, polytope.interior_point()));
  EXPECT_NEAR(polytope.upper()(1), 1e9, 1e-3);
}

TEST(Polytope, ThinSetsFarFromTheOriginHaveAnInterior) {
  // A slab of width 1e-6 along a diagonal, a million away.
  const double far = 1e6;
  const Polytope polytope(rows({{1, 1}, {-1, -1}, {1, -1}, {-1, 1}}),
                          Eigen::Vector4d(2.0 * far + 1e-6, -2.0 * far, 1.0, 1.0));
  EXPECT_TRUE(contains_in_interior(polytope, polytope.interior_point()));
  EXPECT_NEAR(polytope.upper()(0), far + 0.5 + 5e-7, 1e-8);
}

TEST(Polytope, RedundantAndDuplicateRowsAreAllowed) {
  const Polytope polytope(rows({{1}, {1}, {2}, {1}, {-1}, {-3}}),
                          (Eigen::VectorXd(6) << 1.0, 1.0, 2.0, 9.0, 1.0, 3.0).finished());
  EXPECT_EQ(polytope.lower()(0), -1.0);
  EXPECT_EQ(polytope.upper()(0), 1.0);
}

TEST(Polytope, UnboundedSetsAreRejected) {
  const auto unbounded = [](const Eigen::MatrixXd& G, const Eigen::VectorXd& h) {
    expect_invalid([&] { Polytope(G, h); }, "normals", "must bound the set");
  };
  unbounded(rows({{1}}), Eigen::VectorXd::Ones(1));
  unbounded(rows({{1, 0}, {-1, 0}}), Eigen::Vector2d::Ones());          // a strip
  unbounded(rows({{-1, 0}, {0, -1}}), Eigen::Vector2d::Zero());         // a quadrant
  unbounded(rows({{1, 2}, {1, -2}}), Eigen::Vector2d(3.0, -1.0));       // a cone
  unbounded(rows({{1, 0}, {-1, 0}, {0, 1}}), Eigen::Vector3d::Ones());  // half a strip
  unbounded(rows({{1, 1e-3}, {-1, 1e-3}}), Eigen::Vector2d(1.0, 1.0));  // a wide wedge
  unbounded(rows({{1e200, 0}, {-1e-200, 0}, {0, 1}}), Eigen::Vector3d(1e200, 1e-200, 1.0));
}

TEST(Polytope, RandomSetsWithARayAreRejected) {
  // Every normal has gᵀz ≤ 0 for one direction z, in which the set is hence unbounded.
  RandomStream random(/*seed=*/52, /*stream=*/0);
  for (int i = 0; i < 200; ++i) {
    const auto d = static_cast<Eigen::Index>(1 + random.index(8));
    LinearProgram lp = testing::random_rows(random, d, 4 * d);
    const Eigen::VectorXd z = testing::normal_vector(random, d);
    for (Eigen::Index row = 0; row < lp.G.rows(); ++row) {
      if (lp.G.row(row).dot(z) > 0.0) {
        lp.G.row(row) *= -1.0;
      }
    }
    lp.h = lp.G * lp.start + Eigen::VectorXd::Ones(lp.h.size());
    testing::scale_rows_badly(random, lp);
    expect_invalid([&] { Polytope(lp.G, lp.h); }, "normals", "must bound the set");
  }
}

TEST(Polytope, SetsWithoutAnInteriorAreRejected) {
  const auto empty = [](const Eigen::MatrixXd& G, const Eigen::VectorXd& h) {
    expect_invalid([&] { Polytope(G, h); }, "offsets", "interior");
  };
  const Eigen::MatrixXd box = rows({{1, 0}, {-1, 0}, {0, 1}, {0, -1}});
  empty(box, Eigen::Vector4d(1.0, -2.0, 1.0, 1.0));              // no point at all
  empty(box, Eigen::Vector4d(1.0, -1.0, 1.0, 1.0));              // a segment
  empty(1e100 * box, 1e100 * Eigen::Vector4d(0.1, -0.1, 1, 1));  // a segment, other scale
  empty(rows({{1, 1}, {-1, -1}, {1, -1}, {-1, 1}}),              // a diagonal segment
        Eigen::Vector4d(1.0, -1.0, 1.0, 1.0));
  empty(rows({{1, 2}, {-3, 1}, {2, -3}}), Eigen::Vector3d::Zero());  // a point
  empty(rows({{1, 0}, {-1, 0}}), Eigen::Vector2d(1.0, -2.0));        // no point, no bound either
}

TEST(Polytope, RandomEmptySetsAreRejected) {
  // gᵀx ≤ t and −gᵀx ≤ −t − gap contradict each other, among rows that bound a set.
  RandomStream random(/*seed=*/53, /*stream=*/0);
  for (int i = 0; i < 200; ++i) {
    const auto d = static_cast<Eigen::Index>(1 + random.index(8));
    LinearProgram lp = testing::bounded(random, d, 2 * d);
    lp.G.row(1) = -lp.G.row(0);
    lp.h(1) = -lp.h(0) - (random.uniform() < 0.5 ? 0.0 : random.uniform());
    testing::scale_rows_badly(random, lp);
    expect_invalid([&] { Polytope(lp.G, lp.h); }, "offsets", "interior");
  }
}

TEST(Polytope, MalformedRowsAreRejectedByName) {
  const Eigen::MatrixXd box = rows({{1, 0}, {-1, 0}, {0, 1}, {0, -1}});
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(4);
  expect_invalid([&] { Polytope(Eigen::MatrixXd(0, 2), Eigen::VectorXd(0)); }, "normals", "0 x 2");
  expect_invalid([&] { Polytope(Eigen::MatrixXd(4, 0), ones); }, "normals", "4 x 0");
  expect_invalid([&] { Polytope(box, Eigen::Vector3d::Ones()); }, "offsets", "size 4, got 3");
  Eigen::MatrixXd with_zero = box;
  with_zero.row(2).setZero();
  expect_invalid([&] { Polytope(with_zero, ones); }, "normals", "row 2");
  Eigen::MatrixXd with_nan = box;
  with_nan(1, 1) = kNaN;
  expect_invalid([&] { Polytope(with_nan, ones); }, "normals", "finite");
  expect_invalid([&] { Polytope(box, kNaN * ones); }, "offsets", "finite");
  expect_invalid([&] { Polytope(1e-200 * box, 1e200 * ones); }, "offsets", "range");
  Eigen::MatrixXd mixed = box;
  mixed.row(0) << 1e10, 3e-320;
  expect_invalid([&] { Polytope(mixed, ones); }, "normals", "magnitudes");
}

}  // namespace
}  // namespace foothold::geometry
