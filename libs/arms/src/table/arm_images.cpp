#include "table/arm_images.hpp"

#include "foothold/safety/safe_set.hpp"

namespace foothold::arms {

ArmImages::ArmImages(const safety::Problem& problem, const ArmTable& arms) : arms_(&arms) {
  const ArmBlock<double> block = arms.block();
  const Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>> features(
      block.data, block.count, problem.dim(), Eigen::OuterStride<>(block.stride));
  const Eigen::VectorXd centre = problem.centre();
  length_ = (features.rowwise().norm().maxCoeff() + centre.norm()) * (1.0 + 1e-9);
  const safety::SafeSet safe_set(problem);
  for (std::size_t k = 0; k < safe_set.constraints(); ++k) {
    const Eigen::MatrixXd images =
        (features.rowwise() - centre.transpose()) * safe_set.matrix(k).transpose();
    images_.emplace_back().assign_all(images);
    prior_bounds_.emplace_back(Eigen::VectorXd::Zero(padded<double>(block.count)))
        .head(block.count) = safe_set.norm_bound(k) * images.rowwise().norm();
  }
}

}  // namespace foothold::arms
