#pragma once

#include <Eigen/Core>

namespace foothold::arms {

// Arms in the order of their losses, for those who want the first few of many: the smallest of
// every block is kept, so that the next arm costs a look at one block and at all smallest, O(√K).
class LossOrder {
 public:
  // Makes room, so that an order of no more arms than that does not allocate.
  void reserve(Eigen::Index count);

  // Starts with these losses, which must stay where they are. What is +∞ or not a number is not
  // among them.
  void begin(const Eigen::VectorXd& losses, Eigen::Index count);

  // The arm with the smallest loss, the first among equals; −1 if there is none.
  [[nodiscard]] Eigen::Index first() const;
  // The loss of this arm has changed.
  void look_again(Eigen::Index arm);

 private:
  void look_at(Eigen::Index block);
  [[nodiscard]] static Eigen::Index block_length(Eigen::Index count);

  const double* losses_ = nullptr;
  Eigen::Index count_ = 0;
  Eigen::Index length_ = 1;  // of a block, a power of two
  Eigen::Index blocks_ = 0;
  Eigen::VectorXd least_;  // of each block
};

}  // namespace foothold::arms
