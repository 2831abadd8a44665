#include "foothold/safety/safe_set.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "foothold/base/random_stream.hpp"
#include "foothold/safety/certifier.hpp"

namespace foothold::safety {
namespace {

using estimation::RadiusForm;
using estimation::RootForm;

// Roundings of dense factorisations of matrices with condition numbers below 1e4.
constexpr double kTolerance = 1e-10;

struct Setting {
  Caution caution = Caution::Ellipsoid;
  RootForm root = RootForm::Cholesky;
  Eigen::Index dim = 2;
  bool has_baseline = false;
};

std::string name_of(const Setting& setting) {
  return "Kind" + std::to_string(static_cast<int>(setting.caution)) +
         (setting.root == RootForm::Symmetric ? "Symmetric" : "Cholesky") + "Dim" +
         std::to_string(setting.dim) + (setting.has_baseline ? "Baseline" : "");
}

Eigen::VectorXd normal_vector(RandomStream& random, Eigen::Index size) {
  Eigen::VectorXd z(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    z(i) = random.normal();
  }
  return z;
}

// Independent of safety::SafeSet on purpose: A and b are formed explicitly from the observations
// and solved with by a pivoted LU factorisation, and roots of A come from A itself. Nothing of the
// region is used but β, which has its own tests.
struct Oracle {
  Eigen::MatrixXd A{};
  Eigen::VectorXd mu_hat{};
  double beta = 0.0;
  Caution caution = Caution::Ellipsoid;
  Eigen::MatrixXd H{};  // HᵀH = A

  [[nodiscard]] double root_dim() const { return std::sqrt(static_cast<double>(A.rows())); }
  [[nodiscard]] double ellipsoid_width(const Eigen::VectorXd& z) const {
    return std::sqrt(z.dot(A.fullPivLu().solve(z)));
  }
  [[nodiscard]] double half(const Eigen::VectorXd& z) const {
    switch (caution) {
      case Caution::Ellipsoid:
        return beta * ellipsoid_width(z);
      case Caution::L1Paper:
        return root_dim() * beta * ellipsoid_width(z);
      case Caution::L1Exact:
        return root_dim() * beta * H.transpose().fullPivLu().solve(z).lpNorm<Eigen::Infinity>();
    }
    return std::nan("");
  }
  [[nodiscard]] double upper(const Eigen::VectorXd& z) const { return mu_hat.dot(z) + half(z); }
};

class SafeSetOf : public ::testing::TestWithParam<Setting> {
 protected:
  SafeSetOf()
      : random_(/*seed=*/71, static_cast<std::uint64_t>(GetParam().dim)),
        problem_(draw_problem()),
        rule_{.caution = GetParam().caution, .root = GetParam().root},
        estimate_(dim(), problem_.assumptions),
        region_(dim()),
        set_(problem_, rule_) {
    oracle_.caution = rule_.caution;
    oracle_.A = *problem_.assumptions.ridge * Eigen::MatrixXd::Identity(dim(), dim());
    oracle_.mu_hat = Eigen::VectorXd::Zero(dim());
    set_.update(region_);
    observe(25);
  }

  [[nodiscard]] static Eigen::Index dim() { return GetParam().dim; }

  // The region changes in place, as a learner's does.
  void observe(int count) {
    const Eigen::VectorXd mu = Eigen::VectorXd::Constant(dim(), -0.4);
    for (int i = 0; i < count; ++i) {
      const Eigen::VectorXd x = 0.5 * normal_vector(random_, dim()).normalized();
      const double loss = mu.dot(x) + 0.1 * random_.normal();
      estimate_.observe(x, loss);
      oracle_.A += x * x.transpose();
      b_ += loss * x;
    }
    oracle_.mu_hat = oracle_.A.fullPivLu().solve(b_);
    oracle_.beta = estimate_.radius(rule_.radius);
    oracle_.H = rule_.root == RootForm::Cholesky
                    ? Eigen::MatrixXd(oracle_.A.llt().matrixU())
                    : Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(oracle_.A).operatorSqrt();
    region_.update(estimate_, rule_.radius, rule_.root);
  }

  Eigen::VectorXd draw() { return normal_vector(random_, dim()); }
  [[nodiscard]] Eigen::VectorXd image(std::size_t k, const Eigen::VectorXd& u) const {
    return problem_.constraints[k].matrix * u;
  }
  // m_k from what was declared.
  [[nodiscard]] double room(std::size_t k) const {
    return problem_.baseline ? problem_.baseline->margin : problem_.constraints[k].limit;
  }
  [[nodiscard]] double largest_scale(const std::function<bool(double)>& is_within) const {
    if (is_within(1.0)) {
      return 1.0;
    }
    double low = 0.0;
    double high = 1.0;
    for (int step = 0; step < 60; ++step) {
      const double middle = 0.5 * (low + high);
      (is_within(middle) ? low : high) = middle;
    }
    return low;
  }

