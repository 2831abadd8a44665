// ask + tell of every policy on every kind of decision set, in the state after some hundred rounds,
// and the baselines of the same sizes. Run by google-benchmark: foothold_bench_micro
// --benchmark_filter=…

#include <optional>
#include <vector>

#include <benchmark/benchmark.h>

#include "foothold/policy/gslucb.hpp"
#include "foothold/policy/safe_lucb.hpp"
#include "foothold/policy/targeted.hpp"

#include "baselines.hpp"
#include "instances.hpp"
#include "timing.hpp"

namespace foothold::bench {
namespace {

using policy::Gslucb;
using policy::SafeLucb;
using policy::Targeted;

constexpr std::size_t kWarm = 300;
constexpr std::size_t kNoise = 4096;
constexpr std::int64_t kArmsDim = 32;
constexpr std::int64_t kContextArms = 100;

// google-benchmark calls a function several times for one result, and a million arms take seconds
// to draw.
const Instance& cached_arms(Eigen::Index K) {
  static std::optional<Instance> instance;
  static Eigen::Index count = 0;
  if (count != K) {
    instance = arms_instance(K, kArmsDim);
    count = K;
  }
  return *instance;
}

void baseline_dense(benchmark::State& state) {
  DenseBaseline baseline(state.range(0));
  for ([[maybe_unused]] const auto _ : state) {
    benchmark::DoNotOptimize(baseline.run());
  }
}

void baseline_stream(benchmark::State& state) {
  const Instance& instance = cached_arms(state.range(0));
  StreamBaseline baseline(std::get<geometry::Arms>(instance.problem.decision_set).features());
  for ([[maybe_unused]] const auto _ : state) {
    benchmark::DoNotOptimize(baseline.run());
  }
}

void baseline_product(benchmark::State& state) {
  const Eigen::MatrixXd features = context(kContextArms, state.range(0), 0);
  ProductBaseline baseline(features);
  for ([[maybe_unused]] const auto _ : state) {
    benchmark::DoNotOptimize(baseline.run());
  }
}

// Plays on for as long as the benchmark wants.
void play(benchmark::State& state, policy::Policy& policy, const Eigen::VectorXd& mu,
          const std::vector<Eigen::MatrixXd>& contexts, std::size_t warm) {
  const std::vector<double> eta = noise(kNoise);
  std::size_t round = 0;
  const auto step = [&] {
    const policy::Decision& decision =
        contexts.empty() ? policy.ask() : policy.ask(contexts[round % contexts.size()]);
    policy.tell(decision.id, mu.dot(decision.action) + eta[round % kNoise]);
    ++round;
  };
  while (round < warm) {
    step();
  }
  for ([[maybe_unused]] const auto _ : state) {
    step();
  }
}

template <typename Learner>
void continuous(benchmark::State& state, Instance (*make)(Eigen::Index),
                safety::CertifiedSet certified) {
  const Instance instance = make(state.range(0));
  Learner policy(instance.problem, main_options(certified));
  play(state, policy, instance.mu, {}, kWarm);
}

void safe_lucb(benchmark::State& state, Instance (*make)(Eigen::Index),
               safety::CertifiedSet certified) {
  continuous<SafeLucb>(state, make, certified);
}

void targeted(benchmark::State& state, Instance (*make)(Eigen::Index),
              safety::CertifiedSet certified) {
  continuous<Targeted>(state, make, certified);
}

template <typename Learner>
void fixed_arms(benchmark::State& state) {
  const Instance& instance = cached_arms(state.range(0));
  Learner policy(instance.problem);
  play(state, policy, instance.mu, {}, state.range(0) >= 100'000 ? 20 : kWarm);
}

template <typename Learner>
void contextual(benchmark::State& state) {
  const Eigen::Index d = state.range(0);
  const Instance instance = contextual_instance(d);
  std::vector<Eigen::MatrixXd> contexts;
  for (std::uint64_t i = 0; i < 16; ++i) {
    contexts.push_back(context(kContextArms, d, i));
  }
  Learner policy(instance.problem);
  play(state, policy, instance.mu, contexts, kWarm);
}

// In its warm-up, where it differs from Safe-LUCB: a draw and Δ_t every round.
void gslucb(benchmark::State& state, Instance (*make)(Eigen::Index)) {
  const Instance instance = make(state.range(0));
  policy::PolicyOptions options;
  options.horizon = 1'000'000'000;
  Gslucb policy(instance.problem, options);
  play(state, policy, instance.mu, {}, 20);
}

Instance fifteen_arms(Eigen::Index d) {
  return arms_instance(15, d);
}

void snapshot(benchmark::State& state) {
  const Instance instance = box_instance(state.range(0));
  SafeLucb policy(instance.problem);
  const std::vector<double> eta = noise(100);
  for (const double noise_of_round : eta) {
    const policy::Decision& decision = policy.ask();
    policy.tell(decision.id, instance.mu.dot(decision.action) + noise_of_round);
  }
  for ([[maybe_unused]] const auto _ : state) {
    benchmark::DoNotOptimize(policy.snapshot());
  }
  state.counters["bytes"] = static_cast<double>(policy.snapshot().size());
}

void restore(benchmark::State& state) {
  const Instance instance = box_instance(state.range(0));
  SafeLucb policy(instance.problem);
  const Bytes bytes = policy.snapshot();
  for ([[maybe_unused]] const auto _ : state) {
    policy.restore(bytes, 1);
  }
}

constexpr auto kRegion = safety::CertifiedSet::Region;
constexpr auto kUnion = safety::CertifiedSet::Union;
constexpr auto kNano = benchmark::kNanosecond;

BENCHMARK(baseline_dense)->RangeMultiplier(2)->Range(2, 64)->Unit(kNano);
BENCHMARK(baseline_stream)->RangeMultiplier(10)->Range(10, 1'000'000)->Unit(kNano);
BENCHMARK(baseline_product)->RangeMultiplier(2)->Range(2, 64)->Unit(kNano);
BENCHMARK_CAPTURE(safe_lucb, box, box_instance, kRegion)->RangeMultiplier(2)->Range(2, 64);
BENCHMARK_CAPTURE(safe_lucb, box_union, box_instance, kUnion)->RangeMultiplier(2)->Range(2, 64);
BENCHMARK_CAPTURE(safe_lucb, ball, ball_instance, kRegion)->RangeMultiplier(2)->Range(2, 32);
BENCHMARK_CAPTURE(safe_lucb, polytope, polytope_instance, kRegion)
    ->RangeMultiplier(2)
    ->Range(2, 32);
BENCHMARK_CAPTURE(targeted, box, box_instance, kUnion)->RangeMultiplier(2)->Range(2, 16);
BENCHMARK_CAPTURE(targeted, ball, ball_instance, kUnion)->RangeMultiplier(2)->Range(2, 8);
BENCHMARK_CAPTURE(targeted, polytope, polytope_instance, kUnion)->RangeMultiplier(2)->Range(2, 8);
BENCHMARK(fixed_arms<SafeLucb>)->RangeMultiplier(10)->Range(10, 1'000'000);
BENCHMARK(fixed_arms<Targeted>)->RangeMultiplier(10)->Range(10, 100'000);
BENCHMARK(contextual<SafeLucb>)->RangeMultiplier(2)->Range(2, 64);
BENCHMARK(contextual<Targeted>)->RangeMultiplier(2)->Range(2, 64);
BENCHMARK_CAPTURE(gslucb, arms, fifteen_arms)->Arg(2);
BENCHMARK_CAPTURE(gslucb, box, box_instance)->RangeMultiplier(2)->Range(2, 8);
BENCHMARK_CAPTURE(gslucb, ball, ball_instance)->RangeMultiplier(2)->Range(2, 32);
BENCHMARK(snapshot)->RangeMultiplier(2)->Range(2, 64);
BENCHMARK(restore)->RangeMultiplier(2)->Range(2, 64);

}  // namespace
}  // namespace foothold::bench
