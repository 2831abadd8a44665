#pragma once

#include <Eigen/Core>

#include "foothold/cone/cone_program.hpp"

namespace foothold::oracle {

// The value of a program without cones by Clp; NaN if it has cones or Clp fails.
[[nodiscard]] double value_by_clp(const cone::ConeProgram& program, const Eigen::VectorXd& v);

}  // namespace foothold::oracle