  RandomStream random_;
  Problem problem_;
  SafetyRule rule_;
  estimation::RidgeEstimate estimate_;
  estimation::ConfidenceRegion region_;
  SafeSet set_;
  Oracle oracle_;
  Eigen::VectorXd b_ = Eigen::VectorXd::Zero(dim());

 private:
  Problem draw_problem() {
    const Eigen::Index d = dim();
    Problem problem{.decision_set = geometry::Box::symmetric(d, 1.0)};
    problem.assumptions = {.noise_scale = 0.1, .norm_bound = 1.5, .ridge = 0.5};
    for (const double limit : {0.4, 0.7}) {
      Eigen::MatrixXd B(d, d);
      for (Eigen::Index j = 0; j < d; ++j) {
        B.col(j) = draw();
      }
      problem.constraints.push_back({.matrix = B, .limit = limit});
    }
    if (GetParam().has_baseline) {
      problem.baseline = {.action = Eigen::VectorXd::Constant(d, 0.1), .margin = 0.3};
    }
    return resolved(std::move(problem));
  }
};

TEST_P(SafeSetOf, BoundsAreThoseOfTheDefinition) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    observe(3);
    for (std::size_t k = 0; k < set_.constraints(); ++k) {
      const Eigen::VectorXd z = image(k, draw());
      const double half = oracle_.half(z);
      const double value = oracle_.mu_hat.dot(z);
      const double tolerance = kTolerance * (z.norm() + half);
      EXPECT_NEAR(set_.value(k, z), value, tolerance);
      EXPECT_NEAR(set_.spread(k, z), half, tolerance);
      EXPECT_NEAR(set_.reach(k) * set_.width(k, z), half, tolerance);
      EXPECT_NEAR(set_.upper_bound(k, z), value + half, tolerance);
      EXPECT_NEAR(set_.lower_bound(k, z), value - half, tolerance);
      EXPECT_NEAR(set_.margin(k, z), room(k) - value - half, tolerance);
      EXPECT_NEAR(set_.prior_bound(k, z), 1.5 * z.norm(), tolerance);
    }
  }
}

TEST_P(SafeSetOf, NumbersAndDirectionsGiveTheSameBits) {
  const Eigen::VectorXd z = draw();
  const double value = set_.value(1, z);
  const double width = set_.width(1, z);
  EXPECT_EQ(set_.upper_bound(1, z), set_.upper_bound(1, value, width));
  EXPECT_EQ(set_.lower_bound(1, z), set_.lower_bound(1, value, width));
  EXPECT_EQ(set_.margin(1, z), set_.margin(1, value, width));
  EXPECT_EQ(set_.prior_bound(1, z), set_.prior_bound(1, z.norm()));
}

// The upper bound is the support function of the region: no point of it exceeds the bound, and a
// point that is known in closed form attains it. That of L1Paper is the ellipsoid with √dβ.
TEST_P(SafeSetOf, UpperBoundIsTheSupportFunctionOfTheRegion) {
  const Eigen::VectorXd z = draw();
  const double upper = set_.upper_bound(0, z);
  const double tolerance = kTolerance * (1.0 + std::abs(upper));
  const double beta =
      rule_.caution == Caution::Ellipsoid ? oracle_.beta : oracle_.root_dim() * oracle_.beta;
  double most = -1e300;
  if (rule_.caution == Caution::L1Exact) {
    // The maximum over a polytope is that over its vertices μ̂ ± √dβH⁻¹e_i.
    const Eigen::MatrixXd steps = beta * oracle_.H.fullPivLu().inverse();
    for (Eigen::Index i = 0; i < dim(); ++i) {
      most = std::max(
          {most, z.dot(oracle_.mu_hat + steps.col(i)), z.dot(oracle_.mu_hat - steps.col(i))});
    }
  } else {
    const Eigen::VectorXd steepest = oracle_.A.fullPivLu().solve(z) / oracle_.ellipsoid_width(z);
    most = z.dot(oracle_.mu_hat + beta * steepest);
  }
  EXPECT_NEAR(upper, most, tolerance);
  for (int repeat = 0; repeat < 200; ++repeat) {
    // ‖H(v − μ̂)‖ = √dβ in the norm of the region, or β.
    Eigen::VectorXd omega = draw();
    omega /= rule_.caution == Caution::L1Exact ? omega.lpNorm<1>() : omega.norm();
    const Eigen::VectorXd v = oracle_.mu_hat + beta * oracle_.H.fullPivLu().solve(omega);
    EXPECT_LE(v.dot(z), upper + tolerance);
    EXPECT_GE(v.dot(z), set_.lower_bound(0, z) - tolerance);
  }
}

