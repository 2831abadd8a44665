#include "foothold/policy/warmup.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <Eigen/SVD>
#include <fmt/core.h>

#include "foothold/base/check.hpp"

namespace foothold::policy {
namespace {

double spectral_norm(const Eigen::MatrixXd& B) {
  return Eigen::JacobiSVD<Eigen::MatrixXd>(B).singularValues()(0);
}

double ridge(const ScheduleInputs& inputs) {
  return estimation::ridge_or_default(inputs.problem.assumptions);
}

double action_bound(const ScheduleInputs& inputs) {
  return inputs.problem.assumptions.action_bound.value();
}

// The paper's radius at n observations, which bounds the other two forms as well; in one
// dimension the form that log-det implies (see RidgeEstimate::radius).
double paper_radius(const ScheduleInputs& inputs, double n) {
  const estimation::Assumptions& assumptions = inputs.problem.assumptions;
  const auto d = static_cast<double>(inputs.problem.dim());
  const double L = action_bound(inputs);
  const double growth = std::log1p(n * L * L / ridge(inputs));
  const double confidence = -std::log(assumptions.failure_prob);
  const double log_term = d * growth + std::max(d, 2.0) * confidence;
  return assumptions.noise_scale * std::sqrt(log_term) +
         std::sqrt(ridge(inputs)) * assumptions.norm_bound;
}

double largest_norm(const ScheduleInputs& inputs) {
  double largest = 0.0;
  for (const safety::SafetyConstraint& constraint : inputs.problem.constraints) {
    largest = std::max(largest, spectral_norm(constraint.matrix));
  }
  return largest;
}

// max_k ‖B_k‖/m_k.
double largest_relative_norm(const ScheduleInputs& inputs) {
  double largest = 0.0;
  for (std::size_t k = 0; k < inputs.problem.constraints.size(); ++k) {
    largest = std::max(
        largest, spectral_norm(inputs.problem.constraints[k].matrix) / inputs.problem.room(k));
  }
  return largest;
}

double required_horizon(const ScheduleInputs& inputs) {
  if (!inputs.horizon) {
    throw Error(ErrorCode::InvalidArgument, "horizon",
                "must be given for this warm-up schedule, got none");
  }
  return static_cast<double>(*inputs.horizon);
}

void require_eigenvalue(const ScheduleInputs& inputs) {
  if (std::isnan(inputs.min_eigenvalue)) {
    throw Error(ErrorCode::InvalidArgument, "warmup.schedule",
                "must be 'none' or a number of rounds for contextual arms, unless min_eigenvalue "
                "says the smallest eigenvalue of their second moment, which is unknown here");
  }
  if (!(inputs.min_eigenvalue > 0.0)) {
    throw Error(ErrorCode::InvalidArgument, "warmup.schedule",
                fmt::format("must be 'none' or a number of rounds here: the arms known to be safe "
                            "do not span all directions (smallest eigenvalue {})",
                            inputs.min_eigenvalue));
  }
}

double required_gap(const WarmupOptions& options) {
  if (!options.safety_gap) {
    throw Error(ErrorCode::InvalidArgument, "warmup.safety_gap",
                "must be given for this warm-up schedule, got none");
  }
  return *options.safety_gap;
}

double scheduled_rounds(const WarmupOptions& options, const ScheduleInputs& inputs) {
  switch (options.schedule) {
    case Schedule::None:
      return 0.0;
    case Schedule::Rounds:
      return static_cast<double>(options.rounds);
    case Schedule::Gap:
      return gap_rounds(inputs, required_gap(options));
    case Schedule::WorstCase:
      return worst_case_rounds(inputs);
    case Schedule::Nested:
      return nested_rounds(inputs, required_gap(options));
  }
  return 0.0;
}

}  // namespace

void validate(const WarmupOptions& options) {
  if (options.rounds < 0) {
    throw Error(ErrorCode::InvalidArgument, "warmup.rounds",
                fmt::format("must not be negative, got {}", options.rounds));
  }
  if (options.rounds != 0 && options.schedule != Schedule::Rounds) {
    throw Error(ErrorCode::InvalidArgument, "warmup.rounds",
                fmt::format("must be left out with a schedule, got {}", options.rounds));
  }
  if (options.min_eigenvalue) {
    check::positive(*options.min_eigenvalue, "warmup.min_eigenvalue");
  }
  if (options.safety_gap) {
    check::positive(*options.safety_gap, "warmup.safety_gap");
    if (options.schedule != Schedule::Gap && options.schedule != Schedule::Nested) {
      throw Error(ErrorCode::InvalidArgument, "warmup.safety_gap",
                  fmt::format("must be left out for this schedule, got {}", *options.safety_gap));
    }
  }
}

std::int64_t warmup_rounds(const WarmupOptions& options, const ScheduleInputs& inputs) {
  validate(options);
  const double rounds = std::ceil(scheduled_rounds(options, inputs));
  // Beyond this a double no longer counts exactly, and no run gets there.
  constexpr double kMost = 0x1p53;
  const double capped =
      std::min(rounds, inputs.horizon ? static_cast<double>(*inputs.horizon) : kMost);
  return static_cast<std::int64_t>(std::min(capped, kMost));
}

double eigenvalue_rounds(const ScheduleInputs& inputs) {
  require_eigenvalue(inputs);
  const auto d = static_cast<double>(inputs.problem.dim());
  const double L = action_bound(inputs);
  return 8.0 * L * L / inputs.min_eigenvalue *
         std::log(d / inputs.problem.assumptions.failure_prob);
}

double gap_rounds(const ScheduleInputs& inputs, double safety_gap, bool apply_minimum) {
  require_eigenvalue(inputs);
  check::positive(safety_gap, "warmup.safety_gap");
  const double T = required_horizon(inputs);
  const double spread = largest_norm(inputs) * action_bound(inputs) * inputs.caution_factor *
                        paper_radius(inputs, T - 1.0) / safety_gap;
  const double rounds = (8.0 * spread * spread - 2.0 * ridge(inputs)) / inputs.min_eigenvalue;
  return apply_minimum ? std::max(rounds, eigenvalue_rounds(inputs)) : rounds;
}

double worst_case_rounds(const ScheduleInputs& inputs) {
  require_eigenvalue(inputs);
  const double T = required_horizon(inputs);
  const double ratio = largest_relative_norm(inputs) * action_bound(inputs) *
                       inputs.caution_factor * paper_radius(inputs, T - 1.0) * T /
                       std::sqrt(2.0 * inputs.min_eigenvalue);
  return std::max(std::pow(ratio, 2.0 / 3.0), eigenvalue_rounds(inputs));
}

double nested_rounds(const ScheduleInputs& inputs, double safety_gap) {
  require_eigenvalue(inputs);
  check::positive(safety_gap, "warmup.safety_gap");
  const double scale = 2.0 * std::numbers::sqrt2 * largest_norm(inputs) * action_bound(inputs) *
                       inputs.caution_factor;
  const auto is_enough = [&](double rounds) {
    return scale * paper_radius(inputs, rounds) <=
           safety_gap * std::sqrt(2.0 * ridge(inputs) + inputs.min_eigenvalue * rounds);
  };
  // The left side grows like √log, the right like √: once true it stays true where log is
  // concave enough, and a doubling search finds an upper end; bisection keeps the invariant
  // that `high` is enough.
  double low = std::ceil(eigenvalue_rounds(inputs));
  if (is_enough(low)) {
    return low;
  }
  double high = 2.0 * low + 1.0;
  while (!is_enough(high)) {
    low = high;
    high *= 2.0;
  }
  while (high - low > 1.0) {
    const double middle = std::floor(0.5 * (low + high));
    (is_enough(middle) ? high : low) = middle;
  }
  return high;
}

double regret_bound(RegretTheorem theorem, const ScheduleInputs& inputs, double optimism_factor,
                    std::int64_t warmup) {
  require_eigenvalue(inputs);
  const double T = required_horizon(inputs);
  const auto T_prime = static_cast<double>(warmup);
  const auto d = static_cast<double>(inputs.problem.dim());
  const double L = action_bound(inputs);
  const double largest_loss = inputs.problem.assumptions.norm_bound * L;
  const double beta = paper_radius(inputs, T - 1.0);
  const double floor_twice = inputs.min_eigenvalue * T_prime + 2.0 * ridge(inputs);

  const double log_term = std::log(2.0 * (ridge(inputs) + T * L * L / d) / floor_twice);
  // Each round's Term I is at most min(2κβ‖x‖_{A⁻¹}, 2SL), and ‖x‖² ∧ 1 sums to 2d·log: the factor
  // in front is whichever of κβ and SL is larger.
  const double width_factor = std::max(optimism_factor * beta, largest_loss);
  double bound = 2.0 * largest_loss * T_prime +
                 2.0 * width_factor * std::sqrt(2.0 * d * (T - T_prime) * std::max(log_term, 0.0));
  if (theorem == RegretTheorem::General) {
    bound += largest_loss * 2.0 * std::numbers::sqrt2 * largest_relative_norm(inputs) * L *
             inputs.caution_factor * beta * (T - T_prime) / std::sqrt(floor_twice);
  }
  return bound;
}

}  // namespace foothold::policy
