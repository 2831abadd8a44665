#include "foothold/optimism/optimistic_search.hpp"

#include <algorithm>
#include <cmath>

#include "foothold/base/infinity.hpp"
#include "foothold/cone/tolerances.hpp"

#include "inset.hpp"
#include "single_cone_search.hpp"

namespace foothold::optimism {
OptimisticSearch::OptimisticSearch(const safety::Problem& problem, const safety::SafetyRule& rule)
    : programs_(problem, rule, static_cast<std::size_t>(2 * problem.dim())) {
  choice_.action.setZero(problem.dim());
  if (SingleConeSearch::applies(problem, rule)) {
    single_ = std::make_unique<SingleConeSearch>(problem, rule, programs_);
    return;
  }
  for (std::size_t program = 0; program < programs_.count(); ++program) {
    for (Eigen::Index vertex = 0; vertex < 2 * problem.dim(); ++vertex) {
      candidates_.push_back({.program = program, .vertex = vertex});
    }
  }
}

OptimisticSearch::~OptimisticSearch() = default;

void OptimisticSearch::save(ByteWriter& out) const {
  programs_.save(out);
  if (single_) {
    single_->save(out);
  }
}

void OptimisticSearch::restore(ByteReader& in) {
  programs_.restore(in);
  if (single_) {
    single_->restore(in);
  }
}

void OptimisticSearch::bound_candidates(const estimation::ConfidenceRegion& region) {
  programs_.update(region);
  for (Candidate& candidate : candidates_) {
    const auto v = programs_.vertices().col(candidate.vertex);
    candidate.bound = v.dot(programs_.centre()) +
                      programs_.solver(candidate.program)
                          .remembered_bound(v, static_cast<std::size_t>(candidate.vertex));
    candidate.is_open = true;
  }
}

OptimisticSearch::Candidate* OptimisticSearch::most_promising() {
  Candidate* best = nullptr;
  for (Candidate& candidate : candidates_) {
    if (candidate.is_open && (best == nullptr || candidate.bound < best->bound)) {
      best = &candidate;
    }
  }
  return best;
}

const OptimisticChoice& OptimisticSearch::choose(const estimation::ConfidenceRegion& region) {
  if (single_) {
    single_->choose(region, choice_);
  } else {
    search_generally(region);
  }
  return choice_;
}

void OptimisticSearch::search_generally(const estimation::ConfidenceRegion& region) {
  bound_candidates(region);
  const double inset = Inset(region, region.radius()).share(1.0, 1.0 / region.radius());
  choice_.optimistic_loss = kInfinity;
  choice_.dual_bound = kInfinity;
  choice_.solves = 0;
  for (Candidate* next = most_promising(); next != nullptr; next = most_promising()) {
    next->is_open = false;
    const double threshold =
        choice_.optimistic_loss - cone::kPruneTolerance * std::abs(choice_.optimistic_loss);
    if (choice_.solves > 0 && next->bound >= threshold) {
      choice_.dual_bound = std::min(choice_.dual_bound, next->bound);
      break;  // all that are still open have larger bounds
    }
    const auto v = programs_.vertices().col(next->vertex);
    const double offset = v.dot(programs_.centre());
    const cone::ConeSolution& solution =
        programs_.solver(next->program).solve(v, static_cast<std::size_t>(next->vertex));
    ++choice_.solves;
    choice_.dual_bound = std::min(choice_.dual_bound, offset + solution.dual_bound);
    if (offset + solution.value < choice_.optimistic_loss) {
      choice_.optimistic_loss = offset + solution.value;
      const bool is_on_limit = (solution.multipliers.tau.array() > 0.0).any();
      choice_.action = programs_.centre() + (is_on_limit ? 1.0 - inset : 1.0) * solution.u;
      choice_.is_foothold = next->program == safety::CertifiedPrograms::kFoothold;
    }
    // The multipliers of this vertex bound the others of the same program, too.
    for (Candidate& other : candidates_) {
      if (other.is_open && other.program == next->program &&
          other.bound < choice_.optimistic_loss) {
        const auto w = programs_.vertices().col(other.vertex);
        const double bound =
            w.dot(programs_.centre()) +
            programs_.solver(other.program).transferred_bound(w, solution.multipliers);
        other.bound = std::max(other.bound, bound);
      }
    }
  }
}

}  // namespace foothold::optimism
