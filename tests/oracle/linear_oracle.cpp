#include "linear_oracle.hpp"

#include <limits>
#include <vector>

#include <ClpSimplex.hpp>

namespace foothold::oracle {

// In y = u / width and with rows of norm 1, so that Clp's absolute tolerances mean something.
double value_by_clp(const cone::ConeProgram& program, const Eigen::VectorXd& v) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  constexpr double kTolerance = 1e-10;
  if (!program.cones.empty()) {
    return kNone;
  }
  const auto rows = static_cast<int>(program.G.rows());
  const auto cols = static_cast<int>(program.G.cols());
  const Eigen::VectorXd width = program.upper.cwiseMax(-program.lower);
  Eigen::MatrixXd G = program.G * width.asDiagonal();
  const Eigen::VectorXd norms =
      G.rowwise().norm().unaryExpr([](double norm) { return norm > 0.0 ? norm : 1.0; });
  G = norms.cwiseInverse().asDiagonal() * G;
  const Eigen::VectorXd h = program.h.cwiseQuotient(norms);
  Eigen::VectorXd objective = v.cwiseProduct(width);
  const double scale = objective.norm();
  objective /= scale;
  std::vector<CoinBigIndex> starts;
  std::vector<int> indices;
  for (int j = 0; j <= cols; ++j) {
    starts.push_back(j * rows);
  }
  for (int j = 0; j < cols * rows; ++j) {
    indices.push_back(j % rows);
  }
  const std::vector<double> free_lower(static_cast<std::size_t>(cols), -COIN_DBL_MAX);
  const std::vector<double> free_upper(static_cast<std::size_t>(cols), COIN_DBL_MAX);
  const std::vector<double> row_lower(static_cast<std::size_t>(rows), -COIN_DBL_MAX);
  ClpSimplex model;
  model.setLogLevel(0);
  model.setPrimalTolerance(kTolerance);
  model.setDualTolerance(kTolerance);
  model.loadProblem(cols, rows, starts.data(), indices.data(), G.data(), free_lower.data(),
                    free_upper.data(), objective.data(), row_lower.data(), h.data());
  model.primal();
  return model.status() == 0 ? scale * model.objectiveValue() : kNone;
}

}  // namespace foothold::oracle
