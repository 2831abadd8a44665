#include "batch/experiment_outline.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "foothold/base/check.hpp"
#include "foothold/base/error.hpp"
#include "foothold/safety/problem.hpp"

#include "play/episode.hpp"
#include "play/trace_rounds.hpp"

namespace foothold::simulation {
namespace {

// ‖μ‖ ≤ S with room for parameters typed in decimals.
constexpr double kNormTolerance = 1e-9;

void require_at_least_one(std::int64_t value, const char* field) {
  if (!(value >= 1)) {
    throw Error(ErrorCode::InvalidArgument, field,
                fmt::format("must be at least 1, got {}", value));
  }
}

void validate_feedback(const std::optional<config::FeedbackConfig>& feedback) {
  if (!feedback) {
    return;
  }
  check::non_negative(feedback->delay_mean, "feedback.delay_mean");
  if (!(feedback->missing >= 0.0 && feedback->missing <= 1.0)) {
    throw Error(ErrorCode::InvalidArgument, "feedback.missing",
                fmt::format("must lie in [0, 1], got {}", feedback->missing));
  }
}

void validate(const config::ExperimentConfig& config) {
  require_at_least_one(config.horizon, "horizon");
  require_at_least_one(config.runs, "runs");
  if (config.policies.empty()) {
    throw Error(ErrorCode::InvalidArgument, "policies", "must have at least one entry, got none");
  }
  if (config.family) {
    validate_feedback(config.family->feedback);
    return;
  }
  if (!config.problem || !config.environment) {
    throw Error(ErrorCode::InvalidArgument, config.problem ? "environment" : "problem",
                "must be given, or a family in its place");
  }
  if (geometry::is_contextual(config.problem->decision_set)) {
    throw Error(ErrorCode::InvalidArgument, "problem.decision_set",
                "must not be contextual: nothing says which arms arrive");
  }
  check::non_negative(config.environment->noise.scale, "environment.noise.scale");
  validate_feedback(config.environment->feedback);
}

// An experiment may break its own assumptions on purpose; its reader must know.
std::vector<std::string> make_notes(const config::ExperimentConfig& config) {
  std::vector<std::string> notes;
  if (config.problem && config.environment) {
    const estimation::Assumptions& assumptions = config.problem->assumptions;
    const double norm = config.environment->parameter.norm();
    const double scale = config.environment->noise.scale;
    if (!(norm <= assumptions.norm_bound * (1.0 + kNormTolerance))) {
      notes.push_back(
          fmt::format("the true parameter has length {}, beyond norm_bound = {}: no "
                      "guarantee holds",
                      norm, assumptions.norm_bound));
    }
    if (!(scale <= assumptions.noise_scale)) {
      notes.push_back(
          fmt::format("the true noise has scale {}, beyond noise_scale = {}: no "
                      "guarantee holds",
                      scale, assumptions.noise_scale));
    }
  }
  for (const config::PolicyConfig& policy : config.policies) {
    if (needs_oracle_gap(policy)) {
      notes.push_back(
          fmt::format("\"{}\" is told the true safety gap of each run: an oracle that no "
                      "real learner has",
                      policy.name));
    }
    if (policy.is_unsafe) {
      notes.push_back(
          fmt::format("\"{}\" ignores the constraints; for comparison only", policy.name));
    }
  }
  return notes;
}

}  // namespace

ExperimentResult outline_of(const config::ExperimentConfig& config) {
  validate(config);
  ExperimentResult outline{.name = config.name,
                           .seed = config.seed,
                           .horizon = config.horizon,
                           .runs = config.runs,
                           .config_hash = config.config_hash,
                           .trace_rounds = traced_rounds(config.horizon),
                           .notes = make_notes(config)};
  for (const config::PolicyConfig& policy : config.policies) {
    outline.policies.push_back({.name = policy.name,
                                .algorithm = std::string(config::algorithm_name(policy)),
                                .has_oracle_gap = needs_oracle_gap(policy)});
  }
  return outline;
}

}  // namespace foothold::simulation
