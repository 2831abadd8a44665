#include <cmath>

#include <gtest/gtest.h>

#include "foothold/base/random_stream.hpp"
#include "foothold/safety/certifier.hpp"

#include "family_definition.hpp"

namespace foothold::safety {
namespace {

// A problem, its data, and the bounds of every ridge in extended precision from the definition.
struct FamilyCase {
  Problem problem;
  Eigen::MatrixXd actions{};  // one per row
  Eigen::VectorXd losses{};
  Eigen::VectorXd x{};

  explicit FamilyCase(std::uint64_t stream)
      : problem{.decision_set = geometry::Box::symmetric(3, 1.0)} {
    RandomStream random(/*seed=*/71, stream);
    const auto normal = [&] { return random.normal(); };
    const Eigen::MatrixXd B = Eigen::MatrixXd::NullaryExpr(3, 3, normal);
    problem.constraints = {{.matrix = B, .limit = 0.5}};
    problem.assumptions = {.noise_scale = 0.1, .norm_bound = 1.0};
    problem = resolved(problem);
    const auto count = static_cast<Eigen::Index>(1 + random.index(200));
    // Data in two directions only: this is where ridges differ.
    actions = 0.1 * Eigen::MatrixXd::NullaryExpr(count, 2, normal) *
              Eigen::MatrixXd::NullaryExpr(2, 3, normal);
    for (Eigen::Index i = 0; i < count; ++i) {
      actions.row(i) /= std::max(1.0, actions.row(i).norm());
    }
    const Eigen::VectorXd mu = Eigen::VectorXd::NullaryExpr(3, normal).normalized();
    losses = actions * mu + 0.1 * Eigen::VectorXd::NullaryExpr(count, normal);
    x = 0.3 * Eigen::VectorXd::NullaryExpr(3, normal);
    x = x.cwiseMin(1.0).cwiseMax(-1.0);
  }

  [[nodiscard]] long double bound(double factor) const {
    const foothold::testing::FamilyDefinition member(actions, losses, problem.assumptions, factor);
    const foothold::testing::LongVector z =
        problem.constraints[0].matrix.cast<long double>() * x.cast<long double>();
    return z.dot(member.inverse * member.b) +
           std::sqrt(member.radius_sq * z.dot(member.inverse * z));
  }
};

TEST(FamilyCertificate, IsTheSmallestBoundOfAllRidgesAndNotBelow) {
  int better = 0;
  for (std::uint64_t stream = 0; stream < 2000; ++stream) {
    const FamilyCase test(stream);
    estimation::RidgeEstimate estimate(3, test.problem.assumptions);
    estimation::RidgeFamily family(3, test.problem.assumptions);
    for (Eigen::Index i = 0; i < test.losses.size(); ++i) {
      estimate.observe(test.actions.row(i).transpose(), test.losses(i));
      family.observe(test.actions.row(i).transpose(), test.losses(i));
    }
    const estimation::ConfidenceRegion region(3);
    Certifier certifier(test.problem, {});
    certifier.use_family(family);
    Certificate certificate;
    certifier.certify(estimate, region, test.x, Evidence::Region, certificate);
    const ConstraintCertificate& entry = certificate.constraints.front();

    long double least = test.bound(1.0);
    for (const double factor : estimation::RidgeFamily::kFactors) {
      least = std::min(least, test.bound(factor));
    }
    better += least < test.bound(1.0) ? 1 : 0;
    const auto exact = static_cast<double>(least);
    ASSERT_GE(entry.excess, exact - 1e-15 * std::abs(exact)) << "stream " << stream;
    ASSERT_NEAR(entry.excess, exact, 1e-9 * (1.0 + std::abs(exact))) << "stream " << stream;
    ASSERT_GE(entry.ridge, *test.problem.assumptions.ridge);
  }
  EXPECT_GT(better, 200) << "the larger ridges must matter in some cases";
}

TEST(FamilyCertificate, RestsOnTheBaseWhereTheRuleAsksForAnotherBound) {
  const FamilyCase test(1);
  estimation::RidgeEstimate estimate(3, test.problem.assumptions);
  estimation::RidgeFamily family(3, test.problem.assumptions);
  const estimation::ConfidenceRegion region(3);
  Certifier certifier(test.problem, {.radius = estimation::RadiusForm::LogDet});
  certifier.use_family(family);
  Certificate certificate;
  certifier.certify(estimate, region, test.x, Evidence::Region, certificate);
  EXPECT_EQ(certificate.constraints.front().ridge, *test.problem.assumptions.ridge);
}

}  // namespace
}  // namespace foothold::safety
