#include "checks/safe_set_history.hpp"

#include "foothold/simulation/world/common_random_numbers.hpp"
#include "foothold/simulation/world/environment.hpp"

namespace foothold::reproduction {
namespace {

// A multiple of eight, so that rays meet the corners of the square.
constexpr int kRays = 360;

}  // namespace

std::vector<PlaneCurve> safe_set_history(const config::ExperimentConfig& experiment,
                                         std::int64_t run, policy::Learner& policy,
                                         const std::vector<std::int64_t>& rounds) {
  const config::EnvironmentConfig& truth = experiment.environment.value();
  RandomStream noise = simulation::noise_of_run(experiment.seed, run);
  std::vector<PlaneCurve> borders;
  std::int64_t round = 1;
  for (const std::int64_t wanted : rounds) {
    for (; round < wanted; ++round) {
      const policy::Decision& decision = policy.ask();
      const double loss = truth.parameter.dot(decision.action);
      policy.tell(decision.id, loss + simulation::draw_noise(truth.noise, noise));
    }
    borders.push_back(certified_border(policy, kRays));
  }
  return borders;
}

}  // namespace foothold::reproduction
