#pragma once

#include <cmath>
#include <string>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "foothold/base/random_stream.hpp"
#include "foothold/cone/cone_program.hpp"

namespace foothold::testing {

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

// 10^e with e uniform between the two exponents.
inline double log_uniform(RandomStream& random, double low, double high) {
  return std::pow(10.0, low + (high - low) * random.uniform());
}

enum class Shape { Box, Polytope, Ball, OffsetBall, Rows };

struct ProgramKind {
  std::string name{};
  Shape shape = Shape::Box;
  int cones = 1;
};

inline cone::ConeProgram box_program(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper) {
  cone::ConeProgram program{.lower = lower, .upper = upper, .box_is_constraint = true};
  program.G.resize(0, lower.size());
  program.h.resize(0);
  return program;
}

// { ‖u + e‖ ≤ r } as the last cone, with the box around it.
inline cone::ConeProgram ball_program(const Eigen::VectorXd& e, double radius) {
  const Eigen::Index d = e.size();
  cone::ConeProgram program = box_program((-e).array() - radius, (-e).array() + radius);
  program.box_is_constraint = false;
  program.cones.push_back(cone::Cone{.a = Eigen::VectorXd::Zero(d),
                                     .M = Eigen::MatrixXd::Identity(d, d),
                                     .e = e,
                                     .rho = 1.0,
                                     .c = radius,
                                     .is_centred = e.isZero(0.0)});
  return program;
}

// Appends rows gᵀu ≤ h: the sides of the box, `extra` random ones, and each of those twice.
inline void add_rows(RandomStream& random, Eigen::Index extra, cone::ConeProgram& program) {
  const Eigen::Index d = program.dim();
  program.box_is_constraint = false;
  program.G.setZero(2 * d + 2 * extra, d);
  program.G.topRows(d).setIdentity();
  program.G.middleRows(d, d) = -Eigen::MatrixXd::Identity(d, d);
  program.h.resize(2 * d + 2 * extra);
  program.h.head(d) = program.upper;
  program.h.segment(d, d) = -program.lower;
  for (Eigen::Index i = 2 * d; i < 2 * d + extra; ++i) {
    program.G.row(i) = normal_vector(random, d).normalized().transpose();
    program.h(i) = 0.4 + random.uniform();
    program.G.row(i + extra) = 2.0 * program.G.row(i);
    program.h(i + extra) = 2.0 * program.h(i);
  }
}

// A caution cone of a random state: a = Bᵀμ̂, M = F⁻¹B, ρ = β, and a limit that mostly binds.
inline cone::Cone caution_cone(RandomStream& random, const cone::ConeProgram& program,
                               const Eigen::VectorXd& v) {
  const Eigen::Index d = program.dim();
  const Eigen::MatrixXd B = normal_matrix(random, d, d);
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(d, d);
  for (Eigen::Index i = 0; i < 2 * d; ++i) {
    const Eigen::VectorXd x = normal_vector(random, d);
    A += log_uniform(random, 0.0, 2.0) * x * x.transpose();
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(A);
  const Eigen::VectorXd mu_hat = 0.3 * normal_vector(random, d);
  cone::Cone cone{.a = B.transpose() * mu_hat,
                  .M = factor.matrixL().solve(B),
                  .e = Eigen::VectorXd::Zero(d),
                  .rho = log_uniform(random, -0.5, 1.0)};
  const Eigen::VectorXd corner = (v.array() > 0.0).select(program.lower, program.upper);
  cone.c = log_uniform(random, -1.5, 0.1) *
           std::max(cone.value(corner), cone.rho * (cone.M * corner).norm() / 3.0);
  return cone;
}

// u = 0 is strictly feasible in all of them. `v` sets what the limits are measured by.
inline cone::ConeProgram random_program(RandomStream& random, const ProgramKind& kind,
                                        const Eigen::VectorXd& v) {
  const Eigen::Index d = v.size();
  Eigen::VectorXd lower(d);
  Eigen::VectorXd upper(d);
  for (Eigen::Index i = 0; i < d; ++i) {
    lower(i) = -0.2 - random.uniform();
    upper(i) = 0.2 + random.uniform();
  }
  cone::ConeProgram program = box_program(lower, upper);
  if (kind.shape == Shape::Polytope || kind.shape == Shape::Rows) {
    add_rows(random, d, program);
  } else if (kind.shape != Shape::Box) {
    const Eigen::VectorXd direction = normal_vector(random, d).normalized();
    program = ball_program(kind.shape == Shape::Ball ? Eigen::VectorXd(Eigen::VectorXd::Zero(d))
                                                     : Eigen::VectorXd(0.6 * direction),
                           /*radius=*/1.0);
  }
  for (int k = 0; k < kind.cones; ++k) {
    program.cones.insert(program.cones.begin(), caution_cone(random, program, v));
  }
  return program;
}

// Gap of a solution relative to what is promised: max(|value|, 1e-3 Σ|v_i| width_i).
inline double gap_scale(const cone::ConeProgram& program, const Eigen::VectorXd& v, double value) {
  const Eigen::VectorXd width = program.upper.cwiseMax(-program.lower);
  return std::max(std::abs(value), 1e-3 * v.cwiseAbs().dot(width));
}

}  // namespace foothold::testing
