#pragma once

#include <Eigen/Core>

namespace foothold::cone {

// The problem on one face, one cone, after elimination of the fixed part: with coordinates t in
// the face and u = fixed + N t,
//
//     min { v'ᵀt : c0 − a'ᵀt ≥ ρ √( ‖t‖²_{Q'} + 2 gᵀt + r0 ) },
//
// Q' = NᵀQN, a' = Nᵀa, v' = Nᵀv, g = NᵀQ·fixed, r0 = ‖fixed‖²_Q, c0 = c − aᵀfixed.
enum class FaceStatus { Optimal, Infeasible, Unbounded, Singular };

// Closed form of docs/algorithms/cone_solver.md. Workspaces are kept between calls.
class FaceMinimum {
 public:
  explicit FaceMinimum(Eigen::Index max_dim);

  // Inputs of the next solve: the leading n rows and columns count.
  Eigen::MatrixXd Q;
  Eigen::VectorXd a;
  Eigen::VectorXd v;
  Eigen::VectorXd g;
  double r0 = 0.0;
  double c0 = 0.0;
  double rho = 0.0;

  FaceStatus solve(Eigen::Index n);

  // The minimiser, n entries; if the face is unbounded, a direction that goes down within the cone.
  Eigen::VectorXd t;
  double tau = 0.0;   // multiplier of the cone
  double norm = 0.0;  // ‖u‖_Q at the minimiser

 private:
  // For a number of free coordinates that the compiler knows, or for any.
  template <int Fixed>
  FaceStatus solve_sized(Eigen::Index size);
  template <int Fixed>
  bool factor(Eigen::Index size);
  template <int Fixed>
  void substitute(Eigen::Index size);
  template <int Fixed>
  void substitute_back(Eigen::Index size);
  bool set_ray(Eigen::Index n, double U, double V, double W);

  Eigen::MatrixXd L_;
  Eigen::VectorXd pivots_;  // D
  Eigen::VectorXd inverse_pivots_;
  Eigen::VectorXd ya_;
  Eigen::VectorXd yv_;
  Eigen::VectorXd yg_;
};

}  // namespace foothold::cone
