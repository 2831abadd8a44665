#include "foothold/safety/problem.hpp"

#include <algorithm>
#include <string>

#include "foothold/base/check.hpp"
#include "foothold/base/hash.hpp"
#include "foothold/base/rounding.hpp"

namespace foothold::safety {
namespace {

std::string text_of(const Eigen::VectorXd& point) {
  std::string text;
  for (const double entry : point) {
    text += fmt::format("{}{}", text.empty() ? "(" : ", ", entry);
  }
  return text + ")";
}

void validate_constraints(const Problem& problem) {
  if (problem.constraints.empty()) {
    throw Error(ErrorCode::InvalidArgument, "constraints",
                "must have at least one entry, got none");
  }
  for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
    const SafetyConstraint& constraint = problem.constraints[k];
    const std::string field = fmt::format("constraints[{}]", k);
    check::size_is(constraint.matrix.rows(), problem.dim(), field + ".matrix");
    check::size_is(constraint.matrix.cols(), problem.dim(), field + ".matrix");
    check::all_finite(constraint.matrix, field + ".matrix");
    if (problem.baseline) {
      check::finite(constraint.limit, field + ".limit");
    } else {
      check::positive(constraint.limit, field + ".limit");
    }
  }
}

void validate_centre(const Problem& problem) {
  if (problem.baseline) {
    const Baseline& baseline = *problem.baseline;
    check::size_is(baseline.action.size(), problem.dim(), "baseline.action");
    check::all_finite(baseline.action, "baseline.action");
    check::positive(baseline.margin, "baseline.margin");
  }
  if (geometry::is_continuous(problem.decision_set) &&
      !geometry::contains_in_interior(problem.decision_set, problem.centre())) {
    if (!problem.baseline) {
      throw Error(ErrorCode::InvalidArgument, "decision_set",
                  "must have the origin in its interior, or a baseline there");
    }
    throw Error(ErrorCode::InvalidArgument, "baseline.action",
                fmt::format("must lie in the interior of the decision set, got {}",
                            text_of(problem.baseline->action)));
  }
}

// Whether `geometry::norm_bound` is the largest norm itself, not only a bound on it.
bool has_exact_norm_bound(const geometry::DecisionSet& set) {
  return !std::holds_alternative<geometry::Polytope>(set);
}

void validate_action_bound(const Problem& problem) {
  const std::optional<double> proved = geometry::norm_bound(problem.decision_set);
  const std::optional<double>& given = problem.assumptions.action_bound;
  if (!proved && !given) {
    throw Error(ErrorCode::InvalidArgument, "action_bound",
                "must be given for contextual arms, whose norms are not known");
  }
  if (!proved || !given) {
    return;
  }
  // A user's bound may be sharper than the one proved for a polytope, but an arm or a box
  // corner beyond it is a contradiction. The tolerance is for bounds typed in decimals.
  constexpr double kTolerance = 1e-9;
  if (has_exact_norm_bound(problem.decision_set) && !(*proved <= *given * (1.0 + kTolerance))) {
    throw Error(ErrorCode::InvalidArgument, "action_bound",
                fmt::format("must be at least {}, the largest norm in the decision set, got {}",
                            *proved, *given));
  }
}

}  // namespace

Eigen::VectorXd Problem::centre() const {
  return baseline ? baseline->action : Eigen::VectorXd::Zero(dim());
}

void validate(const Problem& problem) {
  estimation::validate(problem.assumptions);
  validate_constraints(problem);
  validate_centre(problem);
  validate_action_bound(problem);
}

Problem resolved(Problem problem) {
  validate(problem);
  estimation::Assumptions& assumptions = problem.assumptions;
  assumptions.ridge = estimation::ridge_or_default(assumptions);
  const std::optional<double> proved = geometry::norm_bound(problem.decision_set);
  // A bound that its decimals made too small would have the longest actions refused later.
  if (!assumptions.action_bound || (proved && has_exact_norm_bound(problem.decision_set) &&
                                    *assumptions.action_bound < *proved)) {
    assumptions.action_bound = proved;
  }
  return problem;
}

Digest128 digest(const Problem& problem) {
  Hasher digest;
  digest.add(static_cast<std::uint64_t>(problem.decision_set.index()));
  std::visit(
      [&digest](const auto& set) {
        using Set = std::decay_t<decltype(set)>;
        digest.add(static_cast<std::uint64_t>(set.dim()));
        if constexpr (std::is_same_v<Set, geometry::Box>) {
          digest.add(set.lower());
          digest.add(set.upper());
        } else if constexpr (std::is_same_v<Set, geometry::Ball>) {
          digest.add(set.radius());
        } else if constexpr (std::is_same_v<Set, geometry::Polytope>) {
          digest.add(set.normals());
          digest.add(set.offsets());
        } else if constexpr (std::is_same_v<Set, geometry::Arms>) {
          digest.add(set.features());
        }
      },
      problem.decision_set);
  for (const SafetyConstraint& constraint : problem.constraints) {
    digest.add(constraint.matrix);
    digest.add(constraint.limit);
  }
  const estimation::Assumptions& assumptions = problem.assumptions;
  digest.add(assumptions.noise_scale);
  digest.add(assumptions.norm_bound);
  digest.add(assumptions.action_bound.value_or(0.0));
  digest.add(estimation::ridge_or_default(assumptions));
  digest.add(assumptions.failure_prob);
  digest.add(problem.centre());
  digest.add(problem.baseline ? problem.baseline->margin : 0.0);
  return digest.value();
}

}  // namespace foothold::safety
