#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/base/random_stream.hpp"
#include "foothold/config/experiment.hpp"
#include "foothold/safety/problem.hpp"
#include "foothold/simulation/world/best_safe_action.hpp"

namespace foothold::simulation {

/// One draw of the noise η: N(0, scale²), uniform on ±√3·scale, or ±scale. Takes one
/// draw of the stream in every case, so that the position of the stream is the round.
[[nodiscard]] double draw_noise(const config::NoiseConfig& noise, RandomStream& random);

/// What is true: the parameter μ behind losses and constraints. A value; its functions are
/// const, and `mean_loss` and `margin` do not allocate.
class Environment {
 public:
  /// Requires a valid problem. Throws as `best_safe_action` does, contextual arms aside.
  Environment(const safety::Problem& problem, Eigen::VectorXd parameter);

  [[nodiscard]] const Eigen::VectorXd& parameter() const noexcept { return parameter_; }  ///< μ
  /// x*; without an action and with NaN for contextual arms, where every round has its own.
  [[nodiscard]] const BestSafeAction& best() const noexcept { return best_; }

  /// The best safe one of the rows of `arms`, the first among equals. Safe means `margin` ≥ 0.
  /// Throws `Error{InvalidArgument, "arms"}` if none is.
  [[nodiscard]] BestSafeAction best_among(const Eigen::MatrixXd& arms) const;

  /// μᵀx: the loss without its noise.
  [[nodiscard]] double mean_loss(const Eigen::VectorXd& action) const;

  /// min_k (c_k − μᵀB_k x): negative exactly when x violates a constraint. Computed in doubled
  /// precision, because a safe learner plays on the limit: a relative error of 10⁻³⁰ and no
  /// tolerance decide, not the rounding of a double.
  [[nodiscard]] double margin(const Eigen::VectorXd& action) const;

 private:
  // The constraint as the learner's actions meet it: qᵀx ≤ c with q = Bᵀμ = high + low.
  struct Row {
    Eigen::VectorXd high{};
    Eigen::VectorXd low{};
    double limit = 0.0;
  };

  Eigen::VectorXd parameter_;
  std::vector<Row> rows_;
  BestSafeAction best_;
};

}  // namespace foothold::simulation
