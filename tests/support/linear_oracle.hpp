#pragma once

#include <vector>

#include <ClpSimplex.hpp>
#include <Eigen/Core>
#include <gtest/gtest.h>

namespace foothold::testing {

// Independent oracle: min { vᵀu : Gu ≤ h } by the simplex method of Clp on rows of norm 1.
inline double value_by_clp(const Eigen::MatrixXd& G, const Eigen::VectorXd& h,
                           const Eigen::VectorXd& v) {
  const auto rows = static_cast<int>(G.rows());
  const auto cols = static_cast<int>(G.cols());
  const Eigen::VectorXd norms = G.rowwise().norm();
  const Eigen::MatrixXd scaled = norms.cwiseInverse().asDiagonal() * G;
  const Eigen::VectorXd offsets = h.cwiseQuotient(norms);
  std::vector<CoinBigIndex> starts;
  std::vector<int> indices;
  for (int j = 0; j <= cols; ++j) {
    starts.push_back(j * rows);
  }
  for (int j = 0; j < rows * cols; ++j) {
    indices.push_back(j % rows);
  }
  const std::vector<double> lower(static_cast<std::size_t>(cols), -COIN_DBL_MAX);
  const std::vector<double> upper(static_cast<std::size_t>(cols), COIN_DBL_MAX);
  const std::vector<double> row_lower(static_cast<std::size_t>(rows), -COIN_DBL_MAX);
  ClpSimplex model;
  model.setLogLevel(0);
  model.setPrimalTolerance(1e-10);
  model.setDualTolerance(1e-10);
  model.loadProblem(cols, rows, starts.data(), indices.data(), scaled.data(), lower.data(),
                    upper.data(), v.data(), row_lower.data(), offsets.data());
  model.primal();
  EXPECT_EQ(model.status(), 0);
  return model.objectiveValue();
}

}  // namespace foothold::testing
