#pragma once

#include <vector>

#include <ClpSimplex.hpp>
#include <Eigen/Core>
#include <gtest/gtest.h>

namespace foothold::simulation::testing {

struct ClpOptimum {
  double value = 0.0;
  Eigen::VectorXd point{};
};

// Oracle: min { μᵀx : Gx ≤ h } by Clp.
inline ClpOptimum minimize_by_clp(const Eigen::MatrixXd& G, const Eigen::VectorXd& h,
                                  const Eigen::VectorXd& mu) {
  const auto cols = static_cast<int>(G.cols());
  const auto rows = static_cast<int>(G.rows());
  std::vector<CoinBigIndex> starts;
  std::vector<int> indices;
  for (int j = 0; j <= cols; ++j) {
    starts.push_back(j * rows);
    for (int i = 0; i < rows && j < cols; ++i) {
      indices.push_back(i);
    }
  }
  const std::vector<double> free_lower(static_cast<std::size_t>(cols), -COIN_DBL_MAX);
  const std::vector<double> free_upper(static_cast<std::size_t>(cols), COIN_DBL_MAX);
  const std::vector<double> row_lower(static_cast<std::size_t>(rows), -COIN_DBL_MAX);
  ClpSimplex model;
  model.setLogLevel(0);
  model.setPrimalTolerance(1e-10);
  model.setDualTolerance(1e-10);
  model.loadProblem(cols, rows, starts.data(), indices.data(), G.data(), free_lower.data(),
                    free_upper.data(), mu.data(), row_lower.data(), h.data());
  model.primal();
  EXPECT_EQ(model.status(), 0);
  return {.value = model.objectiveValue(),
          .point = Eigen::Map<const Eigen::VectorXd>(model.primalColumnSolution(), cols)};
}

}  // namespace foothold::simulation::testing
