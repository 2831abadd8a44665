#pragma once

#include <Eigen/Core>

namespace foothold::safety {

// B of the paper's polytope [AAT19, App. F].
inline Eigen::MatrixXd paper_matrix() {
  return Eigen::Matrix2d{{0.6, 1.8}, {1.8, 0.4}};
}

}  // namespace foothold::safety
