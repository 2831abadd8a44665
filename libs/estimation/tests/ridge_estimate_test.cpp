#include "foothold/estimation/ridge_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/base/infinity.hpp"

#include "dataset.hpp"

namespace foothold::estimation {
namespace {

using testing::Dataset;
using testing::estimate_from;
using testing::random_dataset;
using testing::ridge_by_augmented_qr;

constexpr double kUnit = 0x1p-53;

// What an estimate proves of z in either arithmetic; the doubled one takes a low part as well.
DirectionBounds bounds_in(Arithmetic arithmetic, const RidgeEstimate& estimate,
                          const Eigen::VectorXd& z) {
  return estimate.bounds({.high = z,
                          .low = Eigen::VectorXd::Zero(z.size()),
                          .error = 0.0,
                          .has_low = arithmetic == Arithmetic::Doubled},
                         arithmetic);
}

class RidgeEstimateOracle : public ::testing::TestWithParam<double> {};

TEST_P(RidgeEstimateOracle, AgreesWithAugmentedLeastSquares) {
  const Dataset data = random_dataset(/*rows=*/200, /*dim=*/7, /*stream=*/1);
  const RidgeEstimate estimate = estimate_from(data, {.ridge = GetParam()});
  const Eigen::VectorXd expected = ridge_by_augmented_qr(data, GetParam());
  EXPECT_LE((estimate.mu_hat() - expected).norm(), 1e-12 * (1.0 + expected.norm()));
}

TEST_P(RidgeEstimateOracle, LogDetAgreesWithTheEigenvaluesOfTheGramMatrix) {
  // log det A − d log λ = Σ log(1 + eᵢ/λ), eᵢ the eigenvalues of Σ x xᵀ.
  const Dataset data = random_dataset(/*rows=*/200, /*dim=*/7, /*stream=*/2);
  const RidgeEstimate estimate = estimate_from(data, {.ridge = GetParam()});
  const Eigen::MatrixXd gram_of_data = data.actions.transpose() * data.actions;
  const Eigen::VectorXd e = gram_of_data.selfadjointView<Eigen::Lower>().eigenvalues();
  const double expected = (e / GetParam()).array().log1p().sum();
  EXPECT_NEAR(estimate.log_det_ratio(), expected, 1e-12 * expected);
}

TEST_P(RidgeEstimateOracle, BoundsEncloseWhatAnInverseGives) {
  const Dataset data = random_dataset(/*rows=*/60, /*dim=*/5, /*stream=*/3);
  const RidgeEstimate estimate = estimate_from(data, {.ridge = GetParam()});
  const Eigen::MatrixXd A =
      GetParam() * Eigen::MatrixXd::Identity(5, 5) + data.actions.transpose() * data.actions;
  const Eigen::VectorXd mu_hat = ridge_by_augmented_qr(data, GetParam());
  RandomStream random(/*seed=*/4, /*stream=*/0);
  for (int i = 0; i < 50; ++i) {
    const Eigen::VectorXd z = Eigen::VectorXd::NullaryExpr(5, [&] { return random.normal(); });
    const DirectionBounds bounds =
        estimate.bounds({.high = z, .low = Eigen::VectorXd::Zero(5), .error = 0.0});
    const double width = std::sqrt(z.dot(A.fullPivLu().solve(z)));
    EXPECT_NEAR(bounds.width, width, 1e-11 * width);
    EXPECT_NEAR(bounds.estimate, mu_hat.dot(z), 1e-11 * mu_hat.norm() * z.norm());
    EXPECT_GE(bounds.allowance, 0.0);
    EXPECT_LE(bounds.allowance, 1e-13 * (1.0 + mu_hat.norm()) * z.norm());
  }
}

INSTANTIATE_TEST_SUITE_P(RidgeSweep, RidgeEstimateOracle, ::testing::Values(1e-3, 1.0, 1e3));

// The dimensions with kernels of their own, and some without.
class RidgeEstimateDimension : public ::testing::TestWithParam<int> {};

TEST_P(RidgeEstimateDimension, EstimateAndBoundsAgreeWithAugmentedLeastSquares) {
  const Eigen::Index d = GetParam();
  const Dataset data = random_dataset(/*rows=*/300, d, /*stream=*/9);
  const RidgeEstimate estimate = estimate_from(data, {.ridge = 0.5});
  const Eigen::MatrixXd A =
      0.5 * Eigen::MatrixXd::Identity(d, d) + data.actions.transpose() * data.actions;
  const Eigen::VectorXd mu_hat = ridge_by_augmented_qr(data, 0.5);
  EXPECT_LE((estimate.mu_hat() - mu_hat).norm(), 1e-12 * (1.0 + mu_hat.norm()));
  RandomStream random(/*seed=*/4, /*stream=*/1);
  for (int i = 0; i < 20; ++i) {
    const Eigen::VectorXd z = Eigen::VectorXd::NullaryExpr(d, [&] { return random.normal(); });
    const double width = std::sqrt(z.dot(A.fullPivLu().solve(z)));
    for (const Arithmetic arithmetic : {Arithmetic::Plain, Arithmetic::Doubled}) {
      const DirectionBounds bounds = bounds_in(arithmetic, estimate, z);
      EXPECT_NEAR(bounds.width, width, 1e-11 * width);
      EXPECT_NEAR(bounds.estimate, mu_hat.dot(z), 1e-11 * mu_hat.norm() * z.norm());
      EXPECT_LE(std::abs(bounds.estimate - mu_hat.dot(z)),
                bounds.allowance + 1e-12 * (1.0 + mu_hat.norm()) * z.norm());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, RidgeEstimateDimension,
                         ::testing::Values(1, 2, 3, 4, 8, 9, 16, 33));

TEST(RidgeEstimate, RadiiHaveTheirClosedForms) {
  // R = 0.5, S = 3, L = 2, λ = 4, δ = 0.05. Without data A = λI and n = 0, and with d = 2:
  //   Paper and LogDet  0.5 √(2 log 20) + 2·3,   Mixture  √( 0.25·2 log 20 + 36 ).
  // After x = (2, 0): A = diag(8, 4), nL²/λ = 1:
  //   Paper  0.5 √(2 log 40) + 6,  LogDet  0.5 √(2 log 20 + log 2) + 6,
  //   Mixture  √( 0.25 (2 log 20 + log 2) + 36 ).
  RidgeEstimate estimate(/*dim=*/2, {.noise_scale = 0.5,
                                     .norm_bound = 3.0,
                                     .action_bound = 2.0,
                                     .ridge = 4.0,
                                     .failure_prob = 0.05});
  const double prior = 0.5 * std::sqrt(2.0 * std::log(20.0)) + 6.0;
  const double prior_mixture = std::sqrt(0.5 * std::log(20.0) + 36.0);
  EXPECT_NEAR(estimate.radius(RadiusForm::Paper), prior, 1e-14 * prior);
  EXPECT_NEAR(estimate.radius(RadiusForm::LogDet), prior, 1e-14 * prior);
  EXPECT_NEAR(estimate.radius(RadiusForm::Mixture), prior_mixture, 1e-14 * prior_mixture);

  estimate.observe(Eigen::Vector2d(2.0, 0.0), 1.0);
  const double paper = 0.5 * std::sqrt(2.0 * std::log(40.0)) + 6.0;
  const double log_det = 0.5 * std::sqrt(2.0 * std::log(20.0) + std::log(2.0)) + 6.0;
  const double mixture = std::sqrt(0.25 * (2.0 * std::log(20.0) + std::log(2.0)) + 36.0);
  EXPECT_NEAR(estimate.radius(RadiusForm::Paper), paper, 1e-14 * paper);
  EXPECT_NEAR(estimate.radius(RadiusForm::LogDet), log_det, 1e-14 * log_det);
  EXPECT_NEAR(estimate.radius(RadiusForm::Mixture), mixture, 1e-14 * mixture);
}

TEST(RidgeEstimate, RadiiAreOrderedFromTwoDimensionsOn) {
  for (const Eigen::Index d : {2, 3, 8}) {
    for (const double ridge : {1e-4, 1.0, 1e4}) {
      for (const Eigen::Index n : {0, 1, 50}) {
        const RidgeEstimate estimate =
            estimate_from(random_dataset(n, d, /*stream=*/5), {.noise_scale = 0.3, .ridge = ridge});
        const double mixture = estimate.radius(RadiusForm::Mixture);
        const double log_det = estimate.radius(RadiusForm::LogDet);
        EXPECT_LE(mixture, log_det);
        EXPECT_LE(log_det, estimate.radius(RadiusForm::Paper));
        EXPECT_GT(mixture, 0.0);
      }
    }
  }
}

TEST(RidgeEstimate, InOneDimensionThePapersFormIsLogDet) {
  RidgeEstimate estimate(/*dim=*/1, {.action_bound = 1.0, .failure_prob = 0.05});
  EXPECT_EQ(estimate.radius(RadiusForm::Paper), estimate.radius(RadiusForm::LogDet));
  estimate.observe(Eigen::VectorXd::Constant(1, 0.7), 0.1);
  EXPECT_EQ(estimate.radius(RadiusForm::Paper), estimate.radius(RadiusForm::LogDet));
  EXPECT_LT(estimate.radius(RadiusForm::Mixture), estimate.radius(RadiusForm::LogDet));
}

TEST(RidgeEstimate, WithoutNoiseTheRadiusIsThatOfThePrior) {
  // R = 0: β = √λ S in every form.
  const RidgeEstimate estimate = estimate_from(
      random_dataset(20, 3, /*stream=*/6), {.noise_scale = 0.0, .norm_bound = 2.0, .ridge = 9.0});
  for (const RadiusForm form : {RadiusForm::Paper, RadiusForm::LogDet, RadiusForm::Mixture}) {
    EXPECT_NEAR(estimate.radius(form), 6.0, 1e-13);
    EXPECT_GE(estimate.radius(form), 6.0);
  }
}

TEST(RidgeEstimate, WithoutDataIsZeroWithTheWidthOfThePrior) {
  const RidgeEstimate estimate(3, {.action_bound = 1.0, .ridge = 4.0});
  EXPECT_EQ(estimate.count(), 0);
  EXPECT_EQ(estimate.mu_hat(), Eigen::Vector3d::Zero());
  // ‖z‖/√λ = 3/2.
  const DirectionBounds bounds = estimate.bounds(
      {.high = Eigen::Vector3d(1.0, 2.0, 2.0), .low = Eigen::Vector3d::Zero(), .error = 0.0});
  EXPECT_NEAR(bounds.width, 1.5, 1e-14);
  EXPECT_GE(bounds.width, 1.5);
  EXPECT_EQ(bounds.estimate, 0.0);
  EXPECT_LE(bounds.allowance, 1e-300);
}

TEST(RidgeEstimate, PlainBoundsWithoutDataAreThoseOfThePrior) {
  // A = λI with λ = 4 and z = (2, …, 2): ‖z‖/√λ = √d, up to the roundings of a norm and a quotient.
  for (const Eigen::Index d : {1, 2, 3, 8, 33}) {
    const RidgeEstimate estimate(d, {.action_bound = 1.0, .ridge = 4.0});
    const Eigen::VectorXd z = Eigen::VectorXd::Constant(d, 2.0);
    const double width = std::sqrt(static_cast<double>(d));
    const DirectionBounds bounds = bounds_in(Arithmetic::Plain, estimate, z);
    EXPECT_GE(bounds.width, width);
    EXPECT_LE(bounds.width, width * (1.0 + (static_cast<double>(d) + 24.0) * kUnit));
    EXPECT_EQ(bounds.estimate, 0.0);
    EXPECT_LE(bounds.allowance, 1e-300);
  }
}

TEST(RidgeEstimate, AllowancesHoldWhereQuotientsByTheRidgeUnderflow) {
  // d = 1: A = λ + x², b = ℓx and (A⁻¹b)z = ℓxz/λ up to a factor 1 − x²/λ. Products of powers of
  // two, but b/λ = 2⁻¹⁵⁹⁶ and ‖b‖/√λ = 2⁻¹⁰⁹⁸ are below the range; so is z/λ in the second case.
  struct Scales {
    int ridge;
    int action;
    int loss;
    int z;
  };
  for (const Scales& log2 : {Scales{.ridge = 996, .action = -300, .loss = -300, .z = 600},
                             Scales{.ridge = 996, .action = 0, .loss = 1000, .z = -600}}) {
    RidgeEstimate estimate(1, {.action_bound = 2.0, .ridge = std::ldexp(1.0, log2.ridge)});
    estimate.observe(Eigen::VectorXd::Constant(1, std::ldexp(1.0, log2.action)),
                     std::ldexp(1.0, log2.loss));
    const double exact = std::ldexp(1.0, log2.action + log2.loss + log2.z - log2.ridge);
    const Eigen::VectorXd z = Eigen::VectorXd::Constant(1, std::ldexp(1.0, log2.z));
    for (const Arithmetic arithmetic : {Arithmetic::Plain, Arithmetic::Doubled}) {
      const DirectionBounds bounds = bounds_in(arithmetic, estimate, z);
      EXPECT_GE(bounds.allowance, std::abs(exact - bounds.estimate));
      EXPECT_GE(bounds.width, std::ldexp(1.0, log2.z - log2.ridge / 2));
    }
  }
}

TEST(RidgeEstimate, TheWidthOfThePriorIsLeftWhereASolveOverflows) {
  // A = λI with λ = 2⁻¹⁰⁰⁰: z/λ is beyond the range, ‖z‖/√λ = 2⁵⁴⁰ is not, and the estimate is 0.
  for (const Eigen::Index d : {1, 2, 3}) {
    const RidgeEstimate estimate(d, {.action_bound = 1.0, .ridge = 0x1p-1000});
    for (const Arithmetic arithmetic : {Arithmetic::Plain, Arithmetic::Doubled}) {
      const DirectionBounds bounds =
          bounds_in(arithmetic, estimate, 0x1p40 * Eigen::VectorXd::Unit(d, 0));
      EXPECT_GE(bounds.width, 0x1p540);
      EXPECT_LE(bounds.width, 0x1p540 * (1.0 + (static_cast<double>(d) + 40.0) * kUnit));
      EXPECT_EQ(bounds.estimate, 0.0);
      // b − Aμ̂ is known to within some 2⁻¹⁰²², times ‖z‖/λ. In plain arithmetic nothing is
      // concluded from a solve that failed.
      if (arithmetic == Arithmetic::Doubled) {
        EXPECT_LE(bounds.allowance, 64.0 * 0x1p18);
      } else {
        EXPECT_FALSE(bounds.allowance < kInfinity);
      }
    }
  }
}

TEST(RidgeEstimate, NothingIsProvedOfADirectionThatIsNotFinite) {
  const RidgeEstimate estimate = estimate_from(random_dataset(20, 3, /*stream=*/12), {});
  for (const double entry : {kNaN, kInfinity, -kInfinity}) {
    for (const Arithmetic arithmetic : {Arithmetic::Plain, Arithmetic::Doubled}) {
      const DirectionBounds bounds =
          bounds_in(arithmetic, estimate, Eigen::Vector3d(0.5, entry, 0.0));
      EXPECT_FALSE(bounds.estimate + bounds.allowance + bounds.width < kInfinity);
    }
  }
}

class RidgeEstimateOrder : public ::testing::TestWithParam<int> {};

TEST_P(RidgeEstimateOrder, DoesNotMatterToTheEstimate) {
  const Dataset data = random_dataset(GetParam(), /*dim=*/4, /*stream=*/7);
  Dataset late = data;
  std::vector<Eigen::Index> order(static_cast<std::size_t>(GetParam()));
  std::iota(order.begin(), order.end(), 0);
  RandomStream random(/*seed=*/8, /*stream=*/0);
  for (std::size_t n = order.size(); n > 1; --n) {
    std::swap(order[n - 1], order[random.index(n)]);
  }
  for (std::size_t n = 0; n < order.size(); ++n) {
    late.actions.row(static_cast<Eigen::Index>(n)) = data.actions.row(order[n]);
    late.losses(static_cast<Eigen::Index>(n)) = data.losses(order[n]);
  }
  const Assumptions assumptions{.noise_scale = 0.5, .ridge = 1e-2};
  const RidgeEstimate one = estimate_from(data, assumptions);
  const RidgeEstimate other = estimate_from(late, assumptions);
  EXPECT_LE((one.mu_hat() - other.mu_hat()).norm(), 1e-10 * one.mu_hat().norm());
  EXPECT_NEAR(one.radius(RadiusForm::Mixture), other.radius(RadiusForm::Mixture), 1e-10);
  EXPECT_EQ(one.count(), other.count());
  EXPECT_NE(one.digest(), other.digest());
}

INSTANTIATE_TEST_SUITE_P(Counts, RidgeEstimateOrder, ::testing::Values(5, 50, 10'000));

struct WrongObservation {
  const char* name;
  Eigen::VectorXd action;
  double loss;
  std::string field;
  std::string fragment;
};

void PrintTo(const WrongObservation& wrong, std::ostream* out) {
  *out << wrong.name;
}

class WrongObservations : public ::testing::TestWithParam<WrongObservation> {};

TEST_P(WrongObservations, AreRefusedAndChangeNothing) {
  RidgeEstimate estimate(2, {.action_bound = 1e160, .ridge = 0.5});
  estimate.observe(Eigen::Vector2d(0.25, -0.5), 0.75);
  estimate.observe(Eigen::Vector2d(1.0, 0.5), -0.25);
  const RidgeEstimate before = estimate;
  ByteWriter bytes_before;
  before.save(bytes_before);
  try {
    estimate.observe(GetParam().action, GetParam().loss);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(error.field(), GetParam().field);
    EXPECT_NE(std::string(error.what()).find(GetParam().fragment), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(estimate.count(), 2);
  EXPECT_EQ(estimate.digest(), before.digest());
  EXPECT_EQ(estimate.mu_hat(), before.mu_hat());
  ByteWriter bytes_after;
  estimate.save(bytes_after);
  EXPECT_EQ(bytes_after.sealed(), bytes_before.sealed());
}

INSTANTIATE_TEST_SUITE_P(
    Catalogue, WrongObservations,
    ::testing::Values(
        WrongObservation{"WrongSize", Eigen::Vector3d(0.0, 0.0, 0.0), 0.0, "action",
                         "must have size 2, got 3"},
        WrongObservation{"Empty", Eigen::VectorXd(0), 0.0, "action", "must have size 2, got 0"},
        WrongObservation{"ActionNaN", Eigen::Vector2d(0.0, kNaN), 0.0, "action", "got nan at [1]"},
        WrongObservation{"ActionInfinite", Eigen::Vector2d(-kInfinity, 0.0), 0.0, "action",
                         "got -inf at [0]"},
        WrongObservation{"LossNaN", Eigen::Vector2d(0.0, 1.0), kNaN, "loss",
                         "must be finite, got nan"},
        WrongObservation{"LossInfinite", Eigen::Vector2d(0.0, 1.0), kInfinity, "loss",
                         "must be finite, got inf"},
        WrongObservation{"TooLong", Eigen::Vector2d(0.0, 2e160), 0.0, "action",
                         "must have norm at most action_bound = 1e+160, got 2"},
        WrongObservation{"GramOverflows", Eigen::Vector2d(1e155, 0.0), 0.0, "action",
                         "must keep the Gram matrix finite"},
        WrongObservation{"LossSumOverflows", Eigen::Vector2d(1e150, 0.0), 1e200, "loss",
                         "must keep the sum of losses finite, got 1e+200"}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(RidgeEstimate, AllowsAnActionScaledToItsBound) {
  RidgeEstimate estimate(3, {.action_bound = 0.1});
  const Eigen::Vector3d action = Eigen::Vector3d(1.0, 2.0, 3.0).normalized() * 0.1;
  EXPECT_NO_THROW(estimate.observe(action, 0.0));
}

TEST(RidgeEstimate, SumsUpToTheRangeStayFiniteAndThenTheyAreRefused) {
  RidgeEstimate estimate(1, {.action_bound = 1e154, .ridge = 1.0});
  const Eigen::VectorXd action = Eigen::VectorXd::Constant(1, 1e153);
  int accepted = 0;
  try {
    for (; accepted < 100; ++accepted) {
      estimate.observe(action, 0.0);
    }
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  }
  EXPECT_EQ(accepted, 44);  // 2¹⁰²² = 4.49e307
  EXPECT_TRUE(estimate.mu_hat().allFinite());
}

TEST(RidgeEstimate, RefusesMalformedConstruction) {
  EXPECT_THROW(RidgeEstimate(0, {.action_bound = 1.0}), Error);
  EXPECT_THROW(RidgeEstimate(-1, {.action_bound = 1.0}), Error);
  EXPECT_THROW(RidgeEstimate(2, {}), Error);
  EXPECT_THROW(RidgeEstimate(2, {.action_bound = 1.0, .ridge = kNaN}), Error);
}

TEST(RidgeEstimate, GoesOnBitForBitFromASnapshot) {
  const Dataset data = random_dataset(80, 4, /*stream=*/9);
  const Assumptions assumptions{.noise_scale = 0.5, .action_bound = 1.0};
  const Dataset first{.actions = data.actions.topRows(40), .losses = data.losses.head(40)};
  RidgeEstimate original = estimate_from(first, assumptions);
  ByteWriter out;
  original.save(out);
  const Bytes bytes = out.sealed();
  RidgeEstimate restored(4, assumptions);
  ByteReader in(bytes);
  restored.load(in);
  in.finish();
  const Eigen::Vector4d z(0.1, 0.2, -0.3, 0.4);
  const auto expect_same = [&] {
    EXPECT_EQ(restored.count(), original.count());
    EXPECT_EQ(restored.digest(), original.digest());
    EXPECT_EQ(restored.mu_hat(), original.mu_hat());
    EXPECT_EQ(restored.radius(RadiusForm::Mixture), original.radius(RadiusForm::Mixture));
    for (const Arithmetic arithmetic : {Arithmetic::Plain, Arithmetic::Doubled}) {
      const DirectionBounds one = bounds_in(arithmetic, restored, z);
      const DirectionBounds other = bounds_in(arithmetic, original, z);
      EXPECT_EQ(one.width, other.width);
      EXPECT_EQ(one.estimate, other.estimate);
      EXPECT_EQ(one.allowance, other.allowance);
    }
  };
  expect_same();
  for (Eigen::Index n = 40; n < 80; ++n) {
    original.observe(data.actions.row(n).transpose(), data.losses(n));
    restored.observe(data.actions.row(n).transpose(), data.losses(n));
  }
  expect_same();
}

TEST(RidgeEstimate, BoundsAreThoseOfARestoredCopyAfterEveryCorrection) {
  // A snapshot holds nothing that can be computed, so a copy shows what is kept beyond its time.
  // Every other loss takes back the one before, all but a little: what was lost of the large μ̂ is
  // much of the small one, which is corrected.
  const Assumptions assumptions{.noise_scale = 0.5, .action_bound = 4.0, .ridge = 1e-11};
  RandomStream random(/*seed=*/13, /*stream=*/0);
  RidgeEstimate original(3, assumptions);
  Eigen::Vector3d x;
  for (int n = 0; n < 60; ++n) {
    if (n % 2 == 0) {
      x << 1.0, 1.0 + 1e-2 * random.normal(), 1.0 + 1e-3 * random.normal();
    }
    original.observe(x, (n % 2 == 0 ? 1e8 : -1e8) + random.normal());
    ByteWriter out;
    original.save(out);
    const Bytes bytes = out.sealed();
    ByteReader in(bytes);
    RidgeEstimate restored(3, assumptions);
    restored.load(in);
    EXPECT_EQ(restored.residual_norm(), original.residual_norm());
    for (const Arithmetic arithmetic : {Arithmetic::Plain, Arithmetic::Doubled}) {
      const Eigen::Vector3d z(0.3, -0.2, 0.1);
      const DirectionBounds expected = bounds_in(arithmetic, restored, z);
      const DirectionBounds bounds = bounds_in(arithmetic, original, z);
      EXPECT_EQ(bounds.width, expected.width);
      EXPECT_EQ(bounds.estimate, expected.estimate);
      EXPECT_EQ(bounds.allowance, expected.allowance);
    }
  }
}

TEST(RidgeEstimate, ASnapshotOfAnotherDimensionChangesNothing) {
  ByteWriter out;
  estimate_from(random_dataset(5, 3, /*stream=*/10), {}).save(out);
  const Bytes bytes = out.sealed();
  RidgeEstimate estimate = estimate_from(random_dataset(7, 2, /*stream=*/11), {});
  const RidgeEstimate before = estimate;
  ByteReader in(bytes);
  EXPECT_THROW(estimate.load(in), Error);
  EXPECT_EQ(estimate.count(), 7);
  EXPECT_EQ(estimate.digest(), before.digest());
  EXPECT_EQ(estimate.mu_hat(), before.mu_hat());
}

TEST(RidgeEstimate, ASnapshotOfANegativeCountChangesNothing) {
  ByteWriter out;
  estimate_from(random_dataset(5, 2, /*stream=*/10), {}).save(out);
  const Bytes bytes = out.sealed();
  ByteReader words(bytes);
  ByteWriter forged;
  EXPECT_EQ(words.read_integer(), 5);  // the count comes first
  forged.write(std::int64_t{-1});
  while (words.remaining() > 0) {
    forged.write(words.read_word());
  }
  const Bytes forged_bytes = forged.sealed();
  ByteReader in(forged_bytes);
  RidgeEstimate estimate = estimate_from(random_dataset(7, 2, /*stream=*/11), {});
  EXPECT_THROW(estimate.load(in), Error);
  EXPECT_EQ(estimate.count(), 7);
}

TEST(RidgeEstimate, DigestTellsActionsAndLossesApart) {
  const auto digest_of = [](double entry, double loss) {
    RidgeEstimate estimate(2, {.action_bound = 2.0});
    estimate.observe(Eigen::Vector2d(entry, 0.5), loss);
    return estimate.digest();
  };
  EXPECT_EQ(digest_of(1.0, 0.25), digest_of(1.0, 0.25));
  EXPECT_NE(digest_of(1.0, 0.25), digest_of(1.0, std::nextafter(0.25, 1.0)));
  EXPECT_NE(digest_of(1.0, 0.25), digest_of(std::nextafter(1.0, 0.0), 0.25));
}

TEST(RidgeEstimate, RegionsCoverTheParameterAtEveryRound) {
  // P(∃ round: μ ∉ C) ≤ δ = 0.1. Over 400 independent runs the number of failing runs is
  // stochastically below Binomial(400, 0.1), and P(Binomial(400, 0.1) > 65) < 1e-4.
  constexpr int kRuns = 400;
  constexpr int kMaxFailingRuns = 65;
  const Eigen::Vector3d mu(0.6, -0.3, 0.5);
  const Assumptions assumptions{
      .noise_scale = 0.5, .norm_bound = mu.norm(), .action_bound = 1.001, .failure_prob = 0.1};
  int failing_runs = 0;
  for (int run = 0; run < kRuns; ++run) {
    RandomStream random(/*seed=*/7, static_cast<std::uint64_t>(run));
    const auto normal = [&] { return random.normal(); };
    RidgeEstimate estimate(3, assumptions);
    bool is_covered = true;
    for (int t = 0; t < 50 && is_covered; ++t) {
      const Eigen::VectorXd x = Eigen::VectorXd::NullaryExpr(3, normal).normalized();
      estimate.observe(x, x.dot(mu) + assumptions.noise_scale * normal());
      is_covered = estimate.region_contains(mu, estimate.radius(RadiusForm::Mixture));
    }
    failing_runs += is_covered ? 0 : 1;
  }
  EXPECT_LE(failing_runs, kMaxFailingRuns);
}

}  // namespace
}  // namespace foothold::estimation
