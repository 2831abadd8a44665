#include "ranking/loss_order.hpp"

#include <algorithm>
#include <array>

#include "foothold/base/infinity.hpp"

namespace foothold::arms {
namespace {

constexpr Eigen::Index kShortestBlock = 64;

// Smallest values side by side, since each waits for the one before. What is not a number is not
// smaller than anything.
constexpr Eigen::Index kLanes = 16;

double least_of(const double* values, Eigen::Index count) {
  std::array<double, kLanes> least{};
  least.fill(kInfinity);
  double* __restrict lanes = least.data();
  Eigen::Index i = 0;
  for (; i + kLanes <= count; i += kLanes) {
#pragma GCC unroll 1
    for (Eigen::Index lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = values[i + lane] < lanes[lane] ? values[i + lane] : lanes[lane];
    }
  }
  for (; i < count; ++i) {
    lanes[0] = values[i] < lanes[0] ? values[i] : lanes[0];
  }
  return *std::min_element(least.begin(), least.end());
}

// The first of so many values that equals `wanted`, which is among them.
Eigen::Index place_of(double wanted, const double* values, Eigen::Index count) {
  return std::find(values, values + count, wanted) - values;
}

}  // namespace

Eigen::Index LossOrder::block_length(Eigen::Index count) {
  Eigen::Index length = kShortestBlock;
  while (length * length < count) {
    length *= 2;
  }
  return length;
}

void LossOrder::reserve(Eigen::Index count) {
  // Somewhat fewer arms may be in more blocks: as many as the shorter ones are long.
  const Eigen::Index length = block_length(count);
  const Eigen::Index shorter = length > kShortestBlock ? length / 2 : 0;
  least_.resize(std::max({least_.size(), (count + length - 1) / length, shorter}));
}

void LossOrder::begin(const Eigen::VectorXd& losses, Eigen::Index count) {
  losses_ = losses.data();
  count_ = count;
  length_ = block_length(count);
  blocks_ = (count + length_ - 1) / length_;
  if (least_.size() < blocks_) {
    least_.resize(blocks_);
  }
  for (Eigen::Index block = 0; block < blocks_; ++block) {
    look_at(block);
  }
}

Eigen::Index LossOrder::first() const {
  const double least = least_of(least_.data(), blocks_);
  if (!(least < kInfinity)) {
    return -1;
  }
  const Eigen::Index start = length_ * place_of(least, least_.data(), blocks_);
  return start + place_of(least, losses_ + start, std::min(length_, count_ - start));
}

void LossOrder::look_again(Eigen::Index arm) {
  look_at(arm / length_);
}

void LossOrder::look_at(Eigen::Index block) {
  const Eigen::Index start = block * length_;
  least_(block) = least_of(losses_ + start, std::min(length_, count_ - start));
}

}  // namespace foothold::arms
