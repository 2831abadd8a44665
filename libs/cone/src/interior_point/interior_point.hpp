#pragma once

#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "foothold/cone/cone_program.hpp"

#include "interior_point/second_order_cone.hpp"

namespace foothold::cone {

// A primal-dual path-following method (Mehrotra's predictor and corrector, Nesterov–Todd scaling
// [Van10]) for any ConeProgram. u = 0 is strictly feasible, so the iterates stay primal feasible
// and no phase one is needed. The general path: slower than the active-set methods, never stuck.
// No allocation after the first program of a shape.
class InteriorPoint {
 public:
  // Takes over the constraints, scaled to a unit box and unit limits.
  void load(const ConeProgram& program);

  // Fills u and the multipliers of `solution`; the caller verifies them.
  void solve(const Eigen::Ref<const Eigen::VectorXd>& v, ConeSolution& solution);

 private:
  struct Block {  // one second-order cone: s = h − G u
    Eigen::MatrixXd G;
    Eigen::VectorXd h;
    Eigen::VectorXd s;
    Eigen::VectorXd z;
    Eigen::VectorXd lambda;
    Eigen::MatrixXd scaled_G;
    Eigen::VectorXd step_s;
    Eigen::VectorXd step_z;
    Eigen::VectorXd target;
    soc::Scaling scaling;
    double unit = 1.0;  // what the limit was divided by
  };

  void reshape(const ConeProgram& program);
  void start(const Eigen::Ref<const Eigen::VectorXd>& v);
  void update_slacks();
  bool scale_and_factor();
  // Solves for the step whose complementarity targets are in target_/block.target.
  void find_step(double residual_share);
  [[nodiscard]] double max_step() const;
  void set_affine_targets();
  void set_centring_targets(double sigma_mu);
  [[nodiscard]] double gap() const;
  void update_residual();
  bool advance();
  void write_solution(const Eigen::Ref<const Eigen::VectorXd>& v, ConeSolution& solution) const;

  Eigen::Index dim_ = 0;
  Eigen::Index rows_ = 0;
  Eigen::VectorXd width_;  // u = width ∘ y, y the variable of the method
  Eigen::VectorXd row_units_;
  Eigen::MatrixXd G_;
  Eigen::VectorXd h_;
  Eigen::VectorXd s_;
  Eigen::VectorXd z_;
  Eigen::VectorXd lambda_;
  Eigen::VectorXd weight_;
  Eigen::VectorXd step_s_;
  Eigen::VectorXd step_z_;
  Eigen::VectorXd target_;
  Eigen::MatrixXd scaled_G_;
  std::vector<Block> blocks_;
  Eigen::VectorXd objective_;
  Eigen::VectorXd y_;
  Eigen::VectorXd step_y_;
  Eigen::VectorXd rhs_;
  Eigen::VectorXd residual_;
  Eigen::MatrixXd normal_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

}  // namespace foothold::cone
