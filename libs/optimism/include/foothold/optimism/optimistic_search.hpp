#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <Eigen/Core>

#include "foothold/base/byte_stream.hpp"
#include "foothold/estimation/confidence_region.hpp"
#include "foothold/safety/certified_programs.hpp"
#include "foothold/safety/problem.hpp"
#include "foothold/safety/safety_rule.hpp"

namespace foothold::optimism {

class SingleConeSearch;

/// The optimistic action and the proof that there is no better one.
struct OptimisticChoice {
  Eigen::VectorXd action{};
  double optimistic_loss = 0.0;  ///< min over the ℓ₁ region of vᵀx at the action
  double dual_bound = 0.0;       ///< no certified action has a smaller one
  bool is_foothold = false;      ///< Found in D^w rather than in D_t^s.
  int solves = 0;                ///< Cone programs solved; the other vertices were pruned.
  std::int64_t nodes = 0;        ///< Cells of a branch and bound; 0 where none is needed.
};

/// ℓ₁ optimism over a convex decision set [AAT19, App. D]:
///
///     min over the 2d vertices v of C₁ of  f(v) = min { vᵀx : x ∈ D₀, caution bound ≤ c },
///
/// exact because f is concave in v (it is a minimum of linear functions), so that its minimum over
/// a polytope is at a vertex. With `CertifiedSet::Union` the foothold D^w is searched as well, and
/// the better of the two is taken. Vertices whose proved lower bound is no better than the best
/// action found need no solve. A box or a polytope with one constraint, the usual case, has a
/// search of its own, O(d²) a round in the steady state; regions that follow each other by one
/// observation cost least. All regions must be of estimates with the problem's assumptions. No
/// allocation after the first round. Not thread-safe.
class OptimisticSearch {
 public:
  /// Requires a resolved problem with a convex decision set; keeps a reference to it.
  OptimisticSearch(const safety::Problem& problem, const safety::SafetyRule& rule);
  ~OptimisticSearch();
  OptimisticSearch(const OptimisticSearch&) = delete;
  OptimisticSearch& operator=(const OptimisticSearch&) = delete;
  OptimisticSearch(OptimisticSearch&&) = delete;
  OptimisticSearch& operator=(OptimisticSearch&&) = delete;

  /// Chooses for the state in `region`. The result is valid until the next call; its action
  /// satisfies the bounds up to rounding and still has to be certified.
  const OptimisticChoice& choose(const estimation::ConfidenceRegion& region);

  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

 private:
  struct Candidate {
    std::size_t program = 0;
    Eigen::Index vertex = 0;
    double bound = 0.0;  // proved lower bound on its value
    bool is_open = true;
  };

  void search_generally(const estimation::ConfidenceRegion& region);
  void bound_candidates(const estimation::ConfidenceRegion& region);
  Candidate* most_promising();

  safety::CertifiedPrograms programs_;
  std::unique_ptr<SingleConeSearch> single_;  // where it applies; else the candidates below
  std::vector<Candidate> candidates_;
  OptimisticChoice choice_;
};

}  // namespace foothold::optimism
