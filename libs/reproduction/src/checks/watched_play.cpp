#include "checks/watched_play.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>

#include "foothold/simulation/world/best_safe_action.hpp"
#include "foothold/simulation/world/common_random_numbers.hpp"
#include "foothold/simulation/world/environment.hpp"

namespace foothold::reproduction {
namespace {

constexpr std::int64_t kReportedRounds = 256;

// The rules of the game, and what a run is measured with. Independent of safety::SafeSet on
// purpose: what the reproduction claims about the certified set is computed from the paper's
// formulas, with μ and the factor themselves. Only κ is shared.
class Watch {
 public:
  Watch(const safety::Problem& problem, const Eigen::VectorXd& mu, const policy::SafeLucb& policy)
      : policy_(policy),
        mu_(mu),
        best_(simulation::best_safe_action(problem, mu)),
        z_star_(problem.constraints.front().matrix * best_.action),
        limit_(problem.constraints.front().limit),
        factor_(safety::caution_factor(policy.options().caution, problem.dim())) {
    run_.warmup = policy.warmup();
    run_.largest_safety = -std::numeric_limits<double>::infinity();
  }

  // The state in which round t is decided.
  void look_before(std::int64_t round) {
    const estimation::RidgeEstimate& estimate = policy_.estimate();
    const double beta = estimate.radius(policy_.options().radius);
    run_.is_covered = run_.is_covered && estimate.region_contains(mu_, beta);
    if (round <= run_.warmup) {
      return;
    }
    if (round == run_.warmup + 1) {
      const Eigen::MatrixXd& F = estimate.gram().factor();
      const Eigen::MatrixXd A = F.triangularView<Eigen::Lower>() * F.transpose();
      run_.min_eigenvalue = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A).eigenvalues()(0);
    }
    const double half_width = factor_ * beta * norm(z_star_);
    const double used = mu_.dot(z_star_);
    if (used + 2.0 * half_width > limit_) {
      run_.shortfall_sum += 1.0 - std::min(limit_ / (used + 2.0 * half_width), 1.0);
    }
    note_optimum(round, estimate.mu_hat().dot(z_star_) + half_width <= limit_);
  }

  // The decision of round t, before its loss is told.
  void look_at(std::int64_t round, const policy::Decision& decision, const Eigen::MatrixXd& B) {
    const double loss = mu_.dot(decision.action);
    run_.regret += loss - best_.loss;
    run_.violations += mu_.dot(B * decision.action) > limit_ ? 1 : 0;
    if (round <= run_.warmup) {
      return;
    }
    const double width = norm(decision.action);
    run_.width_sum += std::min(width * width, 1.0);
    run_.optimism_sum += loss - decision.optimistic_loss;
    run_.safety_sum += decision.optimistic_loss - best_.loss;
    run_.largest_safety = std::max(run_.largest_safety, decision.optimistic_loss - best_.loss);
  }

  [[nodiscard]] const WatchedRun& run() const noexcept { return run_; }

 private:
  // ‖z‖_{A⁻¹}
  [[nodiscard]] double norm(const Eigen::VectorXd& z) const {
    const Eigen::MatrixXd& F = policy_.estimate().gram().factor();
    return F.triangularView<Eigen::Lower>().solve(z).norm();
  }

  void note_optimum(std::int64_t round, bool is_inside) {
    // A nested policy remembers: only its certificate knows.
    if (policy_.options().nested && !is_inside) {
      is_inside = std::ranges::all_of(policy_.certify(best_.action).constraints,
                                      [](const auto& entry) { return entry.is_safe(); });
    }
    run_.keeps_optimum = run_.keeps_optimum && is_inside;
    run_.loses_optimum = run_.loses_optimum || (run_.certified_round > 0 && !is_inside);
    if (is_inside && run_.certified_round == 0) {
      run_.certified_round = round;
    }
  }

  const policy::SafeLucb& policy_;
  const Eigen::VectorXd& mu_;
  simulation::BestSafeAction best_;
  Eigen::VectorXd z_star_;  // Bx*
  double limit_;
  double factor_;
  WatchedRun run_;
};

}  // namespace

WatchedRun watched_play(const WatchedSetup& setup) {
  const safety::Problem problem = safety::resolved(setup.experiment.problem.value());
  const config::EnvironmentConfig& truth = setup.experiment.environment.value();
  const std::uint64_t seed = setup.experiment.seed;
  policy::PolicyOptions options = setup.options;
  options.horizon = setup.horizon;
  options.seed = simulation::policy_seed_of_run(seed, setup.run);
  policy::SafeLucb policy(problem, options);
  RandomStream noise = simulation::noise_of_run(seed, setup.run);
  const Eigen::MatrixXd& B = problem.constraints.front().matrix;

  Watch watch(problem, truth.parameter, policy);
  for (std::int64_t round = 1; round <= setup.horizon; ++round) {
    watch.look_before(round);
    const policy::Decision& decision = policy.ask();
    watch.look_at(round, decision, B);
    const double loss = truth.parameter.dot(decision.action);
    policy.tell(decision.id, loss + simulation::draw_noise(truth.noise, noise));
    if (setup.go_on && (round % kReportedRounds == 0 || round == setup.horizon) &&
        !setup.go_on((round - 1) % kReportedRounds + 1)) {
      break;
    }
  }
  return watch.run();
}

}  // namespace foothold::reproduction
