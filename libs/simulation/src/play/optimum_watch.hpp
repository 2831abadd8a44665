#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/policy/learner.hpp"
#include "foothold/safety/problem.hpp"

namespace foothold::simulation {

/// Finds the first state that certifies x*. The exact certificate is asked for only if a
/// necessary condition holds, μ̂ᵀz_k + κβ‖z_k‖_{A⁻¹} ≤ m_k up to rounding for each constraint that
/// the foothold does not cover, which costs O(d²) and no allocation: asked every round,
/// certificates would cost as much as the learner itself.
class OptimumWatch {
 public:
  OptimumWatch(const safety::Problem& problem, const Eigen::VectorXd& optimum);

  /// `radius` is β of the policy's state. Whether x* lies in D₀ is not asked again: an optimum lies
  /// on its border, where rounding may refuse it.
  [[nodiscard]] bool is_certified(const policy::Learner& policy, double radius);

 private:
  struct Row {
    Eigen::VectorXd z{};    // B(x* − x₀)
    double room = 0.0;      // m
    bool is_known = false;  // S‖z‖ ≤ m, up to rounding
  };

  Eigen::VectorXd optimum_;
  std::vector<Row> rows_;
  Eigen::VectorXd whitened_;
};

}  // namespace foothold::simulation
