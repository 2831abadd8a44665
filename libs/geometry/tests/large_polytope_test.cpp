#include <cmath>
#include <limits>
#include <vector>

#include <ClpSimplex.hpp>
#include <Eigen/Core>
#include <gtest/gtest.h>

#include "foothold/base/random_stream.hpp"
#include "foothold/geometry/decision_set.hpp"
#include "foothold/geometry/dense_lp.hpp"
#include "foothold/geometry/polytope.hpp"

namespace foothold::geometry {
namespace {

constexpr Eigen::Index kDim = 120;
constexpr Eigen::Index kRows = 1440;

// Random half-spaces that touch the unit ball: it lies inside, and the twelvefold number of rows
// bounds the set.
Eigen::MatrixXd random_normals() {
  RandomStream random(/*seed=*/1, /*stream=*/0);
  Eigen::MatrixXd normals =
      Eigen::MatrixXd::NullaryExpr(kRows, kDim, [&] { return random.normal(); });
  return normals.rowwise().normalized();
}

// Oracle: the primal simplex method of Clp, for max { ±xᵢ }, warm from one to the next.
class CoordinatesByClp {
 public:
  explicit CoordinatesByClp(const Eigen::MatrixXd& normals) {
    std::vector<CoinBigIndex> starts;
    std::vector<int> indices;
    std::vector<double> entries;
    for (int j = 0; j < kDim; ++j) {
      starts.push_back(static_cast<CoinBigIndex>(entries.size()));
      for (int i = 0; i < kRows; ++i) {
        indices.push_back(i);
        entries.push_back(normals(i, j));
      }
    }
    starts.push_back(static_cast<CoinBigIndex>(entries.size()));
    const std::vector<double> free(kRows, COIN_DBL_MAX);
    const std::vector<double> negative(kRows, -COIN_DBL_MAX);
    const std::vector<double> ones(kRows, 1.0);
    const std::vector<double> zero(kDim, 0.0);
    model_.setLogLevel(0);
    model_.loadProblem(static_cast<int>(kDim), static_cast<int>(kRows), starts.data(),
                       indices.data(), entries.data(), negative.data(), free.data(), zero.data(),
                       negative.data(), ones.data());
  }

  double upper(int coordinate, double sign) {
    model_.setObjectiveCoefficient(coordinate, -sign);
    model_.primal();
    model_.setObjectiveCoefficient(coordinate, 0.0);
    return model_.status() == 0 ? -model_.objectiveValue()
                                : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  ClpSimplex model_;
};

TEST(LargePolytope, IsValidatedAndItsBoxIsThatOfClp) {
  const Eigen::MatrixXd normals = random_normals();
  const Polytope polytope(normals, Eigen::VectorXd::Ones(kRows));
  EXPECT_TRUE(contains_in_interior(polytope, polytope.interior_point()));
  CoordinatesByClp clp(normals);
  for (const int i : {0, 59, 119}) {
    // Clp's tolerances are 1e-7 of its rows and reduced costs.
    EXPECT_NEAR(polytope.upper()(i), clp.upper(i, 1.0), 1e-5) << i;
    EXPECT_NEAR(-polytope.lower()(i), clp.upper(i, -1.0), 1e-5) << i;
  }
}

// What makes it a matter of seconds: few of the steps factor a working set, at O(d³) each.
TEST(LargePolytope, FewStepsOfItsProgramsFactorAWorkingSet) {
  const Eigen::MatrixXd normals = random_normals();
  const Eigen::VectorXd offsets = Eigen::VectorXd::Ones(kRows);
  const Eigen::VectorXd start = Eigen::VectorXd::Zero(kDim);
  DenseLp walker(/*walk_from=*/48);
  DenseLp plain;
  long steps = 0;
  long factorings = 0;
  for (Eigen::Index i = 0; i < 3; ++i) {
    const Eigen::VectorXd v = Eigen::VectorXd::Unit(kDim, i);
    const LpResult walked = walker.solve(normals, offsets, v, start, /*warm=*/true);
    const LpResult& result = plain.solve(normals, offsets, v, start, /*warm=*/true);
    ASSERT_EQ(walked.status, LpStatus::Optimal);
    ASSERT_EQ(result.status, LpStatus::Optimal);
    EXPECT_NEAR(walked.value, result.value, 1e-12 * std::abs(result.value));
    steps += walked.iterations;
    factorings += walked.factorings;
    // The plain method factors in every step from a vertex, hence in all but the first d.
    EXPECT_GE(result.factorings + (i == 0 ? kDim : 0), result.iterations);
  }
  EXPECT_LE(20 * factorings, steps);
}

}  // namespace
}  // namespace foothold::geometry
