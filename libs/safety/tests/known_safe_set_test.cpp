#include "foothold/safety/known_safe_set.hpp"

#include <cmath>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include "foothold/base/error.hpp"

#include "paper_matrix.hpp"

namespace foothold::safety {
namespace {

Problem with(geometry::DecisionSet set, std::vector<SafetyConstraint> constraints,
             double norm_bound = 1.0) {
  return {.decision_set = std::move(set),
          .constraints = std::move(constraints),
          .assumptions = {.noise_scale = 0.1, .norm_bound = norm_bound}};
}

Problem based(Problem problem, const Eigen::VectorXd& action, double margin) {
  problem.baseline = Baseline{.action = action, .margin = margin};
  return problem;
}

// The simplex-like triangle x ≥ −0.5, y ≥ −0.5, x + y ≤ 1.
geometry::Polytope triangle() {
  return {Eigen::Matrix<double, 3, 2>{{1.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}},
          Eigen::Vector3d(1.0, 0.5, 0.5)};
}

struct Case {
  std::string name;
  Problem problem;
  bool is_exact;  // of the uniform sampler
};

void PrintTo(const Case& given, std::ostream* out) {
  *out << given.name;
}

std::vector<Case> cases() {
  using geometry::Ball;
  using geometry::Box;
  const Eigen::MatrixXd B = paper_matrix();
  const Eigen::MatrixXd rank_one = Eigen::Matrix2d{{1.0, 2.0}, {2.0, 4.0}};
  const Eigen::MatrixXd B3 = Eigen::Matrix3d{{1.0, 0.2, 0.0}, {-0.3, 2.0, 0.1}, {0.0, 0.5, 1.5}};
  const Eigen::MatrixXd line = Eigen::MatrixXd::Constant(1, 1, -2.0);
  return {
      {"PaperBox", with(Box::symmetric(2, 1.0), {{B, 0.9}}), true},
      {"BoxAndLargerNorm", with(Box::symmetric(2, 1.0), {{B, 0.9}}, 3.0), true},
      {"Ball", with(Ball(3, 1.0), {{B3, 0.7}}), true},
      {"Triangle", with(triangle(), {{B, 0.5}}), true},
      {"Line", with(Box::symmetric(1, 1.0), {{line, 0.5}}), true},
      {"BoxTooSmall", with(Box::symmetric(2, 0.1), {{B, 0.9}}), false},
      {"BallTooSmall", with(Ball(3, 0.1), {{B3, 0.7}}), false},
      {"TriangleTooSmall", with(triangle(), {{B, 5.0}}), false},
      {"Singular", with(Box::symmetric(2, 1.0), {{rank_one, 0.5}}), false},
      {"Zero", with(Ball(2, 0.5), {{Eigen::Matrix2d::Zero(), 0.5}}), false},
      {"TwoConstraints", with(Box::symmetric(2, 1.0), {{B, 0.9}, {rank_one, 0.4}}), false},
      {"ThreeConstraints",
       with(triangle(), {{B, 0.9}, {rank_one, 0.4}, {Eigen::Matrix2d::Zero(), 0.1}}, 2.0), false},
      {"BaselineInBox",
       based(with(Box::symmetric(2, 1.0), {{B, -0.2}}), Eigen::Vector2d(0.3, -0.2), 0.4), true},
      {"BaselineNearTheBorder",
       based(with(Box::symmetric(2, 1.0), {{B, 0.9}}), Eigen::Vector2d(0.9, 0.0), 0.8), false},
      {"BaselineInBall", based(with(Ball(2, 1.0), {{B, 0.9}}), Eigen::Vector2d(0.5, 0.5), 0.8),
       false},
      {"BaselineInTriangle",
       based(with(triangle(), {{B, 0.9}, {rank_one, 0.2}}), Eigen::Vector2d(0.1, 0.2), 0.3), false},
  };
}

// By how much x leaves D₀ or one of the a-priori bounds, relatively; ≤ 0 inside.
double violation(const Problem& problem, const Eigen::VectorXd& x) {
  double worst = -1.0;
  if (const auto* box = std::get_if<geometry::Box>(&problem.decision_set)) {
    worst = std::max((x - box->upper()).maxCoeff(), (box->lower() - x).maxCoeff());
  } else if (const auto* ball = std::get_if<geometry::Ball>(&problem.decision_set)) {
    worst = x.norm() - ball->radius();
  } else if (const auto* polytope = std::get_if<geometry::Polytope>(&problem.decision_set)) {
    worst = (polytope->normals() * x - polytope->offsets()).maxCoeff();
  }
  for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
    const Eigen::VectorXd z = problem.constraints[k].matrix * (x - problem.centre());
    const double room = problem.baseline ? problem.baseline->margin : problem.constraints[k].limit;
    worst = std::max(worst, problem.assumptions.norm_bound * z.norm() / room - 1.0);
  }
  return worst;
}

// The shape of the draws: { x : (x − x₀)ᵀM(x − x₀) ≤ 1 }, M as in the header's comment.
Eigen::MatrixXd shape(const Problem& problem, bool is_exact) {
  const Eigen::Index d = problem.dim();
  const Eigen::VectorXd x0 = problem.centre();
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(d, d);
  for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
    const double room = problem.baseline ? problem.baseline->margin : problem.constraints[k].limit;
    const Eigen::MatrixXd& B = problem.constraints[k].matrix;
    M += std::pow(problem.assumptions.norm_bound / room, 2.0) * B.transpose() * B;
  }
  if (is_exact) {
    return M;
  }
  if (const auto* box = std::get_if<geometry::Box>(&problem.decision_set)) {
    for (Eigen::Index i = 0; i < d; ++i) {
      M(i, i) += std::pow(box->upper()(i) - x0(i), -2.0) + std::pow(x0(i) - box->lower()(i), -2.0);
    }
  } else if (const auto* ball = std::get_if<geometry::Ball>(&problem.decision_set)) {
    M += Eigen::MatrixXd::Identity(d, d) * std::pow(ball->radius() - x0.norm(), -2.0);
  } else {
    const auto& polytope = std::get<geometry::Polytope>(problem.decision_set);
    for (Eigen::Index i = 0; i < polytope.offsets().size(); ++i) {
      const Eigen::VectorXd g = polytope.normals().row(i);
      M += g * g.transpose() * std::pow(polytope.offsets()(i) - g.dot(x0), -2.0);
    }
  }
  return M;
}

