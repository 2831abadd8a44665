#include "studies/paper_experiments.hpp"

#include <utility>

#include <fmt/format.h>

namespace foothold::reproduction {
namespace {

constexpr const char* kPolytope = R"(
[problem]
decision_set = { type = "box", lower = [-1.0, -1.0], upper = [1.0, 1.0] }
noise_scale  = 0.1
norm_bound   = 1.0
failure_prob = 0.01
)";

constexpr const char* kRidge = "ridge        = 1.0\n";

constexpr const char* kConstraint = R"(
[[problem.constraints]]
matrix = [[0.6, 1.8], [1.8, 0.4]]
limit  = 0.9
)";

constexpr const char* kMirroredConstraint = R"(
[[problem.constraints]]
matrix = [[-0.6, -1.8], [-1.8, -0.4]]
limit  = 0.9
)";

constexpr const char* kTruth = R"(
[environment]
parameter = [0.9, 0.044]
noise     = { type = "gaussian", scale = 0.1 }
)";

// The learner of the paper's experiments, but for name and warm-up.
std::string paper_policy(const char* name, const char* warmup) {
  return fmt::format(R"(
[[policies]]
name      = "{}"
algorithm = "safe-lucb"
optimism  = "l1"
caution   = "l1-paper"
certified = "region"
radius    = "paper"
warmup    = {}
)",
                     name, warmup);
}

constexpr const char* kTargeted = R"(
[[policies]]
name      = "targeted"
algorithm = "targeted"
)";

constexpr const char* kArms = R"(
[family]
type              = "k-armed"
dim               = 4
arms              = 15
safe_arms         = 5
noise_scale       = 0.1
norm_bound        = 1.0
failure_prob      = 0.01
)";

constexpr const char* kBindingArms = R"(constraint_active = true
min_gap           = 0.1
)";

// Arms need certified = "union": early data may certify none of them.
constexpr const char* kArmPolicies = R"(
[[policies]]
name      = "Safe-LUCB, gap known"
algorithm = "safe-lucb"
optimism  = "l1"
caution   = "l1-paper"
certified = "union"
radius    = "paper"
ridge     = 1.0
warmup    = { schedule = "gap" }

[[policies]]
name      = "Safe-LUCB, T₀"
algorithm = "safe-lucb"
optimism  = "l1"
caution   = "l1-paper"
certified = "union"
radius    = "paper"
ridge     = 1.0
warmup    = { schedule = "worst-case" }

[[policies]]
name       = "GSLUCB"
algorithm  = "gslucb"
optimism   = "l1"
caution    = "l1-paper"
certified  = "union"
radius     = "paper"
ridge      = 1.0
gap_growth = 1.02
)";

PaperExperiment make(const std::string& name, const ExperimentSize& size, const std::string& body) {
  std::string toml = fmt::format("name    = \"{}\"\nhorizon = {}\nruns    = {}\nseed    = {}\n",
                                 name, size.horizon, size.runs, size.seed) +
                     body;
  config::ExperimentConfig config = config::parse_experiment_toml(toml, name + ".toml");
  return {.config = std::move(config), .toml = std::move(toml)};
}

}  // namespace

PaperExperiment polytope_experiment(const ExperimentSize& size) {
  return make("polytope", size,
              std::string(kPolytope) + kRidge + kConstraint + kTruth +
                  paper_policy("with warm-up", "{ rounds = 1054 }") +
                  paper_policy("without warm-up", "{ schedule = \"none\" }"));
}

PaperExperiment polytope_default_experiment(const ExperimentSize& size) {
  return make("polytope-default", size, std::string(kPolytope) + kConstraint + kTruth + kTargeted);
}

PaperExperiment binding_experiment(const ExperimentSize& size) {
  return make("binding", size,
              std::string(kPolytope) + kRidge + kMirroredConstraint + kTruth +
                  paper_policy("Safe-LUCB, T₀", "{ schedule = \"worst-case\" }"));
}

PaperExperiment binding_default_experiment(const ExperimentSize& size) {
  return make("binding-default", size,
              std::string(kPolytope) + kMirroredConstraint + kTruth + kTargeted);
}

PaperExperiment k_armed_experiment(const ExperimentSize& size) {
  return make("k-armed", size, std::string(kArms) + kArmPolicies + kTargeted);
}

PaperExperiment k_armed_binding_experiment(const ExperimentSize& size) {
  return make("k-armed-binding", size,
              std::string(kArms) + kBindingArms + kArmPolicies + kTargeted);
}

}  // namespace foothold::reproduction
