#include <cstdio>

#include <foothold/foothold.hpp>

int main() {
  const auto study = foothold::config::parse_study_toml(R"(
    name = "consumer"
    [problem]
    decision_set = { type = "box", lower = [-1.0, -1.0], upper = [1.0, 1.0] }
    noise_scale = 0.1
    norm_bound = 1.0
    [[problem.constraints]]
    matrix = [[0.6, 1.8], [1.8, 0.4]]
    limit = 0.9
  )",
                                                        "consumer.toml");
  const auto learner = foothold::config::make_policy(study);
  foothold::policy::Policy& policy = *learner;
  for (int round = 0; round < 100; ++round) {
    const foothold::policy::Decision& decision = policy.ask();
    if (!decision.certificate.is_safe()) {
      return 1;
    }
    policy.tell(decision.id, 0.9 * decision.action(0) + 0.044 * decision.action(1));
  }
  std::printf("consumer: %lld observations\n", static_cast<long long>(policy.estimate().count()));
  return policy.estimate().count() == 100 ? 0 : 1;
}
