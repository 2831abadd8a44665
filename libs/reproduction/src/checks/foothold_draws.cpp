#include "checks/foothold_draws.hpp"

#include <algorithm>
#include <limits>

#include <Eigen/Eigenvalues>

#include "foothold/base/random_stream.hpp"
#include "foothold/estimation/ridge_estimate.hpp"

namespace foothold::reproduction {
namespace {

// Stream numbers far from the runner's, which count from 0.
constexpr std::uint64_t kCovarianceStream = 0xF007'0000'0000'0000U;
constexpr std::uint64_t kEigenvalueStream = 0xF007'0001'0000'0000U;
constexpr std::uint64_t kCoverageStream = 0xF007'0002'0000'0000U;

double least_eigenvalue(const Eigen::MatrixXd& matrix) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix, Eigen::EigenvaluesOnly)
      .eigenvalues()(0);
}

Eigen::MatrixXd sum_of_draws(const safety::KnownSafeSet& foothold, Eigen::Index dim,
                             std::int64_t count, RandomStream& random) {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(dim, dim);
  Eigen::VectorXd x(dim);
  for (std::int64_t i = 0; i < count; ++i) {
    foothold.sample(random, x);
    sum.noalias() += x * x.transpose();
  }
  return sum;
}

}  // namespace

double sampled_min_eigenvalue(const safety::Problem& problem, safety::Sampler sampler,
                              std::int64_t draws, std::uint64_t seed) {
  const safety::KnownSafeSet foothold(problem, sampler);
  RandomStream random(seed, kCovarianceStream);
  return least_eigenvalue(sum_of_draws(foothold, problem.dim(), draws, random)) /
         static_cast<double>(draws);
}

EigenvalueTrials eigenvalue_trials(const safety::Problem& problem, std::int64_t count,
                                   double threshold, std::int64_t trials, std::uint64_t seed) {
  const safety::KnownSafeSet foothold(problem, safety::Sampler::Uniform);
  EigenvalueTrials result{.smallest = std::numeric_limits<double>::infinity()};
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    RandomStream random(seed, kEigenvalueStream + static_cast<std::uint64_t>(trial));
    const double least = least_eigenvalue(sum_of_draws(foothold, problem.dim(), count, random));
    result.below += least <= threshold ? 1 : 0;
    result.smallest = std::min(result.smallest, least);
  }
  return result;
}

std::int64_t covered_trials(const safety::Problem& problem, const Eigen::VectorXd& mu,
                            std::int64_t rounds, std::int64_t trials, std::uint64_t seed) {
  const safety::KnownSafeSet foothold(problem, safety::Sampler::Uniform);
  const double scale = problem.assumptions.noise_scale;
  Eigen::VectorXd x(problem.dim());
  std::int64_t covered = 0;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    const auto number = 2 * static_cast<std::uint64_t>(trial);
    RandomStream actions(seed, kCoverageStream + number);
    RandomStream noise(seed, kCoverageStream + number + 1);
    estimation::RidgeEstimate estimate(problem.dim(), problem.assumptions);
    bool is_covered = true;
    for (std::int64_t round = 0; round < rounds && is_covered; ++round) {
      foothold.sample(actions, x);
      estimate.observe(x, mu.dot(x) + scale * noise.normal());
      is_covered = estimate.region_contains(mu, estimate.radius(estimation::RadiusForm::Paper));
    }
    covered += is_covered ? 1 : 0;
  }
  return covered;
}

}  // namespace foothold::reproduction
