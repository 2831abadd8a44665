#include "foothold/estimation/assumptions.hpp"

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "foothold/base/error.hpp"
#include "foothold/base/infinity.hpp"

namespace foothold::estimation {
namespace {

struct WrongAssumption {
  const char* name;
  std::function<void(Assumptions&)> spoil;
  std::string field;
  std::string message;
};

void PrintTo(const WrongAssumption& wrong, std::ostream* out) {
  *out << wrong.name;
}

class WrongAssumptions : public ::testing::TestWithParam<WrongAssumption> {};

TEST_P(WrongAssumptions, AreRefusedNamingTheFieldAndTheValue) {
  Assumptions assumptions{.action_bound = 1.0, .ridge = 1.0};
  EXPECT_NO_THROW(validate(assumptions));
  GetParam().spoil(assumptions);
  try {
    validate(assumptions);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(error.field(), GetParam().field);
    EXPECT_EQ(error.what(), GetParam().field + ": " + GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Catalogue, WrongAssumptions,
    ::testing::Values(WrongAssumption{"NoiseNegative", [](auto& a) { a.noise_scale = -0.5; },
                                      "noise_scale", "must be non-negative and finite, got -0.5"},
                      WrongAssumption{"NoiseNaN", [](auto& a) { a.noise_scale = kNaN; },
                                      "noise_scale", "must be non-negative and finite, got nan"},
                      WrongAssumption{"NoiseInfinite", [](auto& a) { a.noise_scale = kInfinity; },
                                      "noise_scale", "must be non-negative and finite, got inf"},
                      WrongAssumption{"NormZero", [](auto& a) { a.norm_bound = 0.0; }, "norm_bound",
                                      "must be positive and finite, got 0"},
                      WrongAssumption{"NormNegative", [](auto& a) { a.norm_bound = -1.0; },
                                      "norm_bound", "must be positive and finite, got -1"},
                      WrongAssumption{"NormNaN", [](auto& a) { a.norm_bound = kNaN; }, "norm_bound",
                                      "must be positive and finite, got nan"},
                      WrongAssumption{"ActionZero", [](auto& a) { a.action_bound = 0.0; },
                                      "action_bound", "must be positive and finite, got 0"},
                      WrongAssumption{"ActionInfinite", [](auto& a) { a.action_bound = kInfinity; },
                                      "action_bound", "must be positive and finite, got inf"},
                      WrongAssumption{"RidgeZero", [](auto& a) { a.ridge = 0.0; }, "ridge",
                                      "must be positive and finite, got 0"},
                      WrongAssumption{"RidgeNegative", [](auto& a) { a.ridge = -2.0; }, "ridge",
                                      "must be positive and finite, got -2"},
                      WrongAssumption{"RidgeNaN", [](auto& a) { a.ridge = kNaN; }, "ridge",
                                      "must be positive and finite, got nan"},
                      WrongAssumption{"RidgeByDefaultOverflows",
                                      [](auto& a) {
                                        a.ridge.reset();
                                        a.noise_scale = 1e200;
                                      },
                                      "ridge", "must be positive and finite, got inf"},
                      WrongAssumption{"RidgeByDefaultUnderflows",
                                      [](auto& a) {
                                        a.ridge.reset();
                                        a.noise_scale = 1e-200;
                                      },
                                      "ridge", "must be positive and finite, got 0"},
                      WrongAssumption{"ProbZero", [](auto& a) { a.failure_prob = 0.0; },
                                      "failure_prob", "must lie in (0, 1), got 0"},
                      WrongAssumption{"ProbOne", [](auto& a) { a.failure_prob = 1.0; },
                                      "failure_prob", "must lie in (0, 1), got 1"},
                      WrongAssumption{"ProbNegative", [](auto& a) { a.failure_prob = -0.25; },
                                      "failure_prob", "must lie in (0, 1), got -0.25"},
                      WrongAssumption{"ProbNaN", [](auto& a) { a.failure_prob = kNaN; },
                                      "failure_prob", "must lie in (0, 1), got nan"}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(Assumptions, DefaultsAreValid) {
  EXPECT_NO_THROW(validate(Assumptions{}));
}

TEST(Assumptions, RidgeByDefaultIsTheSquaredRatioOfNoiseAndNorm) {
  EXPECT_DOUBLE_EQ(ridge_or_default({.noise_scale = 0.5, .norm_bound = 2.0}), 0.0625);
}

TEST(Assumptions, RidgeByDefaultIsOneWithoutNoise) {
  EXPECT_EQ(ridge_or_default({.noise_scale = 0.0, .norm_bound = 2.0}), 1.0);
}

TEST(Assumptions, AGivenRidgeIsTaken) {
  EXPECT_EQ(ridge_or_default({.noise_scale = 0.5, .norm_bound = 2.0, .ridge = 7.0}), 7.0);
}

}  // namespace
}  // namespace foothold::estimation
