#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/safety/problem.hpp"

#include "table/arm_forms.hpp"
#include "table/arm_table.hpp"

namespace foothold::arms {

// Fixed arms as the constraints see them, once for all rounds: z = B(x − x₀) and S‖z‖, in plain
// arithmetic.
class ArmImages {
 public:
  // Keeps a reference to the arms.
  ArmImages(const safety::Problem& problem, const ArmTable& arms);

  [[nodiscard]] bool are_of(const ArmBlock<double>& arms) const noexcept {
    return arms.data == arms_->block().data && arms.count == arms_->block().count;
  }
  // The images by one constraint, padded.
  [[nodiscard]] ArmBlock<double> block(std::size_t constraint) const {
    return images_[constraint].block();
  }
  // S‖z‖ of every arm, padded.
  [[nodiscard]] const Eigen::VectorXd& prior_bounds(std::size_t constraint) const {
    return prior_bounds_[constraint];
  }
  [[nodiscard]] double length() const noexcept { return length_; }  // ≥ ‖x‖ + ‖x₀‖ for every arm

 private:
  const ArmTable* arms_;
  std::vector<ArmTable> images_;
  std::vector<Eigen::VectorXd> prior_bounds_;
  double length_ = 0.0;
};

}  // namespace foothold::arms
