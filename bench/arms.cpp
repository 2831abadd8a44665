// Fixed arms: what one round costs against one streaming pass over their features, from the first
// round on and in the steady state. Fresh arms: against one product of their features with a d × d
// matrix.
//
//     foothold_bench_arms [--quick] [--json FILE]

#include <algorithm>
#include <chrono>
#include <numeric>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "foothold/policy/safe_lucb.hpp"

#include "baselines.hpp"
#include "instances.hpp"
#include "options.hpp"
#include "timing.hpp"

namespace foothold::bench {
namespace {

constexpr std::size_t kFirst = 20;
constexpr Eigen::Index kDim = 32;

struct Limits {
  Eigen::Index largest = 1'000'000;
  std::size_t rounds = 3000;
  double seconds =
      60.0;  // of one run; it ends early then, and the result says after how many rounds
};

// Times of the rounds of one run, in nanoseconds.
std::vector<double> play(policy::Policy& policy, const Eigen::VectorXd& mu,
                         const std::vector<double>& eta, double seconds) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  const Clock::time_point begin = Clock::now();
  for (const double noise_of_round : eta) {
    const Clock::time_point start = Clock::now();
    const policy::Decision& decision = policy.ask();
    policy.tell(decision.id, mu.dot(decision.action) + noise_of_round);
    const Clock::time_point end = Clock::now();
    times.push_back(std::chrono::duration<double, std::nano>(end - start).count());
    if (times.size() >= kFirst && std::chrono::duration<double>(end - begin).count() > seconds) {
      break;
    }
  }
  return times;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

struct Measured {
  Eigen::Index arms = 0;
  double pass = 0.0;     // one streaming pass
  double opening = 0.0;  // the first round
  double first = 0.0;    // median of the first rounds, each the median of several runs
  double slowest = 0.0;  // the slowest of them
  double steady = 0.0;   // median of the last quarter of a long run
  double steady_mean = 0.0;
  std::size_t rounds = 0;  // of the long run
};

Measured measure(Eigen::Index K, const Limits& limits, int repetitions) {
  const Instance instance = arms_instance(K, kDim);
  policy::PolicyOptions options;
  options.optimism = policy::Optimism::Ellipsoid;
  StreamBaseline stream(std::get<geometry::Arms>(instance.problem.decision_set).features());
  volatile double sink = 0.0;
  std::vector<double> passes;
  const std::vector<double> eta = noise(limits.rounds);
  const std::vector<double> first_eta(eta.begin(), eta.begin() + kFirst);
  std::vector<std::vector<double>> of_round(kFirst);
  std::vector<double> times;
  // The last run is the long one. Passes in between, since the machine may slow down.
  for (int repetition = 1; repetition <= repetitions; ++repetition) {
    passes.push_back(time_of([&] { sink = stream.run(); }, 5));
    policy::SafeLucb policy(instance.problem, options);
    const bool is_last = repetition == repetitions;
    times = play(policy, instance.mu, is_last ? eta : first_eta, limits.seconds);
    for (std::size_t round = 0; round < kFirst; ++round) {
      of_round[round].push_back(times[round]);
    }
  }
  passes.push_back(time_of([&] { sink = stream.run(); }, 5));
  std::vector<double> first;
  for (const std::vector<double>& entry : of_round) {
    first.push_back(median(entry));
  }
  const auto quarter = static_cast<std::ptrdiff_t>(times.size() * 3 / 4);
  const std::vector<double> steady(times.begin() + quarter, times.end());
  return {.arms = K,
          .pass = median(passes),
          .opening = first.front(),
          .first = median(first),
          .slowest = *std::max_element(first.begin(), first.end()),
          .steady = median(steady),
          .steady_mean = mean(steady),
          .rounds = times.size()};
}

// Median time of a round with K fresh arms after some hundred, and of the product. Several contexts
// come around again; both read each of them in turn.
nlohmann::json measure_fresh(Eigen::Index K, Eigen::Index d, int repetitions) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kContexts = 4;
  constexpr std::size_t kWarm = 300;
  const Instance instance = contextual_instance(d);
  std::vector<Eigen::MatrixXd> contexts;
  for (std::uint64_t i = 0; i < kContexts; ++i) {
    contexts.push_back(context(K, d, i));
  }
  std::vector<ProductBaseline> products(contexts.begin(), contexts.end());
  const std::vector<double> eta = noise(2 * kWarm);
  volatile double sink = 0.0;
  std::vector<double> rounds;
  std::vector<double> product_times;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    std::size_t turn = 0;
    product_times.push_back(
        time_of([&] { sink = products[turn++ % kContexts].run(); }, /*repetitions=*/3));
    policy::SafeLucb policy(instance.problem);
    std::vector<double> times;
    for (std::size_t round = 0; round < eta.size(); ++round) {
      const Clock::time_point start = Clock::now();
      const policy::Decision& decision = policy.ask(contexts[round % kContexts]);
      policy.tell(decision.id, instance.mu.dot(decision.action) + eta[round]);
      if (round >= kWarm) {
        times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count());
      }
    }
    rounds.push_back(median(times));
  }
  const double ours = median(rounds);
  const double product = median(product_times);
  fmt::print("{:>9}{:>6}{:>12.2f}{:>12.2f}{:>12.2f}\n", K, d, 1e-3 * product, 1e-3 * ours,
             ours / product);
  return {{"arms", K},
          {"d", d},
          {"product_ns", product},
          {"round_ns", ours},
          {"round_to_product", ours / product}};
}

