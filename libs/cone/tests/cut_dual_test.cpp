#include "foothold/cone/dual/cut_dual.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "random_program.hpp"

namespace foothold::cone {
namespace {

// Oracle: φ is concave and piecewise linear, so its maximum over τ ≥ 0 is at 0 or at a kink, if it
// has one; all of them are tried by the definition.
double largest_at_a_kink(const Eigen::VectorXd& p, const Eigen::VectorXd& g, double c,
                         const Eigen::VectorXd& lower, const Eigen::VectorXd& upper) {
  const auto phi = [&](double tau) {
    const Eigen::ArrayXd value = p + tau * g;
    return (value * lower.array()).min(value * upper.array()).sum() - c * tau;
  };
  double best = phi(0.0);
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    const double tau = -p(i) / g(i);
    if (tau > 0.0) {
      best = std::max(best, phi(tau));
    }
  }
  return best;
}

TEST(CutDual, FindsTheBestKinkFromAnyStart) {
  RandomStream random(/*seed=*/81, /*stream=*/0);
  for (int trial = 0; trial < 2000; ++trial) {
    const auto d = static_cast<Eigen::Index>(1 + random.index(9));
    const Eigen::VectorXd lower = -Eigen::VectorXd::Ones(d);
    const Eigen::VectorXd upper = Eigen::VectorXd::Constant(d, 0.5);
    CutDual dual(d);
    dual.p = testing::normal_vector(random, d);
    dual.g = testing::normal_vector(random, d);
    dual.c = 0.3;
    const double expected = largest_at_a_kink(dual.p, dual.g, dual.c, lower, upper);
    const double start = trial % 3 == 0 ? 0.0 : 2.0 * random.uniform();
    EXPECT_NEAR(dual.maximise(lower, upper, start), expected, 1e-12 * (1.0 + dual.p.norm()))
        << "trial " << trial;
  }
}

TEST(CutDual, LetsTheCoordinateOfItsKinkGo) {
  // p + τg = (−1 + τ, −2 + τ) on [−1, 1]²: the corner (1, 1) exceeds u₁ + u₂ ≤ 0.5, and the first
  // coordinate turns first, at τ = 1, where the slope 2 − 0.5 − 2 becomes negative.
  CutDual dual(2);
  dual.p = Eigen::Vector2d(-1.0, -2.0);
  dual.g = Eigen::Vector2d(1.0, 1.0);
  dual.c = 0.5;
  EXPECT_DOUBLE_EQ(dual.maximise(-Eigen::Vector2d::Ones(), Eigen::Vector2d::Ones(), 0.0), -1.5);
  std::vector<signed char> side(2);
  dual.read_sides(side.data());
  EXPECT_EQ(side, (std::vector<signed char>{0, 1}));
}

}  // namespace
}  // namespace foothold::cone
