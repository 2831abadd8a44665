#include "ball_gap.hpp"

#include <algorithm>
#include <variant>

#include <Eigen/Eigenvalues>

#include "foothold/base/infinity.hpp"
#include "foothold/base/rounding.hpp"
#include "foothold/geometry/ball.hpp"

namespace foothold::gap {

GapEstimate ball_gap(const safety::Problem& problem, RegionProgram& program) {
  const double r = std::get<geometry::Ball>(problem.decision_set).radius();
  const Eigen::VectorXd& mu_hat = program.mu_hat();
  const Eigen::VectorXd x0 = problem.centre();
  const double rho = program.euclidean_radius();
  const double size = mu_hat.norm();
  const auto d = static_cast<double>(program.dim());
  program.clear_rows();
  double smallest = kInfinity;
  for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
    const Eigen::MatrixXd& B = problem.constraints[k].matrix;
    const Eigen::MatrixXd H = 0.5 * (B + B.transpose());
    const Eigen::VectorXd eigenvalues =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(H, Eigen::EigenvaluesOnly).eigenvalues();
    const double norm = eigenvalues.cwiseAbs().maxCoeff();
    // The eigenvalues err by a modest multiple of u‖H‖, the rest by less.
    const double rounding = rounding::gamma(64.0 * d + 64.0) * norm;
    const double at_estimate = size > 0.0 ? mu_hat.dot(H * mu_hat) / size : 0.0;
    const double by_slope = at_estimate - 2.0 * norm * rho - rounding * (size + 2.0 * rho);
    const double by_sign = (std::min(0.0, eigenvalues.minCoeff()) - rounding) * (size + rho);
    const double baseline = program.minimum(program.form(B * x0));
    smallest = std::min(smallest, problem.room(k) + r * std::max(by_slope, by_sign) + baseline);
  }
  GapEstimate estimate;
  estimate.value = smallest > 0.0 ? smallest : 0.0;
  return estimate;
}

}  // namespace foothold::gap
