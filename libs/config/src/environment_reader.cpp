#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "document/table_reader.hpp"
#include "names.hpp"
#include "readers.hpp"

namespace foothold::config {
namespace {

FeedbackConfig read_feedback(const Value& value) {
  static constexpr std::array<std::string_view, 2> kKeys = {"delay_mean", "missing"};
  const TableReader table(value);
  table.allow(kKeys);
  const FeedbackConfig feedback{.delay_mean = table.number_or("delay_mean", 0.0),
                                .missing = table.number_or("missing", 0.0)};
  if (!(feedback.delay_mean >= 0.0)) {
    table.get("delay_mean").fail("must be non-negative");
  }
  if (!(feedback.missing >= 0.0 && feedback.missing < 1.0)) {
    table.get("missing").fail("must lie in [0, 1)");
  }
  return feedback;
}

NoiseConfig read_noise(const Value& value, double default_scale) {
  static constexpr std::array<std::string_view, 2> kKeys = {"type", "scale"};
  const TableReader table(value);
  table.allow(kKeys);
  const NoiseConfig noise{.type = table.one_of_or("type", kNoiseTypes, NoiseType::Gaussian),
                          .scale = table.number_or("scale", default_scale)};
  if (!(noise.scale >= 0.0)) {
    table.get("scale").fail("must be non-negative");
  }
  return noise;
}

Eigen::VectorXd read_parameter(const Value& value, const safety::Problem& problem) {
  Eigen::VectorXd parameter = value.vector();
  if (parameter.size() != problem.dim()) {
    value.fail(fmt::format("must have {} entries, the dimension of the problem", problem.dim()));
  }
  // Room for a parameter typed in decimals; a longer one would contradict what the learner is told.
  constexpr double kTolerance = 1e-9;
  const double bound = problem.assumptions.norm_bound;
  const double norm = parameter.stableNorm();
  if (!(norm <= bound * (1.0 + kTolerance))) {
    value.fail(fmt::format("must have norm at most {}, the problem's norm_bound, but has {}", bound,
                           norm));
  }
  return parameter;
}

}  // namespace

std::optional<FeedbackConfig> read_optional_feedback(const TableReader& table) {
  const std::optional<Value> feedback = table.find("feedback");
  return feedback ? std::optional(read_feedback(*feedback)) : std::nullopt;
}

EnvironmentConfig read_environment(const Value& value, const safety::Problem& problem) {
  static constexpr std::array<std::string_view, 3> kKeys = {"parameter", "noise", "feedback"};
  const TableReader table(value);
  table.allow(kKeys);
  const double declared_scale = problem.assumptions.noise_scale;
  EnvironmentConfig environment{.parameter = read_parameter(table.get("parameter"), problem),
                                .noise = {.scale = declared_scale},
                                .feedback = read_optional_feedback(table)};
  if (const std::optional<Value> noise = table.find("noise")) {
    environment.noise = read_noise(*noise, declared_scale);
  }
  return environment;
}

}  // namespace foothold::config