nlohmann::json to_json(const Measured& m) {
  return {{"arms", m.arms},
          {"d", kDim},
          {"pass_ns", m.pass},
          {"first_round_ns", m.opening},
          {"first_20_ns", m.first},
          {"slowest_of_first_20_ns", m.slowest},
          {"steady_median_ns", m.steady},
          {"steady_mean_ns", m.steady_mean},
          {"first_round_to_pass", m.opening / m.pass},
          {"first_20_to_pass", m.first / m.pass},
          {"slowest_of_first_20_to_pass", m.slowest / m.pass},
          {"steady_to_pass", m.steady / m.pass},
          {"steady_mean_to_pass", m.steady_mean / m.pass},
          {"rounds", m.rounds}};
}

}  // namespace
}  // namespace foothold::bench

int main(int argc, char** argv) {
  using namespace foothold::bench;
  const CommandLine line = parse(argc, argv);
  const Limits limits =
      line.is_quick ? Limits{.largest = 100'000, .rounds = 400, .seconds = 5.0} : Limits{};
  fmt::print(
      "Safe-LUCB, fixed arms, d = {}; pass in us, rounds in passes (steady: the last quarter)\n",
      kDim);
  fmt::print("{:>9}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}{:>9}\n", "K", "pass", "round 1", "first 20",
             "slowest", "steady", "its mean", "rounds");
  nlohmann::json rows = nlohmann::json::array();
  for (const Eigen::Index K : {10, 100, 1'000, 10'000, 100'000, 1'000'000}) {
    if (K > limits.largest) {
      continue;
    }
    const Measured m = measure(K, limits, 5);
    fmt::print("{:>9}{:>12.1f}{:>12.2f}{:>12.2f}{:>12.2f}{:>12.3f}{:>12.3f}{:>9}\n", K,
               1e-3 * m.pass, m.opening / m.pass, m.first / m.pass, m.slowest / m.pass,
               m.steady / m.pass, m.steady_mean / m.pass, m.rounds);
    rows.push_back(to_json(m));
  }
  fmt::print("\nSafe-LUCB, fresh arms each round; product and round in us\n");
  fmt::print("{:>9}{:>6}{:>12}{:>12}{:>12}\n", "K", "d", "product", "round", "ratio");
  nlohmann::json fresh = nlohmann::json::array();
  for (const Eigen::Index d : {8, 16, 32}) {
    for (const Eigen::Index K : {100, 1'000, 10'000}) {
      fresh.push_back(measure_fresh(K, d, line.is_quick ? 1 : 5));
    }
  }
  write(line, {{"rows", rows}, {"fresh", fresh}});
  return 0;
}
