#include "play/episode.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "foothold/base/double_double.hpp"
#include "foothold/base/error.hpp"
#include "foothold/simulation/world/arm_stream.hpp"
#include "foothold/simulation/world/environment.hpp"
#include "foothold/simulation/world/family.hpp"

#include "play/contestant.hpp"
#include "play/feedback_queue.hpp"
#include "play/optimum_watch.hpp"
#include "world/run_streams.hpp"

namespace foothold::simulation {
namespace {

struct Truth {
  safety::Problem problem;  // resolved, with the policy's ridge
  Environment environment;
  std::optional<ArmStream> arms;  // of contextual families
  config::NoiseConfig noise;
  std::optional<config::FeedbackConfig> feedback;
};

Truth make_truth(const Episode& episode) {
  const config::ExperimentConfig& experiment = episode.experiment;
  const auto resolved = [&](safety::Problem problem) {
    if (episode.policy.ridge) {
      problem.assumptions.ridge = episode.policy.ridge;
    }
    return safety::resolved(std::move(problem));
  };
  if (experiment.family) {
    const config::FamilyConfig& family = *experiment.family;
    Instance instance = draw_instance(family, experiment.seed, episode.run);
    safety::Problem problem = resolved(std::move(instance.problem));
    Environment environment(problem, std::move(instance.parameter));
    std::optional<ArmStream> arms;
    if (geometry::is_contextual(problem.decision_set)) {
      arms.emplace(family, problem, experiment.seed, episode.run);
    }
    return {.problem = std::move(problem),
            .environment = std::move(environment),
            .arms = std::move(arms),
            .noise = {.type = config::NoiseType::Gaussian, .scale = family.noise_scale},
            .feedback = family.feedback};
  }
  safety::Problem problem = resolved(*experiment.problem);
  Environment environment(problem, experiment.environment->parameter);
  return {.problem = std::move(problem),
          .environment = std::move(environment),
          .arms = std::nullopt,
          .noise = experiment.environment->noise,
          .feedback = experiment.environment->feedback};
}

std::unique_ptr<Contestant> contestant_of(const Episode& episode, const Truth& truth) {
  policy::PolicyOptions options = episode.policy.options;
  options.horizon = episode.experiment.horizon;
  options.seed = policy_seed(episode.experiment.seed, episode.run);
  if (needs_oracle_gap(episode.policy)) {
    const double gap = truth.environment.best().safety_gap;
    if (truth.arms) {
      throw Error(ErrorCode::InvalidArgument, "warmup.safety_gap",
                  "must be given for contextual arms: every round has a gap of its own");
    }
    if (!(gap > 0.0)) {
      throw Error(
          ErrorCode::InvalidArgument, "warmup.safety_gap",
          fmt::format("must be given, or be positive in truth, got {}: the best safe action "
                      "lies on a constraint, and a warm-up by the gap would never end "
                      "(schedule \"worst-case\" needs no gap)",
                      gap));
    }
    options.warmup.safety_gap = gap;
  }
  return make_contestant(episode.policy, truth.problem, options);
}

// What is counted round by round.
class Account {
 public:
  Account(const Environment& environment, const std::vector<std::int64_t>& trace_rounds)
      : environment_(environment), trace_rounds_(trace_rounds) {
    result_.safety_gap = environment.best().safety_gap;
    round_best_ = environment.best().loss;
    result_.min_margin = std::numeric_limits<double>::infinity();
    result_.trace_regret.reserve(trace_rounds.size());
    result_.trace_violations.reserve(trace_rounds.size());
  }

  // Contextual arms: what this round's action is compared with.
  void compare_with(const BestSafeAction& best) {
    round_best_ = best.loss;
    sum_of_best_ = sum_of_best_ + best.loss;
    result_.safety_gap = std::fmin(result_.safety_gap, best.safety_gap);  // fmin passes over NaN
  }

  // Returns the mean loss of the action.
  double add(std::int64_t round, const Eigen::VectorXd& action) {
    rounds_ = round;
    const double loss = environment_.mean_loss(action);
    const double margin = environment_.margin(action);
    regret_ = regret_ + (loss - round_best_);
    result_.min_margin = std::min(result_.min_margin, margin);
    result_.violations += margin < 0.0 ? 1 : 0;
    if (round == trace_rounds_[result_.trace_regret.size()]) {
      result_.trace_regret.push_back(regret_.value());
      result_.trace_violations.push_back(result_.violations);
    }
    return loss;
  }