class Foothold : public ::testing::TestWithParam<Case> {
 protected:
  Foothold() : problem_(resolved(GetParam().problem)) {}

  Problem problem_;
};

TEST_P(Foothold, KnowsWhetherItsDrawsAreUniformOnAllOfIt) {
  EXPECT_EQ(KnownSafeSet(problem_, Sampler::Uniform).is_exact(), GetParam().is_exact);
}

TEST_P(Foothold, DrawsLieInIt) {
  for (const Sampler sampler : {Sampler::Uniform, Sampler::Shell}) {
    const KnownSafeSet set(problem_, sampler);
    RandomStream random(/*seed=*/51, /*stream=*/0);
    Eigen::VectorXd x(problem_.dim());
    int contained = 0;
    for (int i = 0; i < 2'000; ++i) {
      set.sample(random, x);
      ASSERT_LE(violation(problem_, x), 1e-13);
      contained += set.contains(problem_.centre() + (1.0 - 1e-9) * (x - problem_.centre())) ? 1 : 0;
    }
    EXPECT_EQ(contained, 2'000);
  }
}

TEST_P(Foothold, DrawsHaveTheSecondMomentOfTheEllipsoid) {
  // With M = QᵀQ, w = Q(x − x₀) is uniform in the unit ball: E[wwᵀ] = I/(d + 2), E[w] = 0. An
  // entry of wwᵀ has a range of at most 1, one of w of 2, so by Hoeffding's inequality the mean of
  // n draws is off by more than t with probability ≤ 2 exp(−n t²/2); t² = 2 log(2e9)/n.
  constexpr int kDraws = 40'000;
  const double tolerance = std::sqrt(2.0 * std::log(2e9) / kDraws);
  const Eigen::Index d = problem_.dim();
  const Eigen::MatrixXd Q = shape(problem_, GetParam().is_exact).llt().matrixU();
  const KnownSafeSet set(problem_, Sampler::Uniform);
  RandomStream random(/*seed=*/52, /*stream=*/0);
  Eigen::VectorXd x(d);
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(d);
  Eigen::MatrixXd moment = Eigen::MatrixXd::Zero(d, d);
  double largest = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    set.sample(random, x);
    const Eigen::VectorXd w = Q * (x - problem_.centre());
    mean += w / kDraws;
    moment += w * w.transpose() / kDraws;
    largest = std::max(largest, w.norm());
  }
  const Eigen::MatrixXd expected = Eigen::MatrixXd::Identity(d, d) / (static_cast<double>(d) + 2.0);
  EXPECT_LE((moment - expected).cwiseAbs().maxCoeff(), tolerance);
  EXPECT_LE(mean.cwiseAbs().maxCoeff(), tolerance);
  // Not inside a smaller ellipsoid: P(‖w‖ ≤ 0.99 for all draws) = 0.99^{dn} < 1e-170.
  EXPECT_GE(largest, 0.99);
  EXPECT_LE(largest, 1.0 + 1e-12);
}

