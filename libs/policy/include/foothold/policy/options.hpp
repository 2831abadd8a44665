#pragma once

#include <cstdint>
#include <optional>

#include "foothold/optimism/ellipsoid_search.hpp"
#include "foothold/policy/warmup.hpp"
#include "foothold/safety/certifier.hpp"
#include "foothold/safety/problem.hpp"

namespace foothold::policy {

/// Which region optimism looks into.
enum class Optimism {
  L1,          ///< ℓ₁ with the symmetric root [AAT19, App. D]
  L1Cholesky,  ///< ℓ₁ with the Cholesky root
  Ellipsoid    ///< closed form for arms, branch and bound on convex sets (`search`)
};

/// What `Targeted` plays when nothing is worth exploring.
enum class Exploit {
  Optimism,  ///< the optimistic choice over the certified set
  Thompson   ///< the best certified action for a drawn parameter: often better, without a theorem
};

/// The options of every policy; one that does not concern a policy is refused by it unless it has
/// its default value.
struct PolicyOptions {
  /// Left out: `Ellipsoid` for arms, `L1Cholesky` for convex sets.
  std::optional<Optimism> optimism{};
  safety::Caution caution = safety::Caution::Ellipsoid;
  safety::CertifiedSet certified = safety::CertifiedSet::Union;
  estimation::RadiusForm radius = estimation::RadiusForm::Mixture;
  bool nested = false;  ///< Once certified, always certified.
  /// Certify by any of the ridges λ, 10λ and 100λ (`RidgeFamily`): never worse, three times the
  /// work for an observation. For `Caution::Ellipsoid` with the mixture radius.
  bool ridge_family = false;
  /// `SafeLucb`: all of it. `Gslucb`: the sampler and λ_-; its length is found as it goes.
  WarmupOptions warmup{};
  /// C of [AYPS11, §5.1]: choose anew only when det A has grown by the factor 1 + C, at the price
  /// of at most √(1 + C) times the regret. Left out: choose every round.
  std::optional<double> rarely_switching{};
  /// Ellipsoidal optimism on convex sets: how far from optimal a choice may be, and how much
  /// work it may take. `Decision::dual_bound` says how close it came.
  optimism::SearchLimits search{};
  /// `Gslucb`: the gap is bounded anew whenever the told rounds have grown by this factor; 1 is
  /// every round, as [AAT19, Alg. 2]. Any value is valid: each bound holds by itself.
  double gap_growth = 1.0;
  /// `Targeted`: the weight of uncertainty in its rule. Larger explores more.
  double exploration = 1.0;
  Exploit exploit = Exploit::Optimism;  ///< `Targeted`
  /// `Policy::observe` refuses a pair that was told or observed before, bit for bit. Costs 16 bytes
  /// for each observation.
  bool refuse_duplicates = false;
  std::optional<std::int64_t> horizon{};  ///< T, where a schedule needs it.
  std::uint64_t seed = 0;                 ///< Of the policy's own draws.
};

/// Throws `Error{InvalidArgument}` naming the field, also for a combination that the problem
/// does not allow: nesting of contextual arms, rare switching among them, a declared λ_- where it
/// is computed.
void validate(const PolicyOptions& options, const safety::Problem& problem);

}  // namespace foothold::policy
