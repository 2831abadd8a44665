// The main workload: what one round costs on a box whose constraint matters, against one Cholesky
// factorisation and 2d matrix-vector products.
//
//     foothold_bench_rounds [--quick] [--json FILE]

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "foothold/policy/safe_lucb.hpp"

#include "baselines.hpp"
#include "counted_allocations.hpp"
#include "instances.hpp"
#include "options.hpp"
#include "timing.hpp"

namespace foothold::bench {
namespace {

constexpr std::size_t kEarly = 50;  // rounds with an active cone and many free coordinates

constexpr int kCertificates = 8;  // timed together

struct Measured {
  Eigen::Index d = 0;
  double median = 0.0;
  double p90 = 0.0;
  double early_median = 0.0;
  double early_p90 = 0.0;
  double baseline = 0.0;
  double baseline_ratio = 0.0;     // of a round to it
  double certificate = 0.0;        // median time of one certificate
  double certificate_share = 0.0;  // of a round
  long allocations = 0;
  std::size_t allocating_rounds = 0;  // the last round that allocated, counted from 1
  std::vector<double> by_round{};     // medians of windows of rounds, for growth in T
};

// Times a certificate of each round's action, in a run of its own so as not to disturb the other
// times; several in a row, since clocks tick in steps of a tenth of one.
double certificate_time(const Instance& instance, const policy::PolicyOptions& options,
                        const std::vector<double>& noise) {
  using Clock = std::chrono::steady_clock;
  policy::SafeLucb policy(instance.problem, options);
  const safety::SafetyRule rule{
      .caution = options.caution, .certified = options.certified, .radius = options.radius};
  safety::Certifier certifier(policy.problem(), rule);
  estimation::ConfidenceRegion region(policy.problem().dim());  // not looked at by this caution
  safety::Certificate certificate;
  const double overhead = clock_overhead();
  std::vector<double> times;
  for (const double eta : noise) {
    const policy::Decision& decision = policy.ask();
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < kCertificates; ++i) {
      certifier.certify(policy.estimate(), region, decision.action, safety::Evidence::Region,
                        certificate);
    }
    const std::chrono::duration<double, std::nano> time = Clock::now() - start;
    times.push_back((time.count() - overhead) / kCertificates);
    policy.tell(decision.id, instance.mu.dot(decision.action) + eta);
  }
  return median({times.begin() + kEarly, times.end()});
}

// Machines change their pace by the second: rounds, baseline and certificates take turns, every
// ratio is of times taken one after the other, and the median over the turns counts.
void measure_ratios(const Instance& instance, const policy::PolicyOptions& options,
                    const std::vector<double>& noise, int turns, Measured& measured) {
  DenseBaseline baseline(measured.d);
  volatile double sink = 0.0;
  std::vector<double> baselines;
  std::vector<double> ratios;
  std::vector<double> certificates;
  std::vector<double> shares;
  for (int turn = 0; turn < turns; ++turn) {
    const std::vector<double> times =
        round_times([&] { return std::make_unique<policy::SafeLucb>(instance.problem, options); },
                    instance.mu, noise, /*repetitions=*/1);
    const double round = median({times.begin() + kEarly, times.end()});
    baselines.push_back(time_of([&] { sink = baseline.run(); }, /*repetitions=*/3));
    ratios.push_back(round / baselines.back());
    certificates.push_back(certificate_time(instance, options, noise));
    shares.push_back(certificates.back() / round);
  }
  measured.baseline = median(baselines);
  measured.baseline_ratio = median(ratios);
  measured.certificate = median(certificates);
  measured.certificate_share = median(shares);
}

void count_allocations(const Instance& instance, const policy::PolicyOptions& options,
                       const std::vector<double>& noise, Measured& measured) {
  policy::SafeLucb policy(instance.problem, options);
  long seen = testing::allocations;
  const long first = seen;
  for (std::size_t round = 0; round < noise.size(); ++round) {
    const policy::Decision& decision = policy.ask();
    policy.tell(decision.id, instance.mu.dot(decision.action) + noise[round]);
    if (testing::allocations != seen) {
      measured.allocating_rounds = round + 1;
    }
    seen = testing::allocations;
  }
  measured.allocations = seen - first;
}

Measured measure(Eigen::Index d, safety::CertifiedSet certified, const Effort& effort) {
  const Instance instance = box_instance(d);
  const policy::PolicyOptions options = main_options(certified);
  const std::vector<double> eta = noise(effort.rounds);
  Measured measured{.d = d};
  const std::vector<double> times =
      round_times([&] { return std::make_unique<policy::SafeLucb>(instance.problem, options); },
                  instance.mu, eta, effort.repetitions);
  const std::vector<double> early(times.begin(), times.begin() + kEarly);
  const std::vector<double> late(times.begin() + kEarly, times.end());
  measured.median = median(late);
  measured.p90 = quantile(late, 0.9);
  measured.early_median = median(early);
  measured.early_p90 = quantile(early, 0.9);
  measure_ratios(instance, options, eta, effort.repetitions, measured);
  count_allocations(instance, options, eta, measured);
  constexpr std::size_t kWindow = 50;
  for (std::size_t start = 0; start + kWindow <= times.size(); start += kWindow) {
    const auto first = times.begin() + static_cast<std::ptrdiff_t>(start);
    measured.by_round.push_back(median({first, first + kWindow}));
  }
  return measured;
}

nlohmann::json to_json(const Measured& measured) {
  return {{"d", measured.d},
          {"median_ns", measured.median},
          {"p90_ns", measured.p90},
          {"early_median_ns", measured.early_median},
          {"early_p90_ns", measured.early_p90},
          {"baseline_ns", measured.baseline},
          {"ratio_to_baseline", measured.baseline_ratio},
          {"certificate_ns", measured.certificate},
          {"certificate_share", measured.certificate_share},
          {"allocations", measured.allocations},
          {"last_allocating_round", measured.allocating_rounds},
          {"median_ns_by_50_rounds", measured.by_round}};
}

nlohmann::json measure_all(safety::CertifiedSet certified, const Effort& effort) {
  const bool is_region = certified == safety::CertifiedSet::Region;
  fmt::print("\nSafe-LUCB, box [-1, 1]^d, certified = {}, {} rounds, {} repetitions; times in us\n",
             is_region ? "region" : "union", effort.rounds, effort.repetitions);
  fmt::print("{:>4}{:>9}{:>9}{:>11}{:>11}{:>10}{:>7}{:>12}{:>7}{:>13}{:>11}\n", "d", "median",
             "p90", "first 50", "their p90", "baseline", "ratio", "certificate", "share",
             "allocations", "last in");
  std::vector<double> sizes;
  std::vector<double> times;
  nlohmann::json rows = nlohmann::json::array();
  for (const Eigen::Index d : {2, 4, 8, 16, 32, 64}) {
    if (d > effort.largest_dim) {
      continue;
    }
    const Measured m = measure(d, certified, effort);
    fmt::print(
        "{:>4}{:>9.2f}{:>9.2f}{:>11.2f}{:>11.2f}{:>10.3f}{:>7.2f}{:>12.3f}{:>6.1f}%{:>13}{:>11}\n",
        d, 1e-3 * m.median, 1e-3 * m.p90, 1e-3 * m.early_median, 1e-3 * m.early_p90,
        1e-3 * m.baseline, m.baseline_ratio, 1e-3 * m.certificate, 100.0 * m.certificate_share,
        m.allocations, m.allocating_rounds);
    rows.push_back(to_json(m));
    sizes.push_back(static_cast<double>(d));
    times.push_back(m.median);
  }
  const double all = growth_exponent(sizes, times);
  const std::size_t first = 2;  // d ≥ 8
  const double large =
      growth_exponent(std::span(sizes).subspan(first), std::span(times).subspan(first));
  fmt::print("median grows as d^{:.2f} over all d, as d^{:.2f} over d >= 8\n", all, large);
  return {{"rows", rows}, {"exponent", all}, {"exponent_from_8", large}};
}

// Growth in T: one long run, medians of windows that double.
nlohmann::json measure_long(Eigen::Index d, std::size_t rounds) {
  const Instance instance = box_instance(d);
  const policy::PolicyOptions options = main_options(safety::CertifiedSet::Region);
  const std::vector<double> times =
      round_times([&] { return std::make_unique<policy::SafeLucb>(instance.problem, options); },
                  instance.mu, noise(rounds), 1);
  nlohmann::json result{{"d", d}};
  for (std::size_t start = 0, end = 25; start < times.size(); start = end, end *= 2) {
    end = std::min(end, times.size());
    const double middle = 0.5 * static_cast<double>(start + 1 + end);
    const double time = median({times.begin() + static_cast<std::ptrdiff_t>(start),
                                times.begin() + static_cast<std::ptrdiff_t>(end)});
    result["round"].push_back(middle);
    result["median_ns"].push_back(time);
  }
  const std::vector<double> early(times.begin() + kEarly, times.begin() + 1000);
  const std::vector<double> late(times.end() - 1000, times.end());
  fmt::print("{:>4}{:>14.2f}{:>14.2f}\n", d, 1e-3 * median(early), 1e-3 * median(late));
  return result;
}

}  // namespace
}  // namespace foothold::bench

int main(int argc, char** argv) {
  using namespace foothold;
  const bench::CommandLine line = bench::parse(argc, argv);
  const bench::Effort effort =
      line.is_quick ? bench::Effort{.rounds = 400, .repetitions = 3, .largest_dim = 32}
                    : bench::Effort{.rounds = 3000, .repetitions = 7};
  nlohmann::json result;
  result["rounds"] = effort.rounds;
  result["repetitions"] = effort.repetitions;
  result["region"] = bench::measure_all(safety::CertifiedSet::Region, effort);
  result["union"] = bench::measure_all(safety::CertifiedSet::Union, effort);
  const std::size_t long_run = line.is_quick ? 5'000 : 100'000;
  fmt::print("\none run of {} rounds: median of rounds 51 to 1,000 and of the last 1,000, in us\n",
             long_run);
  for (const Eigen::Index d : {2, 8, 32}) {
    result["long"].push_back(bench::measure_long(d, long_run));
  }
  bench::write(line, result);
  return 0;
}
