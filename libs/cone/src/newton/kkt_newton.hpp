#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/cone/cone_program.hpp"

namespace foothold::cone {

// Newton's method on the optimality conditions of a ConeProgram with a guess of the active
// constraints: the polish of an interior-point solution and the warm start of the next round.
//
//     v + Σ_{i∈W} η_i g_i + Σ_{k∈K} τ_k ∇f_k(u) = 0,   g_iᵀu = h_i (i ∈ W),   f_k(u) = c_k (k ∈ K),
//
// f_k(u) = a_kᵀu + ρ_k‖M_k u + e_k‖. Quadratically convergent from close by; the caller verifies
// the result by its duality gap, so a wrong guess costs time only.
class KktNewton {
 public:
  // Makes room for programs of this shape; `improve` allocates nothing then.
  void reshape(const ConeProgram& program);

  // Improves `solution` in place, with the active constraints judged by its multipliers and
  // slacks, and changed one by one as Newton's method shows them to be wrong: at most `iterations`
  // steps between two changes. Returns false if the system was singular; then `solution` is of no
  // use.
  bool improve(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v,
               int iterations, ConeSolution& solution);

 private:
  void choose_active(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v,
                     const ConeSolution& solution);
  // Newton's method with the active constraints as they are.
  bool iterate(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v,
               int iterations);
  bool add_violated(const ConeProgram& program);
  bool drop_negative(const ConeProgram& program);
  void report(const ConeProgram& program, ConeSolution& solution) const;
  bool step(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v);
  // step ← system⁻¹ rhs, both overwritten. False if an entry is not finite.
  bool solve_system(Eigen::Index size);
  void equilibrate(Eigen::Index size);

  struct ActiveRow {
    Eigen::Index index;  // of G, or of the coordinate if `side` is not 0
    int side;            // 0: row of G; ±1: upper or lower side of the box
  };
  std::vector<ActiveRow> active_rows_;
  std::vector<std::size_t> active_cones_;
  double range_ = 0.0;      // Σ|v_i| width_i
  double last_step_ = 0.0;  // in widths of the box
  Eigen::VectorXd u_;
  Eigen::VectorXd row_multipliers_;
  Eigen::VectorXd cone_multipliers_;
  Eigen::MatrixXd system_;
  Eigen::VectorXd rhs_;
  Eigen::VectorXd step_;
  Eigen::VectorXd scale_;            // of rows and columns of the system
  Eigen::VectorXd factor_;           // of one pass of the scaling
  std::vector<Eigen::Index> order_;  // which unknown a column belongs to
  Eigen::VectorXd image_;
  Eigen::VectorXd gradient_;
  Eigen::VectorXd reduced_;
};

}  // namespace foothold::cone
