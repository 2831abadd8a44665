#include "foothold/simulation/runner.hpp"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "foothold/base/check.hpp"
#include "foothold/base/error.hpp"
#include "foothold/safety/problem.hpp"

#include "episode.hpp"
#include "parallel.hpp"
#include "trace_rounds.hpp"

namespace foothold::simulation {
namespace {

constexpr int kTracePoints = 200;

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
  if (std::holds_alternative<geometry::ContextualArms>(config.problem->decision_set)) {
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
    if (policy.algorithm == config::Algorithm::UnsafeLucb) {
      notes.push_back(
          fmt::format("\"{}\" ignores the constraints; for comparison only", policy.name));
    }
  }
  return notes;
}

// No more threads than there is work for.
unsigned thread_count(unsigned wanted, std::size_t items) {
  const unsigned threads = wanted > 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::min<std::size_t>(threads, items));
}

// The error of one policy in one run, with the two named in front.
Error with_context(const Error& error, std::size_t policy, const std::string& name,
                   std::int64_t run) {
  return {error.code(), fmt::format("policies[{}]", policy),
          fmt::format("\"{}\", run {}: {}", name, run, error.what())};
}

// All episodes of an experiment; item = run · policies + policy.
class Experiment {
 public:
  Experiment(const config::ExperimentConfig& config, const RunOptions& options)
      : config_(config),
        options_(options),
        trace_rounds_(log_spaced_rounds(config.horizon, kTracePoints)),
        results_(static_cast<std::size_t>(config.runs) * config.policies.size()) {}

  ExperimentResult run() {
    const auto start = std::chrono::steady_clock::now();
    const ParallelOptions parallel{.threads = thread_count(options_.threads, results_.size()),
                                   .stop = options_.stop,
                                   .poll = [this] { report(); },
                                   .poll_interval = options_.progress_interval};
    for_each_item(results_.size(), parallel,
                  [this](std::size_t item, const WorkToken& token) { play_item(item, token); });
    report();
    ExperimentResult result = collect();
    result.threads = parallel.threads;
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  }

 private:
  void play_item(std::size_t item, const WorkToken& token) {
    const std::size_t number = item % config_.policies.size();
    const config::PolicyConfig& policy = config_.policies[number];
    const Episode episode{.experiment = config_,
                          .policy = policy,
                          .run = static_cast<std::int64_t>(item / config_.policies.size()),
                          .trace_rounds = trace_rounds_};
    const auto go_on = [this, &token](std::int64_t rounds) {
      rounds_done_.fetch_add(rounds, std::memory_order_relaxed);
      return token.is_wanted();
    };
    try {
      results_[item] = play(episode, go_on);
    } catch (const Error& error) {
      throw with_context(error, number, policy.name, episode.run);
    }
    if (results_[item]) {
      runs_done_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  void report() const {
    if (options_.progress) {
      const auto items = static_cast<std::int64_t>(results_.size());
      options_.progress({.rounds_done = rounds_done_.load(std::memory_order_relaxed),
                         .rounds_total = items * config_.horizon,
                         .runs_done = runs_done_.load(std::memory_order_relaxed),
                         .runs_total = items});
    }
  }

  ExperimentResult collect() {
    ExperimentResult result{.name = config_.name,
                            .seed = config_.seed,
                            .horizon = config_.horizon,
                            .runs = config_.runs,
                            .config_hash = config_.config_hash,
                            .trace_rounds = trace_rounds_,
                            .notes = make_notes(config_)};
    for (const config::PolicyConfig& policy : config_.policies) {
      result.policies.push_back({.name = policy.name,
                                 .algorithm = policy.algorithm,
                                 .has_oracle_gap = needs_oracle_gap(policy)});
    }
    for (std::size_t item = 0; item < results_.size(); ++item) {
      if (results_[item]) {
        result.policies[item % config_.policies.size()].runs.push_back(std::move(*results_[item]));
      } else {
        result.is_complete = false;
      }
    }
    return result;
  }

  const config::ExperimentConfig& config_;
  const RunOptions& options_;
  std::vector<std::int64_t> trace_rounds_;
  std::vector<std::optional<RunResult>> results_;  // each written by one thread, read after all
  std::atomic<std::int64_t> rounds_done_{0};
  std::atomic<std::int64_t> runs_done_{0};
};

}  // namespace

ExperimentResult run_experiment(const config::ExperimentConfig& config, const RunOptions& options) {
  validate(config);
  return Experiment(config, options).run();
}

}  // namespace foothold::simulation
