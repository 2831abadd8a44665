#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/cone/active_set/face_minimum.hpp"
#include "foothold/cone/quadratic_cone.hpp"

namespace foothold::cone {

// How a search for the active set ended.
enum class ActiveSetStatus {
  Optimal,  // a consistent face; the caller verifies it by the duality gap
  CutOff,   // not finished: the dual bound of an iterate has reached the caller's cutoff
  Failed
};

// One centred cone over a box: guesses which coordinates sit at their bounds, solves the face in
// closed form, and corrects the guess by the signs it finds. Warm-started, the first guess is
// nearly always right. No allocation after construction.
class BoxActiveSet {
 public:
  explicit BoxActiveSet(Eigen::Index dim);

  // min { vᵀu } from the guess in `side` (one entry a coordinate: −1 at lower, +1 at upper, 0
  // free), which is corrected on the way. Stops as soon as the minimum is proved to be at least
  // `cutoff`.
  ActiveSetStatus solve(const QuadraticCone& cone, const Eigen::VectorXd& lower,
                        const Eigen::VectorXd& upper, const Eigen::VectorXd& v, double cutoff,
                        signed char* side);

  // As above for what the guesses do not settle: a primal active-set method from u = 0, which
  // changes one coordinate at a time and every step of which stays feasible and goes down, so that
  // it ends. `side` is only written.
  ActiveSetStatus descend(const QuadraticCone& cone, const Eigen::VectorXd& lower,
                          const Eigen::VectorXd& upper, const Eigen::VectorXd& v, double cutoff,
                          signed char* side);

  // The last iterate: the point, Q times it, the multiplier of the cone, and a proved lower
  // bound on the minimum.
  [[nodiscard]] const Eigen::VectorXd& u() const noexcept { return u_; }
  [[nodiscard]] const Eigen::VectorXd& image() const noexcept { return Q_u_; }
  [[nodiscard]] double tau() const noexcept { return face_.tau; }
  [[nodiscard]] double norm() const noexcept { return norm_; }  // ‖u‖_Q
  [[nodiscard]] double dual_bound() const noexcept { return dual_bound_; }
  [[nodiscard]] int steps() const noexcept { return steps_; }

 private:
  // The steps of both, for a dimension that the compiler knows or for any.
  template <int Fixed>
  ActiveSetStatus solve_sized(const QuadraticCone& cone, const Eigen::VectorXd& lower,
                              const Eigen::VectorXd& upper, const Eigen::VectorXd& v, double cutoff,
                              signed char* side);
  template <int Fixed>
  Eigen::Index collect(const QuadraticCone& cone, const Eigen::VectorXd& lower,
                       const Eigen::VectorXd& upper, const Eigen::VectorXd& v,
                       const signed char* side);
  template <int Fixed>
  void set_iterate(const QuadraticCone& cone, Eigen::Index n);
  // Where a step of `descend` leads: to the optimum of the face, or for ever down within the cone.
  enum class Direction { Optimum, Ray, None };
  Direction aim(const QuadraticCone& cone, const Eigen::VectorXd& lower,
                const Eigen::VectorXd& upper, const Eigen::VectorXd& v, Eigen::Index n);
  // Moves point_ to u_, or along u_ if that is a ray, until a side stops it; returns whether one
  // did.
  bool move(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, bool is_ray,
            signed char* side);
  template <int Fixed>
  void bound_iterate(const QuadraticCone& cone, const Eigen::VectorXd& lower,
                     const Eigen::VectorXd& upper, const Eigen::VectorXd& v);
  // Corrects the guess; returns how many coordinates changed.
  template <int Fixed>
  int correct_all(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, double slope,
                  signed char* side) const;
  // Corrects only the worst fault.
  int correct_worst(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, double slope,
                    signed char* side) const;

  FaceMinimum face_;
  std::vector<Eigen::Index> free_;
  Eigen::VectorXd fixed_;  // the bound of each fixed coordinate, 0 elsewhere
  Eigen::VectorXd u_;
  Eigen::VectorXd point_;  // of `descend`
  Eigen::VectorXd Q_fixed_;
  Eigen::VectorXd Q_u_;
  Eigen::VectorXd gradient_;
  double norm_ = 0.0;
  double dual_bound_ = 0.0;
  int steps_ = 0;
};

}  // namespace foothold::cone