TEST_P(Foothold, SmallestEigenvalueIsExact) {
  // E[xxᵀ] = x₀x₀ᵀ + M⁻¹/(d + 2).
  const Eigen::Index d = problem_.dim();
  const Eigen::VectorXd x0 = problem_.centre();
  const Eigen::MatrixXd moment =
      x0 * x0.transpose() +
      shape(problem_, GetParam().is_exact).inverse() / (static_cast<double>(d) + 2.0);
  const double expected = moment.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff();
  EXPECT_NEAR(KnownSafeSet(problem_, Sampler::Uniform).min_eigenvalue(), expected,
              1e-12 * expected);
}

TEST_P(Foothold, DrawsAreReproducible) {
  const KnownSafeSet set(problem_, Sampler::Uniform);
  RandomStream one(/*seed=*/53, /*stream=*/7);
  RandomStream other = one;
  Eigen::VectorXd x(problem_.dim());
  Eigen::VectorXd y(problem_.dim());
  set.sample(one, x);
  set.sample(other, y);
  EXPECT_EQ(x, y);
}

INSTANTIATE_TEST_SUITE_P(Sets, Foothold, ::testing::ValuesIn(cases()),
                         [](const auto& instance) { return instance.param.name; });

TEST(KnownSafeSet, OfThePapersPolytopeHasItsConstants) {
  // λ_- = (c/S)²/((d + 2)‖B‖²) = 0.81/(4·2.302776²) = 0.03819; on the shell
  // ε = c/S, since the ellipsoid fits, and λ_- = ε²/(d‖B‖²).
  const Problem problem = resolved(with(geometry::Box::symmetric(2, 1.0), {{paper_matrix(), 0.9}}));
  const double norm = 0.5 + std::sqrt(3.25);  // eigenvalues (0.6 + 0.4)/2 ± √(0.1² + 1.8²)
  EXPECT_NEAR(KnownSafeSet(problem, Sampler::Uniform).min_eigenvalue(), 0.03819, 5e-6);
  EXPECT_NEAR(KnownSafeSet(problem, Sampler::Uniform).min_eigenvalue(), 0.81 / (4.0 * norm * norm),
              1e-15);
  EXPECT_NEAR(KnownSafeSet(problem, Sampler::Shell).min_eigenvalue(), 0.81 / (2.0 * norm * norm),
              1e-15);
}

TEST(KnownSafeSet, ShellIsTheLargestThatFits) {
  // D₀ = [−½, ½]²: rows of B⁻¹ have norms √3.4/3 and √3.6/3, so ε = ½·3/√3.6 < c/S = 0.9.
  const Problem problem = resolved(with(geometry::Box::symmetric(2, 0.5), {{paper_matrix(), 0.9}}));
  const double epsilon = 1.5 / std::sqrt(3.6);
  const KnownSafeSet set(problem, Sampler::Shell);
  const double norm_sq = std::pow(0.5 + std::sqrt(3.25), 2.0);
  EXPECT_NEAR(set.min_eigenvalue(), epsilon * epsilon / (2.0 * norm_sq), 1e-14);
  RandomStream random(/*seed=*/54, /*stream=*/0);
  Eigen::VectorXd x(2);
  double farthest = 0.0;
  for (int i = 0; i < 5'000; ++i) {
    set.sample(random, x);
    ASSERT_NEAR((paper_matrix() * x).norm(), epsilon, 1e-13);
    farthest = std::max(farthest, x.cwiseAbs().maxCoeff());
  }
  EXPECT_LE(farthest, 0.5 + 1e-14);
  EXPECT_GE(farthest, 0.4999);  // it touches the box
}