TEST_P(SafeSetOf, RayScaleIsWhatBisectionFinds) {
  int shortened = 0;
  for (int repeat = 0; repeat < 30; ++repeat) {
    const Eigen::VectorXd u = 1.5 * draw();
    const auto holds_for_all = [&](double scale, auto bound) {
      bool holds = true;
      for (std::size_t k = 0; k < set_.constraints(); ++k) {
        holds = holds && bound(image(k, scale * u)) <= room(k);
      }
      return holds;
    };
    const double by_region = largest_scale([&](double scale) {
      return holds_for_all(scale, [&](const Eigen::VectorXd& z) { return oracle_.upper(z); });
    });
    const double by_prior = largest_scale([&](double scale) {
      return holds_for_all(scale, [](const Eigen::VectorXd& z) { return 1.5 * z.norm(); });
    });
    const RayScale ray = set_.ray_scale(u);
    EXPECT_NEAR(ray.by_region, by_region, kTolerance);
    EXPECT_NEAR(ray.by_prior, by_prior, kTolerance);
    EXPECT_EQ(ray.best(), std::max(ray.by_region, ray.by_prior));
    shortened += by_region < 1.0 ? 1 : 0;

    SafeSet without_foothold(
        problem_,
        {.caution = rule_.caution, .certified = CertifiedSet::Region, .root = rule_.root});
    without_foothold.update(region_);
    EXPECT_EQ(without_foothold.ray_scale(u).best(), ray.by_region);
    EXPECT_EQ(without_foothold.ray_scale(u).by_prior, 0.0);
  }
  EXPECT_GT(shortened, 5) << "the rays must be long enough to be shortened";
}

TEST_P(SafeSetOf, ConesAndRowsHaveTheBoundOfTheDefinitionOnTheirLeft) {
  const Eigen::Index d = dim();
  for (std::size_t k = 0; k < set_.constraints(); ++k) {
    const Eigen::VectorXd u = draw();
    const Eigen::VectorXd z = image(k, u);
    const double tolerance = kTolerance * (z.norm() + oracle_.half(z));
    if (rule_.caution == Caution::L1Exact) {
      cone::ConeProgram program{.G = Eigen::MatrixXd::Zero(2 * d + 1, d),
                                .h = Eigen::VectorXd::Zero(2 * d + 1)};
      set_.set_rows(k, program, 1);
      EXPECT_NEAR((program.G.bottomRows(2 * d) * u).maxCoeff(), oracle_.upper(z), tolerance);
      EXPECT_EQ(program.h.tail(2 * d), Eigen::VectorXd::Constant(2 * d, room(k)));
      EXPECT_TRUE(program.G.row(0).isZero(0.0));
    } else {
      cone::Cone cone{.a = Eigen::VectorXd::Zero(d),
                      .M = Eigen::MatrixXd::Zero(d, d),
                      .e = Eigen::VectorXd::Zero(d)};
      set_.set_cone(k, cone);
      EXPECT_NEAR(cone.a.dot(u) + cone.rho * (cone.M * u).norm(), oracle_.upper(z), tolerance);
      EXPECT_EQ(cone.c, room(k));
    }
    const cone::Cone prior = set_.prior_cone(k);
    EXPECT_TRUE(prior.a.isZero(0.0));
    EXPECT_TRUE(prior.e.isZero(0.0));
    EXPECT_NEAR(prior.rho * (prior.M * u).norm(), 1.5 * z.norm(), tolerance);
    EXPECT_EQ(prior.c, room(k));

    Eigen::MatrixXd product;
    set_.whiten(k, product);
    EXPECT_NEAR((product * u).norm(), oracle_.ellipsoid_width(z), tolerance);
  }
}

TEST_P(SafeSetOf, InnerAndOuterCautionsBracketTheBound) {
  SafeSet inner(problem_, {.caution = inner_caution(rule_.caution), .root = rule_.root});
  SafeSet outer(problem_, {.caution = outer_caution(rule_.caution), .root = rule_.root});
  inner.update(region_);
  outer.update(region_);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const Eigen::VectorXd z = draw();
    const double slack = kTolerance * z.norm();
    EXPECT_LE(inner.upper_bound(0, z), set_.upper_bound(0, z) + slack);
    EXPECT_GE(outer.upper_bound(0, z), set_.upper_bound(0, z) - slack);
    // Both are cones: κβ‖z‖_{A⁻¹}.
    for (const SafeSet* cone : {&inner, &outer}) {
      EXPECT_NEAR(cone->width(0, z), oracle_.ellipsoid_width(z), slack);
    }
  }
}

