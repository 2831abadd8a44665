#pragma once

#include <Eigen/Core>

#include "foothold/selection/cone_program.hpp"

#include "face_minimum.hpp"
#include "warm_start.hpp"

namespace foothold::selection {

// One centred cone over a box: guesses which coordinates sit at their bounds, solves the face in
// closed form, and corrects the guess by the signs it finds. Warm-started, the first guess is
// nearly always right.
class BoxActiveSet {
 public:
  explicit BoxActiveSet(Eigen::Index dim);

  // Takes over the cone of a new round: Q = MᵀM. O(d³).
  void load(const ConeProgram& program);

  // From the guess in `warm`; true if a consistent face was found, which then fills u and the
  // multipliers of `solution`. The caller verifies it by the duality gap.
  bool solve(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v,
             WarmStart& warm, ConeSolution& solution);

 private:
  Eigen::Index collect(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v,
                       const WarmStart& warm);
  // Corrects the guess; returns how many coordinates changed. `only_worst` changes one.
  int correct(const ConeProgram& program, const Eigen::Ref<const Eigen::VectorXd>& v,
              bool only_worst, WarmStart& warm);

  Eigen::MatrixXd Q_;
  FaceMinimum face_;
  std::vector<Eigen::Index> free_;
  Eigen::VectorXd fixed_;  // the bound of each fixed coordinate, 0 elsewhere
  Eigen::VectorXd u_;
  Eigen::VectorXd Q_fixed_;
  Eigen::VectorXd Q_u_;
  Eigen::VectorXd gradient_;
};

}  // namespace foothold::selection