  // Looks at the state in which the contestant is about to choose; contextual arms have no one
  // optimum to watch.
  void inspect(std::int64_t round, const Contestant& contestant,
               std::optional<OptimumWatch>& optimum) {
    const bool is_watching =
        optimum && !result_.optimum_certified_round && !contestant.is_warming_up();
    if (result_.has_lost_coverage && !is_watching) {
      return;
    }
    const double radius = contestant.estimate().radius(contestant.radius_form());
    result_.has_lost_coverage = result_.has_lost_coverage || !contestant.estimate().region_contains(
                                                                 environment_.parameter(), radius);
    if (is_watching && contestant.is_certified(*optimum, radius)) {
      result_.optimum_certified_round = round;
    }
  }

  // Ends at a round that has no safe action, which is not played.
  [[nodiscard]] RunResult fail(std::int64_t round, const Contestant& contestant) {
    RunResult result = finish(contestant);
    result.final_regret = std::numeric_limits<double>::quiet_NaN();
    result.failed_round = round;
    return result;
  }

  [[nodiscard]] RunResult finish(const Contestant& contestant) {
    result_.final_regret = regret_.value();
    const bool is_contextual = std::isnan(environment_.best().loss);
    result_.best_loss = is_contextual ? sum_of_best_.value() / static_cast<double>(rounds_)
                                      : environment_.best().loss;
    result_.warmup_rounds = contestant.warmup();
    result_.explorations = contestant.explorations();
    return std::move(result_);
  }

 private:
  const Environment& environment_;
  const std::vector<std::int64_t>& trace_rounds_;
  RunResult result_;
  DoubleDouble regret_;
  double round_best_ = 0.0;   // μᵀx* of this round
  DoubleDouble sum_of_best_;  // over the rounds with arms of their own
  std::int64_t rounds_ = 0;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Brings losses to the contestant: at once, or by way of the queue.
class Messenger {
 public:
  Messenger(const std::optional<config::FeedbackConfig>& feedback, RandomStream random) {
    if (feedback) {
      queue_.emplace(*feedback, random);
    }
  }

  void deliver_before(std::int64_t round, Contestant& contestant) {
    if (queue_) {
      while (const std::optional<LateLoss> late = queue_->receive(round)) {
        contestant.tell(late->ticket, late->loss);
      }
    }
  }

  void send(std::int64_t round, double loss, Contestant& contestant) {
    if (!queue_) {
      contestant.tell(contestant.ticket(), loss);
    } else if (!queue_->send(round, contestant.ticket(), loss)) {
      contestant.abandon(contestant.ticket());
    }
  }

 private:
  std::optional<FeedbackQueue> queue_;
};

// One round's action, among arms of its own if the problem is contextual; nullptr if nothing can be
// certified.
const Eigen::VectorXd* choose(Truth& truth, Contestant& contestant, Account& account) {
  try {
    if (!truth.arms) {
      return &contestant.choose();
    }
    const Eigen::MatrixXd& arms = truth.arms->next();
    const Eigen::VectorXd& action = contestant.choose(arms);
    account.compare_with(truth.environment.best_among(arms));
    return &action;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::NoSafeAction) {
      throw;
    }
    return nullptr;
  }
}

}  // namespace

bool needs_oracle_gap(const config::PolicyConfig& policy) {
  const policy::WarmupOptions& warmup = policy.options.warmup;
  const bool needs_gap =
      warmup.schedule == policy::Schedule::Gap || warmup.schedule == policy::Schedule::Nested;
  return !policy.is_unsafe && needs_gap && !warmup.safety_gap;
}

std::optional<RunResult> play(const Episode& episode,
                              const std::function<bool(std::int64_t)>& go_on) {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t seed = episode.experiment.seed;
  Truth truth = make_truth(episode);
  const std::unique_ptr<Contestant> contestant = contestant_of(episode, truth);
  std::optional<OptimumWatch> optimum;
  if (!truth.arms) {
    optimum.emplace(truth.problem, truth.environment.best().action);
  }
  Account account(truth.environment, episode.trace_rounds);
  Messenger messenger(truth.feedback, run_stream(seed, episode.run, StreamPurpose::Feedback));
  RandomStream noise = run_stream(seed, episode.run, StreamPurpose::Noise);

  const std::int64_t horizon = episode.experiment.horizon;
  for (std::int64_t round = 1; round <= horizon; ++round) {
    messenger.deliver_before(round, *contestant);
    account.inspect(round, *contestant, optimum);
    const Eigen::VectorXd* action = choose(truth, *contestant, account);
    if (action == nullptr) {
      RunResult failed = account.fail(round, *contestant);
      failed.seconds = seconds_since(start);
      return failed;
    }
    const double mean_loss = account.add(round, *action);
    messenger.send(round, mean_loss + draw_noise(truth.noise, noise), *contestant);
    if (round % kRoundsPerCheck == 0 && !go_on(kRoundsPerCheck)) {
      return std::nullopt;
    }
  }
  if (!go_on(horizon % kRoundsPerCheck)) {
    return std::nullopt;
  }
  RunResult result = account.finish(*contestant);
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace foothold::simulation
