// Rounds whose instructions callgrind counts; script/instructions runs it. Each situation is warmed
// up without counting, then a few rounds are counted and dumped under the situation's name.
//
//     foothold_bench_guard [--list]

#include <cmath>
#include <memory>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <valgrind/callgrind.h>

#include "foothold/policy/safe_lucb.hpp"
#include "foothold/policy/targeted.hpp"

#include "instances.hpp"
#include "timing.hpp"

namespace foothold::bench {
namespace {

constexpr std::size_t kWarm = 300;
constexpr std::size_t kCounted = 10;
constexpr std::size_t kContexts = 8;

struct Situation {
  const char* name;
  Instance instance;
  PolicyMaker make;
  std::size_t warm = kWarm;
  Eigen::Index logged = 0;      // rounds observed beforehand, which cost little under valgrind
  Eigen::Index fresh_arms = 0;  // contextual: how many arrive with each ask
};

// Plays rounds [first, last). The contexts come around again, so that drawing them is not counted.
[[gnu::noinline]] void play(policy::Policy& policy, const Situation& situation,
                            const std::vector<Eigen::MatrixXd>& contexts,
                            const std::vector<double>& eta, std::size_t first, std::size_t last) {
  for (std::size_t round = first; round < last; ++round) {
    const policy::Decision& decision =
        contexts.empty() ? policy.ask() : policy.ask(contexts[round % contexts.size()]);
    policy.tell(decision.id, situation.instance.mu.dot(decision.action) + eta[round]);
  }
}

template <typename Learner>
Situation situation(const char* name, const Instance& instance,
                    const policy::PolicyOptions& options = {}) {
  return {.name = name, .instance = instance, .make = [instance, options] {
            return std::make_unique<Learner>(instance.problem, options);
          }};
}

std::vector<Situation> situations() {
  using policy::SafeLucb;
  using policy::Targeted;
  const policy::PolicyOptions main = main_options(safety::CertifiedSet::Region);
  const policy::PolicyOptions both = main_options(safety::CertifiedSet::Union);
  std::vector<Situation> all{
      situation<SafeLucb>("box-2", box_instance(2), main),
      situation<SafeLucb>("box-4", box_instance(4), main),
      situation<SafeLucb>("box-8", box_instance(8), main),
      situation<SafeLucb>("box-16", box_instance(16), main),
      situation<SafeLucb>("box-32", box_instance(32), main),
      situation<SafeLucb>("box-8-early", box_instance(8), main),
      situation<SafeLucb>("box-8-union", box_instance(8), both),
      situation<SafeLucb>("box-4-three-constraints", several_instance(4, 3), main),
      situation<SafeLucb>("polytope-6", polytope_instance(6), main),
      situation<SafeLucb>("ball-6", ball_instance(6), main),
      situation<SafeLucb>("arms-15", arms_instance(15, 4)),
      situation<SafeLucb>("arms-2000", arms_instance(2000, 8)),
      situation<SafeLucb>("contextual-100", contextual_instance(8)),
      situation<Targeted>("targeted-box-4", box_instance(4)),
      situation<Targeted>("targeted-arms-40", arms_instance(40, 6)),
  };
  for (Situation& entry : all) {
    if (std::string_view(entry.name) == "contextual-100") {
      entry.fresh_arms = 100;
    }
    if (std::string_view(entry.name) == "box-8-early") {
      entry.warm = 10;
    }
    if (std::string_view(entry.name) == "box-32") {
      entry.logged = 400;
      entry.warm = 20;
    }
  }
  return all;
}

// Actions of all directions, safe or not, with their losses: what another learner may have left.
void observe_logged(policy::Policy& policy, const Situation& situation) {
  const Eigen::VectorXd& mu = situation.instance.mu;
  const double size = 0.9 * std::sqrt(static_cast<double>(mu.size()));
  const Eigen::MatrixXd actions = size * context(situation.logged, mu.size(), 0);
  for (const auto& action : actions.rowwise()) {
    policy.observe(action.transpose(), action.dot(mu));
  }
}

// The work of every situation is counted apart from all others: CALLGRIND_ZERO_STATS …
// DUMP_STATS_AT.
void count(const Situation& situation, const std::vector<double>& eta) {
  std::vector<Eigen::MatrixXd> contexts;
  for (std::size_t i = 0; situation.fresh_arms > 0 && i < kContexts; ++i) {
    contexts.push_back(context(situation.fresh_arms, situation.instance.mu.size(), i));
  }
  const std::unique_ptr<policy::Policy> policy = situation.make();
  observe_logged(*policy, situation);
  play(*policy, situation, contexts, eta, 0, situation.warm);
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
  play(*policy, situation, contexts, eta, situation.warm, situation.warm + kCounted);
  CALLGRIND_DUMP_STATS_AT(situation.name);
  CALLGRIND_STOP_INSTRUMENTATION;
}

}  // namespace
}  // namespace foothold::bench

int main(int argc, char** argv) {
  using namespace foothold::bench;
  const std::vector<double> eta = noise(kWarm + kCounted);
  for (const Situation& situation : situations()) {
    if (argc > 1 && std::string_view(argv[1]) == "--list") {
      fmt::print("{}\n", situation.name);
    } else {
      count(situation, eta);
    }
  }
  return 0;
}
