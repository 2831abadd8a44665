#pragma once

#include <cstddef>
#include <sstream>
#include <string>

namespace foothold::config::testing {

// Not inline: clang 14 initialises inline variables after those of the sources that use them.

// The schema's own example: one element per feature. Line numbers are part of the tests.
const std::string kExperiment =
    R"(name    = "polytope"
horizon = 100000
runs    = 20
seed    = 2019

[problem]                                   # what the learner is told
decision_set = { type = "box", lower = [-1.0, -1.0], upper = [1.0, 1.0] }
noise_scale  = 0.1                          # R
norm_bound   = 1.0                          # S
ridge        = 1.0
failure_prob = 0.01
[[problem.constraints]]
matrix = [[0.6, 1.8], [1.8, 0.4]]
limit  = 0.9

[environment]                               # what is true; only the simulator sees it
parameter = [0.9, 0.044]
noise     = { type = "gaussian", scale = 0.1 }
feedback  = { delay_mean = 20.0, missing = 0.05 }

[[policies]]
name      = "with warm-up"
algorithm = "safe-lucb"
optimism  = "l1"
caution   = "l1-paper"
certified = "region"
radius    = "paper"
nested    = false
warmup    = { rounds = 1054 }

[[policies]]
name   = "without"
warmup = { schedule = "none", sampler = "shell" }
)";

const std::string kFamily = R"(name = "k-armed"
horizon = 1000
[family]
type = "k-armed"
dim = 4
arms = 15
safe_arms = 5
constraint_active = false
[[policies]]
name = "paper"
ridge = 1
[[policies]]
name = "ours"
)";

const std::string kStudy = R"(name = "prices"
seed = 7
[problem]
decision_set = { type = "ball", dim = 2, radius = 1.0 }
noise_scale = 0.1
norm_bound = 1
constraints = [{ matrix = [[1, 0], [0, 1]], limit = 0.5 }]
[policy]
warmup = { schedule = "nested", safety_gap = 0.2 }
algorithm = "safe-lucb"
)";

// The text with line `number` (from 1) replaced; an empty replacement leaves an empty line.
inline std::string with_line(const std::string& text, std::size_t number,
                             const std::string& replacement) {
  std::istringstream in(text);
  std::string out;
  std::string line;
  for (std::size_t n = 1; std::getline(in, line); ++n) {
    out += (n == number ? replacement : line) + "\n";
  }
  return out;
}

}  // namespace foothold::config::testing
