#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "foothold/policy/algorithm.hpp"
#include "foothold/policy/learner.hpp"
#include "foothold/policy/options.hpp"
#include "foothold/safety/problem.hpp"

namespace foothold::config {

/// Distribution of the noise η; `scale` is its sub-Gaussian scale in every case.
enum class NoiseType {
  Gaussian,   ///< standard deviation `scale`
  Uniform,    ///< on ±√3·scale: E e^{sη} = sinh(x)/x ≤ e^{x²/6}, x = √3·s·scale
  Rademacher  ///< ±scale
};

struct NoiseConfig {
  NoiseType type = NoiseType::Gaussian;
  double scale = 1.0;
};

/// Late and missing feedback, independent of the noise.
struct FeedbackConfig {
  double delay_mean = 0.0;  ///< Mean of a geometric delay, in rounds.
  double missing = 0.0;     ///< Probability that a loss never comes.
};

/// What is true; only the simulator sees it.
struct EnvironmentConfig {
  Eigen::VectorXd parameter{};  ///< μ
  NoiseConfig noise{};
  std::optional<FeedbackConfig> feedback{};
};

/// A generated family: each run draws its own problem and environment.
struct FamilyConfig {
  std::string type{};  ///< "k-armed", "box", "ball", "polytope" or "contextual"
  Eigen::Index dim = 4;
  Eigen::Index arms = 15;              ///< For "k-armed" and "contextual", as `safe_arms`.
  Eigen::Index safe_arms = 5;          ///< How many of them lie in the foothold.
  std::optional<Eigen::Index> rows{};  ///< For "polytope", at least 2·dim; left out: 3·dim.
  bool constraint_active = false;      ///< Redraw until the unconstrained best action is unsafe.
  std::optional<double> min_gap{};     ///< Redraw until Δ is at least this.
  std::optional<double> gap{};         ///< Choose the limit such that Δ is this. Convex sets only.
  double noise_scale = 0.1;
  double norm_bound = 1.0;
  double failure_prob = 0.01;
  std::optional<double> ridge{};
  std::optional<FeedbackConfig> feedback{};
};

struct PolicyConfig {
  std::string name{};
  policy::Algorithm algorithm = policy::kDefaultAlgorithm;
  /// "unsafe-lucb", the simulator's learner without constraints, in place of `algorithm`.
  bool is_unsafe = false;
  policy::PolicyOptions options{};  ///< Without horizon and seed, which the run supplies.
  std::optional<double> ridge{};    ///< For families only: λ of this policy.
};

/// The word for a policy's algorithm: one of `policy::name`, or "unsafe-lucb".
[[nodiscard]] std::string_view algorithm_name(const PolicyConfig& config);

/// One experiment file.
struct ExperimentConfig {
  std::string name{};
  std::int64_t horizon = 0;
  std::int64_t runs = 1;
  std::uint64_t seed = 0;
  std::optional<safety::Problem> problem{};  ///< With `environment`, or …
  std::optional<EnvironmentConfig> environment{};
  std::optional<FamilyConfig> family{};  ///< … this instead of both.
  std::vector<PolicyConfig> policies{};
  std::uint64_t config_hash = 0;  ///< Of the meaning of the file: seed, comments and layout aside.
};

/// Reads an experiment. `source` is the file's name for messages. Throws `Error{InvalidArgument}`
/// with the dotted field, `field: requirement, got value (source:line)`; an unknown key is an error
/// that names the nearest known one. Text may come from a stranger, so it cannot name files:
/// `features_file` is for `load_experiment`.
[[nodiscard]] ExperimentConfig parse_experiment_toml(std::string_view text,
                                                     const std::string& source);
/// The same schema in JSON. Strict: duplicate keys, NaN, and numbers that do not fit are errors.
[[nodiscard]] ExperimentConfig parse_experiment_json(std::string_view text,
                                                     const std::string& source);
/// By the file's extension, .toml or .json. A `features_file` is looked for beside the file.
/// Throws `Error{NotFound, "path"}` if the file cannot be read.
[[nodiscard]] ExperimentConfig load_experiment(const std::string& path);

/// A study: like an experiment without environment, family and runs, its horizon optional. It has
/// one policy, written as `[policy]` or as a single `[[policies]]`; nothing of the simulator's can
/// stand in for what the file leaves out, so `safety_gap` and `horizon` are needed where a schedule
/// uses them, and `unsafe-lucb` is refused.
struct StudyConfig {
  std::string name{};
  std::optional<std::int64_t> horizon{};
  std::uint64_t seed = 0;
  std::optional<safety::Problem> problem{};
  PolicyConfig policy{};
};

/// The policy of a study, with its horizon and seed. Throws as `policy::make`.
[[nodiscard]] std::unique_ptr<policy::Learner> make_policy(const StudyConfig& study);

/// Each throws as the corresponding function for experiments.
[[nodiscard]] StudyConfig parse_study_toml(std::string_view text, const std::string& source);
[[nodiscard]] StudyConfig parse_study_json(std::string_view text, const std::string& source);
[[nodiscard]] StudyConfig load_study(const std::string& path);

/// The inverse: TOML or JSON text that parses back to an equal configuration, every bit of its
/// numbers kept. Throws `Error{InvalidArgument, "seed"}` for a seed ≥ 2⁶³, which TOML cannot hold.
[[nodiscard]] std::string to_toml(const ExperimentConfig& config);
[[nodiscard]] std::string to_json(const ExperimentConfig& config);

}  // namespace foothold::config
