#pragma once

#include <cstdint>
#include <memory>

#include <Eigen/Core>

#include "foothold/config/experiment.hpp"
#include "foothold/estimation/ridge_estimate.hpp"
#include "foothold/safety/problem.hpp"

#include "play/optimum_watch.hpp"

namespace foothold::simulation {

/// One who plays an episode: what the runner needs of a learner, a policy or `UnsafeLucb`. Chooses,
/// and is told the losses by ticket.
class Contestant {
 public:
  Contestant() = default;
  Contestant(const Contestant&) = delete;
  Contestant& operator=(const Contestant&) = delete;
  Contestant(Contestant&&) = delete;
  Contestant& operator=(Contestant&&) = delete;
  virtual ~Contestant() = default;

  /// The action of the next round, valid until the next call.
  [[nodiscard]] virtual const Eigen::VectorXd& choose() = 0;
  /// The same among the rows of `arms`, for contextual problems.
  [[nodiscard]] virtual const Eigen::VectorXd& choose(const Eigen::MatrixXd& arms) = 0;
  /// Names the round that the last `choose` opened.
  [[nodiscard]] virtual std::uint64_t ticket() const = 0;
  virtual void tell(std::uint64_t ticket, double loss) = 0;
  virtual void abandon(std::uint64_t ticket) = 0;

  [[nodiscard]] virtual const estimation::RidgeEstimate& estimate() const = 0;
  [[nodiscard]] virtual estimation::RadiusForm radius_form() const = 0;
  [[nodiscard]] virtual std::int64_t warmup() const = 0;
  [[nodiscard]] virtual bool is_warming_up() const = 0;
  /// Rounds played so far to learn what is safe, warm-up aside.
  [[nodiscard]] virtual std::int64_t explorations() const = 0;
  /// Whether the watched optimum is certified now, given β of this state.
  [[nodiscard]] virtual bool is_certified(OptimumWatch& optimum, double radius) const = 0;
};

/// The contestant of a policy's configuration for a resolved problem. `options` carries the run's
/// horizon, seed and safety gap.
[[nodiscard]] std::unique_ptr<Contestant> make_contestant(const config::PolicyConfig& config,
                                                          const safety::Problem& problem,
                                                          const policy::PolicyOptions& options);

}  // namespace foothold::simulation
