// Writes the subproblems of a real run, with our answers and times, for bench/peers to solve again:
//
//     foothold_bench_dump_rounds --stream box-D|polytope-D|arms [--quick] --json FILE
//
// On boxes and polytopes, per selected round: the 2d vertices v of the ℓ₁ region, and
// a = Bᵀμ̂, M = F⁻¹B, ρ = β, c of  f(v) = min { vᵀx : x ∈ D₀, aᵀx + ρ‖Mx‖ ≤ c }. For fixed arms the
// whole run: features, noise, and the arms that were chosen.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "foothold/estimation/confidence_region.hpp"
#include "foothold/policy/safe_lucb.hpp"

#include "instances.hpp"
#include "options.hpp"
#include "timing.hpp"

namespace foothold::bench {
namespace {

using Json = nlohmann::json;

Json to_json(const Eigen::VectorXd& vector) {
  return std::vector<double>(vector.begin(), vector.end());
}

// One list per row.
Json to_json(const Eigen::MatrixXd& matrix) {
  Json rows = Json::array();
  for (const auto& row : matrix.rowwise()) {
    rows.push_back(to_json(Eigen::VectorXd(row.transpose())));
  }
  return rows;
}

// Some of the first 50 rounds, numbered from 1, and `count` spread evenly over the others.
std::vector<std::size_t> selected_rounds(std::size_t rounds, std::size_t count) {
  std::vector<std::size_t> selected{1, 2, 3, 5, 8, 12, 17, 23, 30, 39, 50};
  const std::size_t early = selected.back();
  for (std::size_t i = 1; i <= count; ++i) {
    selected.push_back(early + i * (rounds - early) / count);
  }
  return selected;
}

// The state in which a round is asked.
Json subproblem(const policy::SafeLucb& policy, estimation::ConfidenceRegion& region) {
  region.update(policy.estimate(), policy.options().radius, estimation::RootForm::Cholesky);
  const Eigen::Index d = region.dim();
  Eigen::MatrixXd vertices(2 * d, d);
  Eigen::VectorXd v(d);
  for (Eigen::Index k = 0; k < 2 * d; ++k) {
    region.vertex(k, v);
    vertices.row(k) = v.transpose();
  }
  const safety::SafetyConstraint& constraint = policy.problem().constraints.front();
  return {{"vertices", to_json(vertices)},
          {"a", to_json(Eigen::VectorXd(constraint.matrix.transpose() * region.mu_hat()))},
          {"M", to_json(Eigen::MatrixXd(region.factor_inverse() * constraint.matrix))},
          {"rho", region.radius()},
          {"c", constraint.limit}};
}

Json rows_of(const geometry::DecisionSet& set) {
  if (const auto* polytope = std::get_if<geometry::Polytope>(&set)) {
    return {{"normals", to_json(polytope->normals())}, {"offsets", to_json(polytope->offsets())}};
  }
  const auto& box = std::get<geometry::Box>(set);
  const Eigen::Index d = box.dim();
  Eigen::MatrixXd normals(2 * d, d);
  normals << Eigen::MatrixXd::Identity(d, d), -Eigen::MatrixXd::Identity(d, d);
  Eigen::VectorXd offsets(2 * d);
  offsets << box.upper(), -box.lower();
  return {{"normals", to_json(normals)}, {"offsets", to_json(offsets)}};
}

Json continuous_stream(const std::string& name, const Instance& instance, const Effort& effort,
                       std::size_t count) {
  const policy::PolicyOptions options = main_options(safety::CertifiedSet::Region);
  const std::vector<double> eta = noise(effort.rounds);
  const std::vector<double> times =
      round_times([&] { return std::make_unique<policy::SafeLucb>(instance.problem, options); },
                  instance.mu, eta, effort.repetitions);
  policy::SafeLucb policy(instance.problem, options);
  estimation::ConfidenceRegion region(policy.problem().dim());
  const std::vector<std::size_t> selected = selected_rounds(effort.rounds, count);
  std::size_t next = 0;
  Json rounds = Json::array();
  for (std::size_t round = 1; round <= effort.rounds; ++round) {
    const bool is_selected = next < selected.size() && selected[next] == round;
    Json record = is_selected ? subproblem(policy, region) : Json();
    const policy::Decision& decision = policy.ask();
    if (is_selected) {
      record["round"] = round;
      record["value"] = decision.optimistic_loss;
      record["ns"] = times[round - 1];
      rounds.push_back(std::move(record));
      ++next;
    }
    policy.tell(decision.id, instance.mu.dot(decision.action) + eta[round - 1]);
  }
  return {{"set", name},
          {"d", region.dim()},
          {"action_bound", *policy.problem().assumptions.action_bound},
          {"rows", rows_of(policy.problem().decision_set)},
          {"rounds", std::move(rounds)}};
}

// K = 15 arms in d = 4, ellipsoids for optimism and caution, the foothold included.
Json arms_run(const Effort& effort) {
  const Instance instance = arms_instance(15, 4);
  policy::PolicyOptions options;
  options.optimism = policy::Optimism::Ellipsoid;
  const std::vector<double> eta = noise(effort.rounds);
  const std::vector<double> times =
      round_times([&] { return std::make_unique<policy::SafeLucb>(instance.problem, options); },
                  instance.mu, eta, effort.repetitions);
  policy::SafeLucb policy(instance.problem, options);
  std::vector<std::int64_t> arms;
  for (const double noise_of_round : eta) {
    const policy::Decision& decision = policy.ask();
    arms.push_back(decision.arm.value_or(-1));
    policy.tell(decision.id, instance.mu.dot(decision.action) + noise_of_round);
  }
  const safety::Problem& problem = policy.problem();
  return {{"features", to_json(std::get<geometry::Arms>(problem.decision_set).features())},
          {"matrix", to_json(problem.constraints.front().matrix)},
          {"limit", problem.constraints.front().limit},
          {"parameter", to_json(instance.mu)},
          {"noise", eta},
          {"noise_scale", problem.assumptions.noise_scale},
          {"norm_bound", problem.assumptions.norm_bound},
          {"ridge", *problem.assumptions.ridge},
          {"failure_prob", problem.assumptions.failure_prob},
          {"arms", arms},
          {"median_ns", median(times)}};
}

}  // namespace
}  // namespace foothold::bench

int main(int argc, char** argv) {
  using namespace foothold::bench;
  const CommandLine line = parse(argc, argv, TakesStream::Yes);
  Effort effort{.repetitions = 3};
  if (line.is_quick) {
    effort.rounds = 400;
  }
  const std::size_t count = line.is_quick ? 9 : 40;
  if (line.stream == "arms") {
    write(line, arms_run(effort));
    return 0;
  }
  for (Eigen::Index d = 2; d <= 32; d *= 2) {
    if (line.stream == fmt::format("box-{}", d)) {
      write(line, continuous_stream("box", box_instance(d), effort, count));
      return 0;
    }
    if (line.stream == fmt::format("polytope-{}", d)) {
      write(line, continuous_stream("polytope", polytope_instance(d), effort, count));
      return 0;
    }
  }
  fmt::print(stderr, "stream: must be arms, or box or polytope with -2 to -32, got '{}'\n",
             line.stream);
  return 2;
}
