#include "foothold/exploration/hopeful_search.hpp"

#include <limits>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "foothold/cone/cone_solver.hpp"

#include "search_instances.hpp"

namespace foothold::exploration {
namespace {

using testing::SearchInstance;

class Hopeful : public ::testing::TestWithParam<SearchInstance> {};

// Rows wᵀB_k u ≤ m_k as cones with ρ = 0, solved by the cone solver: another algorithm than the
// knapsack, the circle and the linear program of the search.
double minimum(const safety::Problem& problem, const Eigen::VectorXd& v,
               const std::vector<Eigen::VectorXd>& rows, const std::vector<double>& rooms) {
  cone::ConeProgram program = testing::domain_of(problem);
  const Eigen::Index d = problem.dim();
  std::vector<cone::Cone> cones;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    cones.push_back({.a = rows[i],
                     .M = Eigen::MatrixXd::Zero(d, d),
                     .e = Eigen::VectorXd::Zero(d),
                     .rho = 1.0,
                     .c = rooms[i]});
  }
  program.cones.insert(program.cones.begin(), cones.begin(), cones.end());
  cone::ConeSolver solver(1);
  solver.load(program);
  return solver.solve(v, 0).value;
}

TEST_P(Hopeful, BestIfIsTheMinimumUnderTheRowsOfEveryConstraint) {
  const safety::Problem& problem = GetParam().problem;
  HopefulSearch search(problem);
  RandomStream random(/*seed=*/61, /*stream=*/1);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const Eigen::VectorXd v = testing::normal_vector(random, problem.dim());
    const Eigen::VectorXd w = testing::normal_vector(random, problem.dim());
    const Eigen::VectorXd u = search.best_if(v, w);
    std::vector<Eigen::VectorXd> rows;
    std::vector<double> rooms;
    for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
      rows.emplace_back(problem.constraints[k].matrix.transpose() * w);
      rooms.push_back(problem.room(k));
      ASSERT_LE(rows.back().dot(u), rooms.back() + 1e-9);
    }
    ASSERT_NEAR(v.dot(u), minimum(problem, v, rows, rooms), 1e-7 * (1.0 + v.norm()));
  }
}

TEST_P(Hopeful, BestHopeIsTheBestOfAllPairsOfVertices) {
  const safety::Problem& problem = GetParam().problem;
  const Eigen::Index d = problem.dim();
  HopefulSearch search(problem);
  for (const int rounds : {0, 30, 2000}) {
    const estimation::RidgeEstimate estimate = testing::learn(GetParam(), rounds);
    estimation::ConfidenceRegion region(d);
    region.update(estimate, estimation::RadiusForm::Mixture, estimation::RootForm::Cholesky);
    double expected = -std::numeric_limits<double>::infinity();
    Eigen::VectorXd v(d);
    Eigen::VectorXd w(d);
    for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
      double best = std::numeric_limits<double>::infinity();
      for (Eigen::Index i = 0; i < 2 * d; ++i) {
        for (Eigen::Index j = 0; j < 2 * d; ++j) {
          region.vertex(i, v);
          region.vertex(j, w);
          best = std::min(best,
                          v.dot(problem.centre()) +
                              minimum(problem, v, {problem.constraints[k].matrix.transpose() * w},
                                      {problem.room(k)}));
        }
      }
      expected = std::max(expected, best);
    }
    const HopefulChoice& choice = search.best_hope(region);
    EXPECT_NEAR(choice.optimistic_loss, expected, 1e-7 * (1.0 + std::abs(expected)));
  }
}

TEST_P(Hopeful, NoSafeActionOfAnyParameterInTheRegionIsBetter) {
  // Every x that is safe for some v in the region has an optimistic loss ≥ that of the choice.
  const safety::Problem& problem = GetParam().problem;
  const Eigen::Index d = problem.dim();
  HopefulSearch search(problem);
  HopefulSearch other(problem);
  const estimation::RidgeEstimate estimate = testing::learn(GetParam(), 200);
  estimation::ConfidenceRegion region(d);
  region.update(estimate, estimation::RadiusForm::Mixture, estimation::RootForm::Cholesky);
  const double least = search.best_hope(region).optimistic_loss;
  RandomStream random(/*seed=*/62, /*stream=*/1);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const Eigen::VectorXd omega = testing::normal_vector(random, d).normalized();
    const Eigen::VectorXd v =
        region.mu_hat() + region.radius() * region.factor_inverse().transpose() * omega;
    const Eigen::VectorXd x = problem.centre() + other.best_if(v, v);
    const double loss =
        region.mu_hat().dot(x) -
        region.l1_radius() * (region.root_inverse().transpose() * x).cwiseAbs().maxCoeff();
    ASSERT_GE(loss, least - 1e-7 * (1.0 + std::abs(least)));
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, Hopeful, ::testing::ValuesIn(testing::search_instances()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace foothold::exploration
