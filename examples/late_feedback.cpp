// Losses that come late, in any order or never, and a snapshot in between: a live system in small.

#include <cstdio>
#include <deque>

#include <foothold/base/random_stream.hpp>
#include <foothold/policy/safe_lucb.hpp>

int main() {
  using namespace foothold;

  const safety::Problem problem{
      .decision_set = geometry::Ball(/*dim=*/3, /*radius=*/1.0),
      .constraints = {{.matrix = Eigen::MatrixXd::Identity(3, 3), .limit = 0.4}},
      .assumptions = {.noise_scale = 0.1, .norm_bound = 1.0}};
  const policy::PolicyOptions options{
      .warmup = {.schedule = policy::Schedule::Rounds, .rounds = 50}};
  policy::SafeLucb policy(problem, options);

  const Eigen::Vector3d mu(-0.6, 0.5, 0.3);
  RandomStream noise(/*seed=*/1, /*stream=*/0);
  std::deque<std::pair<policy::DecisionId, double>> in_flight;
  const auto play = [&](int rounds) {
    for (int round = 0; round < rounds; ++round) {
      const policy::Decision& decision = policy.ask();
      in_flight.emplace_back(decision.id, mu.dot(decision.action) + 0.1 * noise.normal());
      if (in_flight.size() > 20) {  // a loss arrives twenty rounds late; one in ten never does
        const auto [id, loss] = in_flight.front();
        in_flight.pop_front();
        if (noise.uniform() < 0.1) {
          policy.abandon(id);
        } else {
          policy.tell(id, loss);
        }
      }
    }
  };
  play(500);
  const Bytes snapshot = policy.snapshot();
  play(500);
  std::printf("after 1000 rounds: %lld losses, %zu open\n",
              static_cast<long long>(policy.estimate().count()), policy.open_rounds());

  policy.restore(snapshot, /*epoch=*/1);  // back to round 500, open rounds included
  std::printf("restored:          %lld losses, %zu open\n",
              static_cast<long long>(policy.estimate().count()), policy.open_rounds());
}
