// Parts of a round by themselves: each path of the cone solver, the certificate, Δ_t.

#include <map>
#include <tuple>
#include <vector>

#include <benchmark/benchmark.h>

#include "foothold/cone/cone_solver.hpp"
#include "foothold/gap/gap_bound.hpp"
#include "foothold/policy/safe_lucb.hpp"
#include "foothold/safety/certifier.hpp"

#include "instances.hpp"
#include "timing.hpp"

namespace foothold::bench {
namespace {

const char* name_of(cone::SolvePath path) {
  switch (path) {
    case cone::SolvePath::Corner:
      return "corner";
    case cone::SolvePath::ActiveSet:
      return "active set";
    case cone::SolvePath::SingleCone:
      return "single cone";
    case cone::SolvePath::Newton:
      return "Newton";
    case cone::SolvePath::InteriorPoint:
      return "interior point";
    case cone::SolvePath::LinearProgram:
      return "linear program";
  }
  return "unknown";
}

// One vertex's program in consecutive rounds of a real run.
struct Stream {
  std::vector<cone::ConeProgram> programs;
  std::vector<Eigen::VectorXd> objectives;
};

constexpr std::size_t kStates = 16;

cone::ConeProgram program_of(const safety::Problem& problem,
                             const estimation::ConfidenceRegion& region, double loosening) {
  const Eigen::Index d = problem.dim();
  cone::ConeProgram program;
  program.lower = -Eigen::VectorXd::Ones(d);
  program.upper = Eigen::VectorXd::Ones(d);
  program.box_is_constraint = true;
  program.G.resize(0, d);
  program.h.resize(0);
  for (const safety::SafetyConstraint& constraint : problem.constraints) {
    cone::Cone cone;
    cone.a = constraint.matrix.transpose() * region.mu_hat();
    cone.M = region.factor_inverse() * constraint.matrix;
    cone.e = Eigen::VectorXd::Zero(d);
    cone.rho = region.radius();
    cone.c = loosening * constraint.limit;
    program.cones.push_back(cone);
  }
  return program;
}

Stream make_stream(const Instance& instance, double loosening) {
  policy::SafeLucb policy(instance.problem, main_options(safety::CertifiedSet::Region));
  estimation::ConfidenceRegion region(policy.problem().dim());
  Stream stream;
  Eigen::VectorXd v(policy.problem().dim());
  constexpr std::size_t kFirst = 150;
  const std::vector<double> eta = noise(kFirst + kStates);
  for (std::size_t round = 0; round < eta.size(); ++round) {
    const policy::Decision& decision = policy.ask();
    policy.tell(decision.id, instance.mu.dot(decision.action) + eta[round]);
    if (round >= kFirst) {
      region.update(policy.estimate(), estimation::RadiusForm::Mixture,
                    estimation::RootForm::Cholesky);
      region.vertex(0, v);
      stream.programs.push_back(program_of(policy.problem(), region, loosening));
      stream.objectives.push_back(v);
    }
  }
  return stream;
}

// google-benchmark calls a function several times for one result; the run is played once.
const Stream& stream_of(Eigen::Index d, std::size_t constraints, double loosening) {
  static std::map<std::tuple<Eigen::Index, std::size_t, double>, Stream> streams;
  const auto [entry, is_new] = streams.try_emplace({d, constraints, loosening});
  if (is_new) {
    entry->second = make_stream(several_instance(d, constraints), loosening);
  }
  return entry->second;
}

// There and back again, so that each program is next to the one before. The label says which path
// answered last.
void solve(benchmark::State& state, const Stream& stream, bool is_warm) {
  cone::ConeSolver solver(1);
  std::size_t i = 0;
  const char* path = "";
  for ([[maybe_unused]] const auto _ : state) {
    const std::size_t turn = i % (2 * kStates - 2);
    const std::size_t k = turn < kStates ? turn : 2 * kStates - 2 - turn;
    if (!is_warm) {
      solver = cone::ConeSolver(1);
    }
    solver.load(stream.programs[k]);
    path = name_of(solver.solve(stream.objectives[k], 0).path);
    ++i;
  }
  state.SetLabel(path);
}

void solver_corner(benchmark::State& state) {
  solve(state, stream_of(state.range(0), 1, 1e3), true);
}

void solver_one_cone(benchmark::State& state) {
  solve(state, stream_of(state.range(0), 1, 1.0), true);
}

void solver_one_cone_cold(benchmark::State& state) {
  solve(state, stream_of(state.range(0), 1, 1.0), false);
}

void solver_three_cones(benchmark::State& state) {
  solve(state, stream_of(state.range(0), 3, 1.0), true);
}

void solver_three_cones_cold(benchmark::State& state) {
  solve(state, stream_of(state.range(0), 3, 1.0), false);
}

void certificate(benchmark::State& state) {
  const Instance instance = box_instance(state.range(0));
  policy::SafeLucb policy(instance.problem, main_options(safety::CertifiedSet::Region));
  const std::vector<double> eta = noise(100);
  for (const double noise_of_round : eta) {
    const policy::Decision& decision = policy.ask();
    policy.tell(decision.id, instance.mu.dot(decision.action) + noise_of_round);
  }
  const safety::SafetyRule rule{.certified = safety::CertifiedSet::Region};
  safety::Certifier certifier(policy.problem(), rule);
  const estimation::ConfidenceRegion region(policy.problem().dim());
  const Eigen::VectorXd action = policy.ask().action;
  safety::Certificate result;
  for ([[maybe_unused]] const auto _ : state) {
    certifier.certify(policy.estimate(), region, action, safety::Evidence::Region, result);
    benchmark::DoNotOptimize(result);
  }
}

// Δ_t after 200 random observations.
void gap(benchmark::State& state, const Instance& instance, gap::GapRegion kind) {
  const safety::Problem problem = safety::resolved(instance.problem);
  estimation::RidgeEstimate estimate(problem.dim(), problem.assumptions);
  const std::vector<double> eta = noise(200);
  const Eigen::MatrixXd actions =
      *problem.assumptions.action_bound * context(200, problem.dim(), 0);
  for (Eigen::Index i = 0; i < actions.rows(); ++i) {
    estimate.observe(actions.row(i).transpose(),
                     actions.row(i).dot(instance.mu) + eta[static_cast<std::size_t>(i)]);
  }
  estimation::ConfidenceRegion region(problem.dim());
  region.update(estimate, estimation::RadiusForm::Mixture, estimation::RootForm::Cholesky);
  gap::GapBound bound(problem, kind);
  for ([[maybe_unused]] const auto _ : state) {
    benchmark::DoNotOptimize(bound.bound(region));
  }
}

void gap_arms_l1(benchmark::State& state) {
  gap(state, arms_instance(state.range(0), 4), gap::GapRegion::L1);
}

void gap_arms_ellipsoid(benchmark::State& state) {
  gap(state, arms_instance(state.range(0), 4), gap::GapRegion::Ellipsoid);
}

void gap_box_l1(benchmark::State& state) {
  gap(state, box_instance(state.range(0)), gap::GapRegion::L1);
}

BENCHMARK(solver_corner)->RangeMultiplier(2)->Range(2, 32);
BENCHMARK(solver_one_cone)->RangeMultiplier(2)->Range(2, 32);
BENCHMARK(solver_one_cone_cold)->RangeMultiplier(2)->Range(2, 32);
BENCHMARK(solver_three_cones)->RangeMultiplier(2)->Range(2, 32);
BENCHMARK(solver_three_cones_cold)->RangeMultiplier(2)->Range(2, 32);
BENCHMARK(certificate)->RangeMultiplier(2)->Range(2, 64);
BENCHMARK(gap_arms_l1)->Arg(15)->Arg(60);
BENCHMARK(gap_arms_ellipsoid)->Arg(15)->Arg(60);
BENCHMARK(gap_box_l1)->RangeMultiplier(2)->Range(2, 8);

}  // namespace
}  // namespace foothold::bench
