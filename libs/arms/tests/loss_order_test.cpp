#include "ranking/loss_order.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "foothold/base/infinity.hpp"
#include "foothold/base/random_stream.hpp"

namespace foothold::arms {
namespace {

// All arms in the order in which they are taken.
std::vector<Eigen::Index> taken(Eigen::VectorXd losses, Eigen::Index count) {
  LossOrder order;
  order.begin(losses, count);
  std::vector<Eigen::Index> arms;
  for (Eigen::Index arm = order.first(); arm >= 0; arm = order.first()) {
    arms.push_back(arm);
    losses(arm) = kInfinity;
    order.look_again(arm);
  }
  return arms;
}

class LossOrderSizes : public ::testing::TestWithParam<Eigen::Index> {};

// Against a stable sort; few different losses, so that many are equal.
TEST_P(LossOrderSizes, IsThatOfAStableSort) {
  const Eigen::Index count = GetParam();
  RandomStream random(/*seed=*/31, static_cast<std::uint64_t>(count));
  Eigen::VectorXd losses(count + 8);
  for (Eigen::Index i = 0; i < losses.size(); ++i) {
    losses(i) = static_cast<double>(random.index(100)) - 50.0;
  }
  losses.tail(8).setConstant(-kInfinity);  // behind the last arm: not looked at
  std::vector<Eigen::Index> expected(static_cast<std::size_t>(count));
  std::iota(expected.begin(), expected.end(), 0);
  std::ranges::stable_sort(expected,
                           [&](Eigen::Index a, Eigen::Index b) { return losses(a) < losses(b); });
  EXPECT_EQ(taken(losses, count), expected);
}

INSTANTIATE_TEST_SUITE_P(Sizes, LossOrderSizes,
                         ::testing::Values(1, 2, 15, 16, 17, 63, 64, 65, 100, 129, 1000, 4096, 4097,
                                           5000));

TEST(LossOrder, OfNothingHasNoFirst) {
  EXPECT_TRUE(taken(Eigen::VectorXd::Zero(8), 0).empty());
}

TEST(LossOrder, LeavesOutWhatHasNoLoss) {
  Eigen::VectorXd losses = Eigen::VectorXd::LinSpaced(70, 0.0, 69.0);
  losses(0) = kNaN;
  losses(1) = kInfinity;
  losses(66) = kNaN;
  losses(3) = -kInfinity;
  const std::vector<Eigen::Index> arms = taken(losses, losses.size());
  EXPECT_EQ(arms.size(), 67U);
  EXPECT_EQ(arms.front(), 3);
  EXPECT_EQ(arms[1], 2);
  EXPECT_EQ(std::ranges::count(arms, 66), 0);
  losses.setConstant(kNaN);
  EXPECT_TRUE(taken(losses, losses.size()).empty());
}

}  // namespace
}  // namespace foothold::arms
