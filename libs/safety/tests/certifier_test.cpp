#include "foothold/safety/certifier.hpp"

#include <cfenv>
#include <cmath>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/base/infinity.hpp"
#include "foothold/base/random_stream.hpp"

namespace foothold::safety {
namespace {

using estimation::ConfidenceRegion;
using estimation::RadiusForm;
using estimation::RidgeEstimate;
using estimation::RootForm;

constexpr double kUnit = 0x1p-53;

// d = 2, B = [[0, 2], [1, 0]], S = 3, R = 0.5, λ = 1, δ = 0.05, D₀ = [−2, 2]².
Problem small_problem(double limit) {
  return resolved(
      {.decision_set = geometry::Box::symmetric(2, 2.0),
       .constraints = {{.matrix = Eigen::Matrix2d{{0.0, 2.0}, {1.0, 0.0}}, .limit = limit}},
       .assumptions = {.noise_scale = 0.5, .norm_bound = 3.0, .ridge = 1.0, .failure_prob = 0.05}});
}

// 15 observations of e₂ with loss 0.4: A = diag(1, 16), b = (0, 6), μ̂ = (0, 3/8).
RidgeEstimate small_estimate(const Problem& problem) {
  RidgeEstimate estimate(2, problem.assumptions);
  for (int n = 0; n < 15; ++n) {
    estimate.observe(Eigen::Vector2d(0.0, 1.0), 0.4);
  }
  return estimate;
}

// Mixture: β² = R²(2 log 20 + log 16) + λS².
double small_radius() {
  return std::sqrt(0.25 * (2.0 * std::log(20.0) + std::log(16.0)) + 9.0);
}

Certificate certificate_of(const Problem& problem, const SafetyRule& rule,
                           const RidgeEstimate& estimate, const Eigen::VectorXd& x,
                           Evidence evidence) {
  ConfidenceRegion region(problem.dim());
  region.update(estimate, rule.radius, rule.root);
  Certificate certificate;
  Certifier(problem, rule).certify(estimate, region, x, evidence, certificate);
  return certificate;
}

TEST(Certifier, BoundAPrioriHasItsClosedForm) {
  // x = (0.3, 0.4): Bx = (0.8, 0.3), S‖Bx‖ = 3 √0.73.
  const Problem problem = small_problem(3.0);
  const Certificate certificate = certificate_of(problem, {}, small_estimate(problem),
                                                 Eigen::Vector2d(0.3, 0.4), Evidence::Prior);
  const ConstraintCertificate& entry = certificate.constraints.at(0);
  const double expected = 3.0 * std::sqrt(0.73);
  EXPECT_EQ(entry.kind, BoundKind::APriori);
  EXPECT_NEAR(entry.bound, expected, 1e-14);
  EXPECT_GE(entry.bound, expected);
  EXPECT_EQ(entry.limit, 3.0);
  EXPECT_EQ(entry.room, 3.0);
  EXPECT_EQ(entry.excess, entry.bound);
  EXPECT_NEAR(entry.margin(), 3.0 - expected, 1e-14);
  EXPECT_TRUE(std::isnan(entry.radius));
  EXPECT_TRUE(std::isnan(entry.width));
  EXPECT_GE(entry.allowance, 0.0);
  EXPECT_LE(entry.allowance, 1e-14);
  EXPECT_TRUE(certificate.is_safe());
}

TEST(Certifier, BoundsOfTheRegionsHaveTheirClosedForms) {
  // x = (0.3, 0.4), z = Bx = (0.8, 0.3): μ̂ᵀz = 0.1125, ‖z‖_{A⁻¹} = √(0.64 + 0.09/16),
  // ‖A^{-1/2}z‖_∞ = max(0.8, 0.075) = 0.8; A is diagonal, so both roots agree.
  const Problem problem = small_problem(3.0);
  const RidgeEstimate estimate = small_estimate(problem);
  const double width = std::sqrt(0.64 + 0.09 / 16.0);
  const double beta = small_radius();
  // In plain arithmetic the square is bounded to within twice (d + 8)u(tr(A)‖y‖ + 2‖z‖)‖y‖ and
  // twice 2‖e‖‖y‖, where y = A⁻¹z = (0.8, 0.3/16) and ‖e‖ ≤ (d + 2)u‖B‖‖x‖ is the error of Bx; the
  // root halves it. Single operations cost less than 4(d + 8)u.
  const double y_norm = std::hypot(0.8, 0.3 / 16.0);
  const double width_cost =
      10.0 * kUnit * ((17.0 * y_norm + 2.0 * std::sqrt(0.73)) * y_norm / width + 4.0 * width) +
      2.0 * (4.0 * kUnit * std::sqrt(5.0) * 0.5) * y_norm / width;
  struct Expectation {
    Caution caution;
    BoundKind kind;
    double bound;
  };
  for (const Expectation& expected :
       {Expectation{Caution::Ellipsoid, BoundKind::Ellipsoid, 0.1125 + beta * width},
        Expectation{Caution::L1Exact, BoundKind::L1Exact, 0.1125 + std::sqrt(2.0) * beta * 0.8},
        Expectation{Caution::L1Paper, BoundKind::L1Paper,
                    0.1125 + std::sqrt(2.0) * beta * width}}) {
    for (const RootForm root : {RootForm::Symmetric, RootForm::Cholesky}) {
      const Certificate certificate =
          certificate_of(problem, {.caution = expected.caution, .root = root}, estimate,
                         Eigen::Vector2d(0.3, 0.4), Evidence::Region);
      const ConstraintCertificate& entry = certificate.constraints.at(0);
      EXPECT_EQ(entry.kind, expected.kind);
      EXPECT_NEAR(entry.bound, expected.bound, 1e-13);
      EXPECT_NEAR(entry.radius, beta, 1e-13);
      EXPECT_GE(entry.width, width * (1.0 - 4.0 * kUnit));  // `width` has four roundings
      EXPECT_LE(entry.width, width + width_cost);
      EXPECT_LE(entry.allowance, 1e-12);
    }
  }
}

TEST(Certifier, TheRadiusIsTheOneOfTheRule) {
  const Problem problem = small_problem(3.0);
  const RidgeEstimate estimate = small_estimate(problem);
  for (const RadiusForm form : {RadiusForm::Paper, RadiusForm::LogDet, RadiusForm::Mixture}) {
    const Certificate certificate = certificate_of(problem, {.radius = form}, estimate,
                                                   Eigen::Vector2d(0.3, 0.4), Evidence::Region);
    EXPECT_EQ(certificate.constraints[0].radius, estimate.radius(form));
  }
}

TEST(Certifier, CautionsAreOrdered) {
  // β‖z‖₂ ≤ √dβ‖z‖_∞ ≤ √dβ‖z‖₂ in the norm of any root.
  RandomStream random(/*seed=*/41, /*stream=*/0);
  const auto normal = [&] { return random.normal(); };
  for (const Eigen::Index d : {1, 2, 4, 7}) {
    const Problem problem = resolved(
        {.decision_set = geometry::ContextualArms(d),
         .constraints = {{.matrix = Eigen::MatrixXd::NullaryExpr(d, d, normal), .limit = 1.0}},
         .assumptions = {.action_bound = 1.0, .ridge = 0.1}});
    RidgeEstimate estimate(d, problem.assumptions);
    for (int n = 0; n < 30; ++n) {
      const Eigen::VectorXd x = Eigen::VectorXd::NullaryExpr(d, normal).normalized() * 0.9;
      estimate.observe(x, random.normal());
      const auto bound = [&](Caution caution, RootForm root) {
        return certificate_of(problem, {.caution = caution, .root = root}, estimate, x,
                              Evidence::Region)
            .constraints[0]
            .bound;
      };
      const double tight = bound(Caution::Ellipsoid, RootForm::Cholesky);
      const double loose = bound(Caution::L1Paper, RootForm::Cholesky);
      for (const RootForm root : {RootForm::Cholesky, RootForm::Symmetric}) {
        const double middle = bound(Caution::L1Exact, root);
        EXPECT_LE(tight, middle);
        EXPECT_LE(middle, loose + 1e-12 * std::abs(loose));
      }
    }
  }
}

TEST(Certifier, CautionFactorIsTheRatioOfTheRegions) {
  EXPECT_EQ(caution_factor(Caution::Ellipsoid, 9), 1.0);
  EXPECT_EQ(caution_factor(Caution::L1Exact, 9), 3.0);
  EXPECT_EQ(caution_factor(Caution::L1Paper, 9), 3.0);
}

TEST(Certifier, EitherTakesTheSmallerBoundOfEachConstraint) {
  // z = Bx for x = (1.5, 0): (0, 1.5), well known: μ̂ᵀz + β·1.5/4 ≈ 1.84 < 4.5.
  // B₂ = I: z = (1.5, 0), unknown: β·1.5 ≈ 4.84 > S·1.5 = 4.5.
  Problem problem = small_problem(2.0);
  problem.constraints.push_back({.matrix = Eigen::Matrix2d::Identity(), .limit = 4.6});
  const RidgeEstimate estimate = small_estimate(problem);
  const Eigen::Vector2d x(1.5, 0.0);
  const Certificate either = certificate_of(problem, {}, estimate, x, Evidence::Either);
  ASSERT_EQ(either.constraints.size(), 2U);
  EXPECT_EQ(either.constraints[0].kind, BoundKind::Ellipsoid);
  EXPECT_EQ(either.constraints[1].kind, BoundKind::APriori);
  EXPECT_TRUE(either.is_safe());
  EXPECT_FALSE(certificate_of(problem, {}, estimate, x, Evidence::Prior).is_safe());
  EXPECT_FALSE(certificate_of(problem, {}, estimate, x, Evidence::Region).is_safe());
}

TEST(Certifier, OneViolatedConstraintOfSeveralIsEnoughToRefuse) {
  Problem problem = small_problem(100.0);
  problem.constraints.push_back({.matrix = Eigen::Matrix2d::Identity(), .limit = 0.1});
  problem.constraints.push_back({.matrix = Eigen::Matrix2d::Zero(), .limit = 0.1});
  const Certificate certificate = certificate_of(problem, {}, small_estimate(problem),
                                                 Eigen::Vector2d(0.5, 0.5), Evidence::Either);
  EXPECT_TRUE(certificate.constraints[0].is_safe());
  EXPECT_FALSE(certificate.constraints[1].is_safe());
  EXPECT_TRUE(certificate.constraints[2].is_safe());
  EXPECT_FALSE(certificate.is_safe());
  EXPECT_EQ(certificate.margin(), certificate.constraints[1].margin());
}

TEST(Certifier, MeasuresFromTheBaseline) {
  // x₀ = (1, 0), m = 0.75, c = −0.25, so u = −1. x = (1.25, 0): z = (0, 0.25), S‖z‖ = 0.75.
  Problem problem = small_problem(1.0);
  problem.baseline = Baseline{.action = Eigen::Vector2d(1.0, 0.0), .margin = 0.76};
  problem.constraints[0].limit = -0.25;
  const Certificate certificate = certificate_of(problem, {}, small_estimate(problem),
                                                 Eigen::Vector2d(1.25, 0.0), Evidence::Prior);
  const ConstraintCertificate& entry = certificate.constraints[0];
  EXPECT_NEAR(entry.excess, 0.75, 1e-14);
  EXPECT_EQ(entry.room, 0.76);
  EXPECT_NEAR(entry.bound, -1.01 + 0.75, 1e-14);
  EXPECT_EQ(entry.limit, -0.25);
  EXPECT_TRUE(certificate.is_safe());
  EXPECT_LE(entry.bound, entry.limit);
}

TEST(Certifier, TheCentreIsAlwaysSafe) {
  for (const double limit : {1e-9, 1e-299}) {
    const Problem problem = small_problem(limit);
    const Certificate certificate = certificate_of(problem, {}, small_estimate(problem),
                                                   Eigen::Vector2d::Zero(), Evidence::Region);
    EXPECT_TRUE(certificate.is_safe());
    EXPECT_LE(certificate.constraints[0].bound, 1e-300);
  }
}

TEST(Certifier, AnActionOutsideTheDecisionSetIsNotSafe) {
  const Problem problem = small_problem(1e6);
  const Certificate certificate = certificate_of(problem, {}, small_estimate(problem),
                                                 Eigen::Vector2d(2.5, 0.0), Evidence::Either);
  EXPECT_FALSE(certificate.is_in_decision_set);
  EXPECT_TRUE(certificate.constraints[0].is_safe());
  EXPECT_FALSE(certificate.is_safe());
}

TEST(Certifier, AnActionThatIsNotFiniteIsNotSafe) {
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    for (const Evidence evidence : {Evidence::Prior, Evidence::Region, Evidence::Either}) {
      for (const Caution caution : {Caution::Ellipsoid, Caution::L1Exact, Caution::L1Paper}) {
        Problem problem = small_problem(1e6);
        problem.decision_set = geometry::ContextualArms(2);
        const RidgeEstimate estimate = small_estimate(problem);
        Eigen::VectorXd x = Eigen::Vector2d(0.0, bad);
        const Certificate certificate =
            certificate_of(problem, {.caution = caution}, estimate, x, evidence);
        EXPECT_FALSE(certificate.is_in_decision_set);
        EXPECT_FALSE(certificate.constraints[0].is_safe());

        ConfidenceRegion region(2);
        Certificate scaled;
        EXPECT_FALSE(Certifier(problem, {.caution = caution})
                         .certify_scaled(estimate, region, x, evidence, scaled));
      }
    }
  }
}

TEST(Certifier, NamesTheStateThatProvesIt) {
  const Problem problem = small_problem(3.0);
  RidgeEstimate estimate = small_estimate(problem);
  ConfidenceRegion region(2);
  Certifier certifier(problem, {});
  Certificate certificate;
  certifier.certify(estimate, region, Eigen::Vector2d(0.1, 0.1), Evidence::Either, certificate);
  EXPECT_EQ(certificate.observations, 15);
  EXPECT_EQ(certificate.digest, estimate.digest());
  // The radius follows the state.
  estimate.observe(Eigen::Vector2d(1.0, 0.0), 0.0);
  certifier.certify(estimate, region, Eigen::Vector2d(0.1, 0.1), Evidence::Region, certificate);
  EXPECT_EQ(certificate.observations, 16);
  EXPECT_EQ(certificate.digest, estimate.digest());
  EXPECT_EQ(certificate.constraints[0].radius, estimate.radius(RadiusForm::Mixture));
}

class CertifyScaled : public ::testing::TestWithParam<Caution> {};

TEST_P(CertifyScaled, MovesAnOptimumOffItsLimitByAFewUnitsOfRounding) {
  RandomStream random(/*seed=*/42, /*stream=*/0);
  for (int i = 0; i < 300; ++i) {
    const Eigen::Index d = 1 + static_cast<Eigen::Index>(random.index(6));
    const auto normal = [&] { return random.normal(); };
    Problem problem = resolved(
        {.decision_set = geometry::Box::symmetric(d, 10.0),
         .constraints = {{.matrix = Eigen::MatrixXd::NullaryExpr(d, d, normal), .limit = 1.0}},
         .assumptions = {.ridge = 0.5}});
    RidgeEstimate estimate(d, problem.assumptions);
    for (int n = 0; n < 10; ++n) {
      estimate.observe(Eigen::VectorXd::NullaryExpr(d, normal), random.normal());
    }
    const SafetyRule rule{.caution = GetParam()};
    ConfidenceRegion region(d);
    region.update(estimate, rule.radius, rule.root);
    Certifier certifier(problem, rule);
    const Eigen::VectorXd start = Eigen::VectorXd::NullaryExpr(d, normal);
    Certificate certificate;
    certifier.certify(estimate, region, start, Evidence::Region, certificate);
    // A limit just below what the certifier itself computes: x lies on it, and is refused.
    problem.constraints[0].limit = std::nextafter(certificate.constraints[0].excess, -kInfinity);
    if (!(problem.constraints[0].limit > 0.0)) {
      continue;
    }
    Eigen::VectorXd x = start;
    EXPECT_TRUE(certifier.certify_scaled(estimate, region, x, Evidence::Region, certificate));
    EXPECT_TRUE(certificate.is_safe());
    EXPECT_LE((x - start).norm(), 32.0 * kUnit * start.norm());
  }
}

INSTANTIATE_TEST_SUITE_P(Cautions, CertifyScaled,
                         ::testing::Values(Caution::Ellipsoid, Caution::L1Exact, Caution::L1Paper));

TEST(Certifier, ScalesAnUnsafeActionOntoItsLimit) {
  // S‖Bx‖ = 3·‖(2·0, 1)‖ for x = (1, 0): 3 against 1.5, so the action is halved.
  const Problem problem = small_problem(1.5);
  Eigen::VectorXd x = Eigen::Vector2d(1.0, 0.0);
  ConfidenceRegion region(2);
  Certificate certificate;
  EXPECT_TRUE(Certifier(problem, {})
                  .certify_scaled(RidgeEstimate(2, problem.assumptions), region, x, Evidence::Prior,
                                  certificate));
  EXPECT_NEAR(x(0), 0.5, 1e-14);
  EXPECT_LE(x(0), 0.5);
}

TEST(Certifier, ScalesTowardsTheBaselineAndIntoTheDecisionSet) {
  // From x₀ = (1, 0) to x = (2 + 4u, 0): the border of the box lies a few ulps inside.
  Problem problem = small_problem(1.0);
  problem.baseline = Baseline{.action = Eigen::Vector2d(1.0, 0.0), .margin = 50.0};
  Eigen::VectorXd x = Eigen::Vector2d(std::nextafter(2.0, 3.0), 0.5);
  ConfidenceRegion region(2);
  Certificate certificate;
  EXPECT_TRUE(Certifier(problem, {})
                  .certify_scaled(RidgeEstimate(2, problem.assumptions), region, x, Evidence::Prior,
                                  certificate));
  EXPECT_LE(x(0), 2.0);
  EXPECT_NEAR(x(0), 2.0, 1e-14);
  EXPECT_NEAR(x(1), 0.5, 1e-14);
}

TEST(Certifier, ASafeActionIsNotMoved) {
  const Problem problem = small_problem(3.0);
  Eigen::VectorXd x = Eigen::Vector2d(0.3, 0.4);
  ConfidenceRegion region(2);
  Certificate certificate;
  EXPECT_TRUE(
      Certifier(problem, {})
          .certify_scaled(small_estimate(problem), region, x, Evidence::Either, certificate));
  EXPECT_EQ(x, Eigen::Vector2d(0.3, 0.4));
}

TEST(Certifier, OfAHopelessStateOnlyTheFootholdIsLeft) {
  // After ones·onesᵀ at λ = 1e-20 the factor says nothing of the other directions: the width
  // must not fall below the exact one, ‖z‖/√λ for z ⟂ ones.
  const Problem problem =
      resolved({.decision_set = geometry::Box::symmetric(3, 1.0),
                .constraints = {{.matrix = Eigen::Matrix3d::Identity(), .limit = 0.5}},
                .assumptions = {.noise_scale = 0.1, .norm_bound = 1.0, .ridge = 1e-20}});
  RidgeEstimate estimate(3, problem.assumptions);
  for (int n = 0; n < 1000; ++n) {
    estimate.observe(Eigen::Vector3d::Constant(0.3 + 1e-17 * n), 0.2);
  }
  const Eigen::Vector3d x(0.4, -0.4, 0.0);
  const ConstraintCertificate entry =
      certificate_of(problem, {}, estimate, x, Evidence::Region).constraints[0];
  EXPECT_FALSE(entry.is_safe());
  EXPECT_GE(entry.width, x.norm() * 1e10);
  // S‖x‖ = 0.566 exceeds 0.5; at half the length the foothold certifies.
  EXPECT_FALSE(certificate_of(problem, {}, estimate, x, Evidence::Either).is_safe());
  const Certificate half = certificate_of(problem, {}, estimate, 0.5 * x, Evidence::Either);
  EXPECT_TRUE(half.is_safe());
  EXPECT_EQ(half.constraints[0].kind, BoundKind::APriori);
}

TEST(Certify, ChecksItsAction) {
  const Problem problem = small_problem(3.0);
  const RidgeEstimate estimate = small_estimate(problem);
  EXPECT_THROW(static_cast<void>(certify(problem, {}, estimate, Eigen::Vector3d::Zero())), Error);
  EXPECT_THROW(static_cast<void>(certify(problem, {}, estimate, Eigen::Vector2d(0.0, kNaN))),
               Error);
}

TEST(Certify, FollowsTheCertifiedSetOfTheRule) {
  // Without data the region is far wider than the foothold.
  const Problem problem = small_problem(1.0);
  const RidgeEstimate estimate(2, problem.assumptions);
  const Eigen::Vector2d x(0.33, 0.0);  // S‖Bx‖ = 0.99; β‖z‖ > 3.3·0.33
  EXPECT_TRUE(certify(problem, {.certified = CertifiedSet::Union}, estimate, x).is_safe());
  EXPECT_FALSE(certify(problem, {.certified = CertifiedSet::Region}, estimate, x).is_safe());
  for (const RootForm root : {RootForm::Cholesky, RootForm::Symmetric}) {
    const SafetyRule rule{
        .caution = Caution::L1Exact, .certified = CertifiedSet::Region, .root = root};
    EXPECT_EQ(certify(problem, rule, estimate, x).constraints[0].kind, BoundKind::L1Exact);
  }
}

TEST(Certifier, IssuesNothingUnlessTheCpuRoundsToNearest) {
  const Problem problem = small_problem(3.0);
  const RidgeEstimate estimate = small_estimate(problem);
  const Eigen::Vector2d x(0.3, 0.4);
  EXPECT_TRUE(certify(problem, {}, estimate, x).is_safe());
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    bool has_thrown = false;
    try {
      static_cast<void>(certify(problem, {}, estimate, x));
    } catch (const Error& error) {
      has_thrown = error.code() == ErrorCode::Unavailable;
    }
    std::fesetround(FE_TONEAREST);
    EXPECT_TRUE(has_thrown) << "mode " << mode;
  }
  EXPECT_TRUE(certify(problem, {}, estimate, x).is_safe());
}

}  // namespace
}  // namespace foothold::safety
