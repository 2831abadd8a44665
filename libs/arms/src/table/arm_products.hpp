#pragma once

#include <vector>

#include <Eigen/Core>

#include "table/arm_forms.hpp"

namespace foothold::arms {

// So aligned that a register is loaded from one line of the cache.
using AlignedFloats = std::vector<float, Eigen::aligned_allocator<float>>;

// Values of many linear forms aᵀx − o on one tile of arms, in single precision. Several forms go
// through the registers together, so that an arm is loaded once for all of them, and products are
// fused where the CPU can: such values are used with bounds on their errors only. Where the value
// itself decides, it comes from arm_forms.hpp.
class ArmProducts {
 public:
  static constexpr Eigen::Index kTile = lanes::kTile<float>;

  // Room for `most` forms.
  ArmProducts(Eigen::Index dim, Eigen::Index most);

  // Sets form number `form`: a and o, rounded.
  void set(Eigen::Index form, const Eigen::VectorXd& a, double offset);

  // The values of at least the first `count` forms, kTile each. Entry j of arm i of the tile is
  // tile[j·kTile + i].
  void evaluate(const float* tile, Eigen::Index count);
  [[nodiscard]] const float* values(Eigen::Index form) const {
    return values_.data() + form * kTile;
  }

 private:
  static constexpr Eigen::Index kTogether = 2;  // forms; with kSide registers of arms each

  Eigen::Index dim_;
  AlignedFloats coefficients_;  // kTogether forms beside one another, entry by entry
  std::vector<float> offsets_;
  AlignedFloats values_;
};

}  // namespace foothold::arms
