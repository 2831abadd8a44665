#pragma once

#include <cmath>
#include <cstdint>

#include <Eigen/Core>

#include "foothold/base/random_stream.hpp"

namespace foothold::geometry::testing {

// A linear program min { vᵀx : Gx ≤ h } with a feasible start.
struct LinearProgram {
  Eigen::MatrixXd G{};
  Eigen::VectorXd h{};
  Eigen::VectorXd v{};
  Eigen::VectorXd start{};
};

inline Eigen::MatrixXd normal_matrix(RandomStream& random, Eigen::Index rows, Eigen::Index cols) {
  Eigen::MatrixXd matrix(rows, cols);
  for (Eigen::Index j = 0; j < cols; ++j) {
    for (Eigen::Index i = 0; i < rows; ++i) {
      matrix(i, j) = random.normal();
    }
  }
  return matrix;
}

inline Eigen::VectorXd normal_vector(RandomStream& random, Eigen::Index size) {
  return normal_matrix(random, size, 1);
}

// Appends the rows −width ≤ x − centre ≤ width.
inline void append_box(LinearProgram& lp, const Eigen::VectorXd& centre, double width) {
  const Eigen::Index d = centre.size();
  const Eigen::Index m = lp.G.rows();
  lp.G.conservativeResize(m + 2 * d, d);
  lp.h.conservativeResize(m + 2 * d);
  lp.G.block(m, 0, d, d) = Eigen::MatrixXd::Identity(d, d);
  lp.G.block(m + d, 0, d, d) = -Eigen::MatrixXd::Identity(d, d);
  lp.h.segment(m, d) = centre.array() + width;
  lp.h.tail(d) = width - centre.array();
}

// Random rows at random distances from a random point.
inline LinearProgram random_rows(RandomStream& random, Eigen::Index d, Eigen::Index m) {
  LinearProgram lp;
  lp.G = normal_matrix(random, m, d);
  lp.start = normal_vector(random, d);
  lp.h = lp.G * lp.start;
  for (Eigen::Index i = 0; i < m; ++i) {
    lp.h(i) += 0.05 + random.uniform();
  }
  lp.v = normal_vector(random, d);
  return lp;
}

inline LinearProgram bounded(RandomStream& random, Eigen::Index d, Eigen::Index m) {
  LinearProgram lp = random_rows(random, d, m);
  append_box(lp, lp.start, 2.0);
  return lp;
}

// Every row twice, and half of them again as looser copies.
inline LinearProgram duplicated(RandomStream& random, Eigen::Index d) {
  LinearProgram lp = bounded(random, d, d);
  const Eigen::Index m = lp.G.rows();
  lp.G = lp.G.replicate(3, 1).eval();
  lp.h = lp.h.replicate(3, 1).eval();
  lp.G.middleRows(m, m) *= 2.0;
  lp.h.segment(m, m) *= 2.0;
  lp.h.tail(m / 2).array() += 0.5;
  return lp;
}

// 4d rows through one vertex, which minimises half of the objectives, and a box around it. The
// rows are small integers and the vertex is too, so that they meet there exactly.
inline LinearProgram degenerate(RandomStream& random, Eigen::Index d) {
  LinearProgram lp;
  const auto small = [&random](double scale) { return std::round(scale * random.normal()); };
  const Eigen::VectorXd vertex = Eigen::VectorXd::NullaryExpr(d, [&] { return small(3.0); });
  lp.G = Eigen::MatrixXd::NullaryExpr(4 * d, d, [&] { return small(2.0); });
  lp.G.col(0).setConstant(-3.0);
  lp.h = lp.G * vertex;
  lp.start = vertex + Eigen::VectorXd::Unit(d, 0);
  append_box(lp, vertex, 8.0);
  lp.v = Eigen::VectorXd::Unit(d, 0);
  if (random.uniform() < 0.5) {
    lp.v = normal_vector(random, d);
  }
  return lp;
}

// { ‖x‖₁ ≤ 1 } for d ≤ 6, where 2^(d−1) rows meet in each vertex; { ‖x‖_∞ ≤ 1 } above. The
// objective is ±1 in every coordinate or in one, so that whole faces are optimal.
inline LinearProgram cross_polytope_or_cube(RandomStream& random, Eigen::Index d) {
  LinearProgram lp;
  lp.start = Eigen::VectorXd::Zero(d);
  lp.G.resize(0, d);
  if (d <= 6) {
    const Eigen::Index m = Eigen::Index{1} << d;
    lp.G.resize(m, d);
    for (Eigen::Index i = 0; i < m; ++i) {
      for (Eigen::Index j = 0; j < d; ++j) {
        lp.G(i, j) = ((i >> j) & 1) != 0 ? 1.0 : -1.0;
      }
    }
    lp.h = Eigen::VectorXd::Ones(m);
  } else {
    append_box(lp, lp.start, 1.0);
  }
  if (random.uniform() < 0.5) {
    const auto axis = random.index(static_cast<std::uint64_t>(d));
    lp.v = Eigen::VectorXd::Unit(d, static_cast<Eigen::Index>(axis));
  } else {
    lp.v = Eigen::VectorXd::NullaryExpr(d, [&] { return random.uniform() < 0.5 ? -1.0 : 1.0; });
  }
  return lp;
}

// Multiplies every row by a factor between 1e-12 and 1e12; the set stays the same.
inline void scale_rows_badly(RandomStream& random, LinearProgram& lp) {
  for (Eigen::Index i = 0; i < lp.G.rows(); ++i) {
    const double factor = std::ldexp(1.0, static_cast<int>(random.index(80)) - 40);
    lp.G.row(i) *= factor;
    lp.h(i) *= factor;
  }
}

}  // namespace foothold::geometry::testing
