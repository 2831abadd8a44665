#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/base/infinity.hpp"

namespace foothold::cone {

/// The convex constraint  aᵀu + ρ‖Mu + e‖₂ ≤ c.
struct Cone {
  Eigen::VectorXd a{};
  Eigen::MatrixXd M{};
  Eigen::VectorXd e{};
  double rho = 0.0;
  double c = 0.0;
  bool is_centred = true;  ///< e = 0: then the left-hand side is positively homogeneous.

  [[nodiscard]] double value(const Eigen::Ref<const Eigen::VectorXd>& u) const;
};

/// The inner problem of optimism, in coordinates u = x − x₀ around the problem's centre:
///
///     f(v) = min { vᵀu : lower ≤ u ≤ upper, Gu ≤ h, a_kᵀu + ρ_k‖M_k u + e_k‖ ≤ c_k },
///
/// a linear objective under second-order cones (not a quadratic program, as [AAT19, App. D] says).
/// u = 0 satisfies everything strictly. The box is either the decision set itself, or only a
/// box that contains it (polytope, ball): then its sides are valid but not constraints, and
/// serve to turn any multipliers into a proved bound.
struct ConeProgram {
  Eigen::VectorXd lower{};
  Eigen::VectorXd upper{};
  bool box_is_constraint = false;
  Eigen::MatrixXd G{};
  Eigen::VectorXd h{};
  std::vector<Cone> cones{};

  [[nodiscard]] Eigen::Index dim() const noexcept { return lower.size(); }
};

/// Multipliers: η ≥ 0 of the rows, τ_k ≥ 0 of the cones and the unit vectors w_k, ‖w_k‖ ≤ 1, at
/// which the cones' norms are supported. Those of the box are implied by the others.
struct ConeMultipliers {
  Eigen::VectorXd eta{};
  Eigen::VectorXd tau{};
  Eigen::MatrixXd w{};  ///< One column per cone.
};

/// min over the feasible set of vᵀu is at least
///
///     −hᵀη − Σ_k τ_k(c_k − ρ_k w_kᵀe_k) + min { gᵀu : lower ≤ u ≤ upper },
///     g = v + Gᵀη + Σ_k τ_k(a_k + ρ_k M_kᵀw_k),
///
/// for all multipliers (weak duality): a proof of optimality that needs no trust in the solver.
/// `g` is a workspace of size d.
[[nodiscard]] double dual_bound(const ConeProgram& program,
                                const Eigen::Ref<const Eigen::VectorXd>& v,
                                const ConeMultipliers& multipliers, Eigen::VectorXd& g);

/// The largest t ≤ 1 for which t·u satisfies the program up to rounding.
[[nodiscard]] double feasible_scale(const ConeProgram& program,
                                    const Eigen::Ref<const Eigen::VectorXd>& u);

enum class SolveStatus {
  Optimal,    ///< The duality gap is below the tolerance.
  Inaccurate  ///< The point is feasible and the bound holds, but the gap is larger.
};

/// Which method produced a solution; for statistics and tests.
enum class SolvePath { Corner, ActiveSet, SingleCone, Newton, InteriorPoint, LinearProgram };

/// A solution with its proof.
struct ConeSolution {
  SolveStatus status = SolveStatus::Inaccurate;
  SolvePath path = SolvePath::Corner;
  Eigen::VectorXd u{};       ///< Feasible up to rounding.
  double value = kNaN;       ///< vᵀu
  double dual_bound = kNaN;  ///< ≤ f(v)
  ConeMultipliers multipliers{};
  int iterations = 0;
};

}  // namespace foothold::cone