// Independent arithmetic, the same definition: a certificate is never below the exact value, and
// above it by rounding only.
TEST_P(SafeSetOf, CertificatesHaveItsLimitsRoomsAndBounds) {
  Certifier certifier(problem_, rule_);
  Certificate certificate;
  const Eigen::VectorXd x0 = problem_.centre();
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Eigen::VectorXd u = 0.2 * draw();
    for (const Evidence evidence : {Evidence::Region, Evidence::Prior}) {
      certifier.certify(estimate_, region_, x0 + u, evidence, certificate);
      for (std::size_t k = 0; k < set_.constraints(); ++k) {
        const ConstraintCertificate& entry = certificate.constraints[k];
        const Eigen::VectorXd z = image(k, u);
        const bool is_prior = evidence == Evidence::Prior;
        const double bound = is_prior ? set_.prior_bound(k, z) : set_.upper_bound(k, z);
        EXPECT_NEAR(entry.excess, bound, kTolerance * (1.0 + std::abs(bound)));
        EXPECT_EQ(entry.room, set_.room(k));
        EXPECT_EQ(entry.limit, set_.limit(k));
        EXPECT_EQ(entry.kind, is_prior ? BoundKind::APriori : bound_kind(rule_.caution));
        EXPECT_NEAR(entry.bound, set_.used(k) + bound, kTolerance * (1.0 + std::abs(bound)));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Settings, SafeSetOf,
    ::testing::Values(Setting{.caution = Caution::Ellipsoid, .dim = 1},
                      Setting{.caution = Caution::Ellipsoid, .dim = 3},
                      Setting{.caution = Caution::Ellipsoid, .dim = 9, .has_baseline = true},
                      Setting{.caution = Caution::L1Paper, .dim = 2, .has_baseline = true},
                      Setting{.caution = Caution::L1Paper, .dim = 7},
                      Setting{.caution = Caution::L1Exact, .dim = 1},
                      Setting{.caution = Caution::L1Exact, .dim = 2},
                      Setting{.caution = Caution::L1Exact, .dim = 6, .has_baseline = true},
                      Setting{.caution = Caution::L1Exact, .root = RootForm::Symmetric, .dim = 2},
                      Setting{.caution = Caution::L1Exact,
                              .root = RootForm::Symmetric,
                              .dim = 5,
                              .has_baseline = true}),
    [](const auto& test) { return name_of(test.param); });

TEST(SafeSet, TakesItsTermsFromTheProblem) {
  Problem problem{.decision_set = geometry::Box::symmetric(4, 1.0),
                  .constraints = {{.matrix = Eigen::MatrixXd::Identity(4, 4), .limit = 0.5},
                                  {.matrix = Eigen::MatrixXd::Ones(4, 4), .limit = 2.0}},
                  .assumptions = {.norm_bound = 3.0}};
  const Problem plain = resolved(problem);
  SafeSet set(plain);
  EXPECT_EQ(set.constraints(), 2U);
  EXPECT_EQ(set.room(0), 0.5);
  EXPECT_EQ(set.room(1), 2.0);
  EXPECT_EQ(set.used(1), 0.0);
  EXPECT_EQ(set.norm_bound(1), 3.0);
  EXPECT_EQ(set.matrix(1), Eigen::MatrixXd::Ones(4, 4));
  EXPECT_EQ(set.caution_factor(0), 1.0);
  EXPECT_TRUE(set.counts_prior());
  set.set_rule({.caution = Caution::L1Paper, .certified = CertifiedSet::Region});
  EXPECT_EQ(set.caution_factor(0), 2.0);
  EXPECT_FALSE(set.counts_prior());

  problem.baseline = {.action = Eigen::VectorXd::Constant(4, 0.1), .margin = 0.25};
  const Problem with_baseline = resolved(problem);
  const SafeSet around_baseline(with_baseline);
  EXPECT_EQ(around_baseline.limit(1), 2.0);
  EXPECT_EQ(around_baseline.room(1), 0.25);
  EXPECT_EQ(around_baseline.used(1), 1.75);
}

TEST(SafeSet, RulesAdmitTheFootholdOnlyInAUnion) {
  EXPECT_EQ(admitted_evidence(CertifiedSet::Union), Evidence::Either);
  EXPECT_EQ(admitted_evidence(CertifiedSet::Region), Evidence::Region);
}

// Without a positive bound the whole ray is certified, and a bound at the room itself shortens
// nothing.
TEST(SafeSet, ScalesOfBoundsAtAndBelowTheRoomAreOne) {
  const Problem problem =
      resolved({.decision_set = geometry::Box::symmetric(1, 1.0),
                .constraints = {{.matrix = Eigen::MatrixXd::Identity(1, 1), .limit = 0.5}}});
  const SafeSet set(problem);
  EXPECT_EQ(set.scale(0, -3.0), 1.0);
  EXPECT_EQ(set.scale(0, 0.5), 1.0);
  EXPECT_EQ(set.scale(0, 2.0), 0.25);
}

}  // namespace
}  // namespace foothold::safety
