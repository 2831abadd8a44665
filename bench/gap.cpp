// Δ_t for 15 arms in d = 4 over the ℓ₁ region: our bound against the same linear programs in Clp.
//
//     foothold_bench_gap [--quick] [--json FILE]

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "foothold/base/random_stream.hpp"
#include "foothold/estimation/ridge_estimate.hpp"
#include "foothold/gap/gap_bound.hpp"

#include "clp_gap.hpp"
#include "instances.hpp"
#include "options.hpp"
#include "timing.hpp"

namespace foothold::bench {
namespace {

constexpr double kAgreement = 1e-7;  // of Δ_t, relative to the limit

struct Compared {
  std::int64_t observations = 0;
  double value = 0.0;
  double difference = 0.0;
  double ours = 0.0;    // nanoseconds
  double clp = 0.0;     // all programs
  double finals = 0.0;  // only those of Δ^i, as if Y^i were known
};

// The faster of the two methods, each as the median of repetitions.
Compared compare(const safety::Problem& problem, const estimation::RidgeEstimate& estimate,
                 int repetitions) {
  estimation::ConfidenceRegion region(problem.dim());
  region.update(estimate, estimation::RadiusForm::Mixture, estimation::RootForm::Cholesky);
  gap::GapBound bound(problem, gap::GapRegion::L1);
  const auto& arms = std::get<geometry::Arms>(problem.decision_set).features();
  const safety::SafetyConstraint& constraint = problem.constraints.front();
  Compared result{.observations = estimate.count(), .value = bound.bound(region).value};
  volatile double sink = 0.0;
  result.ours = time_of([&] { sink = bound.bound(region).value; }, repetitions);
  result.clp = result.finals = HUGE_VAL;
  for (const Simplex simplex : {Simplex::Primal, Simplex::Dual}) {
    std::vector<double> all;
    std::vector<double> finals;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      const ClpGap gap = gap_by_clp(region, arms, constraint.matrix, constraint.limit, simplex);
      all.push_back(gap.member_ns + gap.final_ns);
      finals.push_back(gap.final_ns);
      result.difference = std::max(result.difference, std::abs(gap.value - result.value));
    }
    result.clp = std::min(result.clp, median(all));
    result.finals = std::min(result.finals, median(finals));
  }
  result.difference /= constraint.limit;
  return result;
}

}  // namespace
}  // namespace foothold::bench

int main(int argc, char** argv) {
  using namespace foothold;
  const bench::CommandLine line = bench::parse(argc, argv);
  const bench::Instance instance = bench::arms_instance(15, 4);
  const safety::Problem problem = safety::resolved(instance.problem);
  const auto& arms = std::get<geometry::Arms>(problem.decision_set).features();
  estimation::RidgeEstimate estimate(problem.dim(), problem.assumptions);
  const std::vector<double> noise = bench::noise(20'000);
  RandomStream random(/*seed=*/2019, /*stream=*/77);
  nlohmann::json rows = nlohmann::json::array();
  std::vector<double> ratios;
  std::vector<double> final_ratios;
  double difference = 0.0;
  fmt::print(
      "gap bound, 15 arms, d = 4, l1 region; times in "
      "us\n{:>7}{:>10}{:>9}{:>10}{:>10}{:>8}{:>8}{:>10}\n",
      "n", "value", "ours", "Clp", "finals", "ratio", "finals", "disagree");
  for (std::size_t n = 1; n <= noise.size(); ++n) {
    const auto i = static_cast<Eigen::Index>(random.index(static_cast<std::uint64_t>(arms.rows())));
    estimate.observe(arms.row(i).transpose(), arms.row(i).dot(instance.mu) + noise[n - 1]);
    // 10, 20, 40, … observations: from a region that holds everything to one that settles most
    // arms.
    if (n % 10 != 0 || ((n / 10) & (n / 10 - 1)) != 0) {
      continue;
    }
    const bench::Compared c = bench::compare(problem, estimate, line.is_quick ? 5 : 15);
    ratios.push_back(c.clp / c.ours);
    final_ratios.push_back(c.finals / c.ours);
    difference = std::max(difference, c.difference);
    fmt::print("{:>7}{:>10.2e}{:>9.2f}{:>10.1f}{:>10.1f}{:>8.0f}{:>8.0f}{:>10.1e}\n",
               c.observations, c.value, 1e-3 * c.ours, 1e-3 * c.clp, 1e-3 * c.finals, ratios.back(),
               final_ratios.back(), c.difference);
    rows.push_back({{"observations", c.observations},
                    {"value", c.value},
                    {"ours_ns", c.ours},
                    {"clp_ns", c.clp},
                    {"clp_finals_ns", c.finals},
                    {"disagreement", c.difference}});
  }
  fmt::print("median ratio to all programs {:.0f} (wanted 50), to the final ones alone {:.0f}\n",
             bench::median(ratios), bench::median(final_ratios));
  bench::write(line, {{"rows", rows},
                      {"ratio", bench::median(ratios)},
                      {"ratio_to_finals", bench::median(final_ratios)},
                      {"disagreement", difference}});
  if (!(difference <= bench::kAgreement)) {
    fmt::print("values must agree to {}, got {}\n", bench::kAgreement, difference);
    return 1;
  }
  return 0;
}
