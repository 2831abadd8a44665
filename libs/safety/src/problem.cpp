#include "foothold/safety/problem.hpp"

#include <algorithm>
#include <string>

#include "foothold/base/check.hpp"
#include "foothold/base/hash.hpp"
#include "foothold/base/overloaded.hpp"
#include "foothold/geometry/norm_extent.hpp"

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

// The tolerance is for bounds typed in decimals.
constexpr double kBoundTolerance = 1e-9;

[[noreturn]] void fail_action_bound(double needed, const char* what, double given) {
  throw Error(ErrorCode::InvalidArgument, "action_bound",
              fmt::format("must be at least {}, {}, got {}", needed, what, given));
}

// A proved bound on the norms in a polytope that is at most `given`, tolerance included. That of
// the bounding box may be larger although `given` is right; then a search decides.
double proved_bound_within(const geometry::Polytope& polytope, double bound_of_box, double given) {
  const double allowed = given * (1.0 + kBoundTolerance);
  if (bound_of_box <= allowed) {
    return bound_of_box;
  }
  const geometry::NormExtent extent = geometry::norm_extent(polytope, allowed);
  if (extent.found > allowed) {
    fail_action_bound(extent.found, "the norm of an action in the decision set", given);
  }
  if (!(extent.proved <= allowed)) {
    throw Error(ErrorCode::InvalidArgument, "action_bound",
                fmt::format("must be proved to bound the decision set, as {} is and a smaller one "
                            "could not be with the effort allowed, got {}",
                            extent.proved, given));
  }
  return extent.proved;
}

// A proved bound on the norms in the set that is at most `given`, tolerance included. Throws if
// there is none.
double proved_bound_within(const geometry::DecisionSet& set, double given) {
  // The bound is the largest norm itself.
  const auto largest_norm = [&set, given] {
    const double largest = geometry::norm_bound(set).value();
    if (!(largest <= given * (1.0 + kBoundTolerance))) {
      fail_action_bound(largest, "the largest norm in the decision set", given);
    }
    return largest;
  };
  return std::visit(Overloaded{[&](const geometry::Box& /*box*/) { return largest_norm(); },
                               [&](const geometry::Ball& /*ball*/) { return largest_norm(); },
                               [&](const geometry::Arms& /*arms*/) { return largest_norm(); },
                               [&](const geometry::Polytope& polytope) {
                                 return proved_bound_within(
                                     polytope, geometry::norm_bound(set).value(), given);
                               },
                               // Each ask checks the arms that come with it.
                               [&](const geometry::ContextualArms& /*arms*/) { return given; }},
                    set);
}

// L: what is given, or a proved bound of the set if nothing is given or if the decimals of what is
// given made it too small by rounding, which would have the longest actions refused later.
double resolved_action_bound(const Problem& problem) {
  const std::optional<double>& given = problem.assumptions.action_bound;
  if (given) {
    return std::max(*given, proved_bound_within(problem.decision_set, *given));
  }
  const std::optional<double> proved = geometry::norm_bound(problem.decision_set);
  if (!proved) {
    throw Error(ErrorCode::InvalidArgument, "action_bound",
                "must be given for contextual arms, whose norms are not known");
  }
  return *proved;
}

void validate_but_action_bound(const Problem& problem) {
  estimation::validate(problem.assumptions);
  validate_constraints(problem);
  validate_centre(problem);
}

}  // namespace

Eigen::VectorXd Problem::centre() const {
  return baseline ? baseline->action : Eigen::VectorXd::Zero(dim());
}

void validate(const Problem& problem) {
  validate_but_action_bound(problem);
  (void)resolved_action_bound(problem);
}

Problem resolved(Problem problem) {
  validate_but_action_bound(problem);
  estimation::Assumptions& assumptions = problem.assumptions;
  assumptions.ridge = estimation::ridge_or_default(assumptions);
  assumptions.action_bound = resolved_action_bound(problem);
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