TEST(KnownSafeSet, ShellOfAnInscribedEllipsoidIsItsBorder) {
  // Zero B in a ball of radius ½: M = 4I, so draws have norm ½ and λ_- = ¼/d.
  const Problem problem = resolved(with(geometry::Ball(3, 0.5), {{Eigen::Matrix3d::Zero(), 0.1}}));
  const KnownSafeSet set(problem, Sampler::Shell);
  EXPECT_NEAR(set.min_eigenvalue(), 0.25 / 3.0, 1e-15);
  RandomStream random(/*seed=*/55, /*stream=*/0);
  Eigen::VectorXd x(3);
  for (int i = 0; i < 100; ++i) {
    set.sample(random, x);
    EXPECT_NEAR(x.norm(), 0.5, 1e-15);
  }
}

TEST(KnownSafeSet, ContainsWhatSatisfiesEveryBoundAndNothingBeyond) {
  const Problem problem = resolved(with(
      geometry::Box::symmetric(1, 9.0),
      {{Eigen::MatrixXd::Constant(1, 1, 2.0), 1.0}, {Eigen::MatrixXd::Constant(1, 1, -1.0), 0.3}},
      /*norm_bound=*/0.5));
  // S|B₁x| ≤ 1 ⇔ |x| ≤ 1; S|B₂x| ≤ 0.3 ⇔ |x| ≤ 0.6.
  const KnownSafeSet set(problem, Sampler::Uniform);
  const auto contains = [&](double x) { return set.contains(Eigen::VectorXd::Constant(1, x)); };
  EXPECT_TRUE(contains(0.0));
  EXPECT_TRUE(contains(0.6 * (1.0 - 1e-14)));
  EXPECT_TRUE(contains(-0.6 * (1.0 - 1e-14)));
  EXPECT_FALSE(contains(0.6 * (1.0 + 1e-14)));
  EXPECT_FALSE(contains(std::nan("")));
  EXPECT_FALSE(contains(std::numeric_limits<double>::infinity()));
}

Problem arms_problem(const Eigen::MatrixXd& features, double limit) {
  return resolved(with(geometry::Arms(features), {{Eigen::MatrixXd::Identity(2, 2), limit}}));
}

TEST(KnownSafeSet, CollectsTheArmsThatAreKnownSafe) {
  // ‖x‖ ≤ 0.5: arms 0, 2 and 4 (a duplicate of 0).
  const Problem problem = arms_problem(
      Eigen::MatrixXd{{0.4, 0.0}, {1.0, 0.0}, {0.0, -0.2}, {0.4, 0.4}, {0.4, 0.0}}, 0.5);
  const KnownSafeSet set(problem, Sampler::Uniform);
  EXPECT_EQ(set.safe_arms(), (std::vector<Eigen::Index>{0, 2, 4}));
  EXPECT_TRUE(set.is_exact());
  // Mean outer product diag(2·0.16, 0.04)/3.
  EXPECT_NEAR(set.min_eigenvalue(), 0.04 / 3.0, 1e-16);
}

TEST(KnownSafeSet, ArmsThatDoNotSpanHaveNoSmallestEigenvalue) {
  const Problem problem =
      arms_problem(Eigen::MatrixXd{{0.3, 0.1}, {0.15, 0.05}, {-0.3, -0.1}, {2.0, 1.0}}, 0.5);
  const KnownSafeSet set(problem, Sampler::Uniform);
  EXPECT_EQ(set.safe_arms().size(), 3U);
  EXPECT_EQ(set.min_eigenvalue(), 0.0);
}

TEST(KnownSafeSet, MayHoldNoArm) {
  const Problem problem = arms_problem(Eigen::MatrixXd{{1.0, 0.0}, {0.0, 1.0}}, 0.5);
  const KnownSafeSet set(problem, Sampler::Uniform);
  EXPECT_TRUE(set.safe_arms().empty());
  EXPECT_EQ(set.min_eigenvalue(), 0.0);
}

TEST(KnownSafeSet, OfContextualArmsHasNoKnownEigenvalue) {
  Problem problem = with(geometry::ContextualArms(2), {{Eigen::Matrix2d::Identity(), 0.5}});
  problem.assumptions.action_bound = 1.0;
  const Problem full = resolved(problem);
  const KnownSafeSet set(full, Sampler::Uniform);
  EXPECT_TRUE(std::isnan(set.min_eigenvalue()));
  EXPECT_TRUE(set.contains(Eigen::Vector2d(0.3, 0.3)));
  EXPECT_FALSE(set.contains(Eigen::Vector2d(0.6, 0.3)));
}

}  // namespace
}  // namespace foothold::safety
