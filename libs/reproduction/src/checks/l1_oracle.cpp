#include "checks/l1_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <Eigen/Eigenvalues>

#include "foothold/policy/safe_lucb.hpp"
#include "foothold/simulation/world/common_random_numbers.hpp"
#include "foothold/simulation/world/environment.hpp"

#include "checks/safe_set_border.hpp"

namespace foothold::reproduction {
namespace {

constexpr int kRaysToASide = 90;
constexpr int kZooms = 3;

double search_border(const policy::SafeLucb& policy) {
  const estimation::RidgeEstimate& estimate = policy.estimate();
  const double radius =
      std::sqrt(static_cast<double>(estimate.dim())) * estimate.radius(policy.options().radius);
  const Eigen::MatrixXd& F = estimate.gram().factor();
  const Eigen::MatrixXd A = F.triangularView<Eigen::Lower>() * F.transpose();
  const Eigen::MatrixXd root =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A).operatorInverseSqrt();
  // The minimum is at a corner of D_t^s, between two rays: look again around the best of them.
  double best_angle = 0.0;
  double span = std::numbers::pi;
  double least = std::numeric_limits<double>::infinity();
  for (int zoom = 0; zoom <= kZooms; ++zoom) {
    const double centre = best_angle;
    for (int ray = -kRaysToASide; ray <= kRaysToASide; ++ray) {
      const double angle = centre + span * ray / kRaysToASide;
      const Eigen::Vector2d x = certified_point(policy, angle);
      const double hope = estimate.mu_hat().dot(x) - radius * (root * x).lpNorm<Eigen::Infinity>();
      if (hope < least) {
        least = hope;
        best_angle = angle;
      }
    }
    span *= 2.0 / kRaysToASide;  // two of the last steps to either side
  }
  return least;
}

}  // namespace

std::vector<OptimismCheck> check_optimism(const config::ExperimentConfig& experiment,
                                          policy::PolicyOptions options,
                                          const std::vector<std::int64_t>& rounds) {
  const config::EnvironmentConfig& truth = experiment.environment.value();
  options.horizon = experiment.horizon;
  options.seed = simulation::policy_seed_of_run(experiment.seed, 0);
  policy::SafeLucb policy(*experiment.problem, options);
  RandomStream noise = simulation::noise_of_run(experiment.seed, 0);
  std::vector<OptimismCheck> checks;
  std::int64_t round = 1;
  for (const std::int64_t wanted : rounds) {
    for (;; ++round) {
      const bool is_wanted = round == wanted;
      const double searched = is_wanted ? search_border(policy) : 0.0;
      const policy::Decision& decision = policy.ask();
      if (is_wanted) {
        checks.push_back(
            {.round = round, .decided = decision.optimistic_loss, .searched = searched});
      }
      const double loss = truth.parameter.dot(decision.action);
      policy.tell(decision.id, loss + simulation::draw_noise(truth.noise, noise));
      if (is_wanted) {
        ++round;
        break;
      }
    }
  }
  return checks;
}

}  // namespace foothold::reproduction
