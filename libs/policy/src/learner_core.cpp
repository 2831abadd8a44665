#include "learner_core.hpp"

#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "foothold/base/check.hpp"
#include "foothold/base/infinity.hpp"
#include "foothold/base/invariant.hpp"
#include "foothold/base/simd/fixed_dim.hpp"

#include "option_checks.hpp"

namespace foothold::policy {
namespace {

safety::SafetyRule rule_of(const PolicyOptions& options) {
  return {.caution = options.caution,
          .certified = options.certified,
          .radius = options.radius,
          .root = options.optimism == Optimism::L1 ? estimation::RootForm::Symmetric
                                                   : estimation::RootForm::Cholesky};
}

bool is_contextual(const safety::Problem& problem) {
  return std::holds_alternative<geometry::ContextualArms>(problem.decision_set);
}

// A finite loss may still be one that no assumption allows: ℓ = μᵀx + η with |μᵀx| ≤ SL, and
// |η| > 40R has a probability below 2e^{−800}. Sums of such losses leave the range, and then
// nothing is certified any more.
constexpr double kLossMultiple = 40.0;

}  // namespace

void validate(const PolicyOptions& options, const safety::Problem& problem) {
  const auto fail = [](const char* field, const std::string& message) {
    throw Error(ErrorCode::InvalidArgument, field, message);
  };
  validate(options.warmup);
  if (options.horizon && *options.horizon < 1) {
    fail("horizon", fmt::format("must be at least 1, got {}", *options.horizon));
  }
  validate(options.search);
  if (options.nested && is_contextual(problem)) {
    fail("nested", "must be false for contextual arms, which are new each round, got true");
  }
  if (options.warmup.min_eigenvalue && !is_contextual(problem)) {
    fail("warmup.min_eigenvalue",
         fmt::format("must be left out unless the arms are contextual: it is computed, got {}",
                     *options.warmup.min_eigenvalue));
  }
  if (options.ridge_family && (options.caution != safety::Caution::Ellipsoid ||
                               options.radius != estimation::RadiusForm::Mixture)) {
    fail("ridge_family",
         "must be false unless the caution is 'ellipsoid' and the radius 'mixture', got true");
  }
  if (options.rarely_switching) {
    check::positive(*options.rarely_switching, "rarely_switching");
    if (is_contextual(problem)) {
      fail("rarely_switching",
           fmt::format("must be left out for contextual arms, which are new each round, got {}",
                       *options.rarely_switching));
    }
  }
  if (!(options.gap_growth >= 1.0 && std::isfinite(options.gap_growth))) {
    fail("gap_growth", fmt::format("must be at least 1 and finite, got {}", options.gap_growth));
  }
  check::positive(options.exploration, "exploration");
}

LearnerSetup::LearnerSetup(Algorithm which, safety::Problem unresolved, const PolicyOptions& given)
    : algorithm(which), problem(safety::resolved(std::move(unresolved))), options(given) {
  validate(options, problem);
  require_used(options, algorithm);
  if (!options.optimism) {
    options.optimism =
        geometry::is_continuous(problem.decision_set) ? Optimism::L1Cholesky : Optimism::Ellipsoid;
  }
  Hasher hasher(safety::digest(problem));
  hasher.add(name(algorithm));
  add_options(options, hasher);
  digest = hasher.value();
}

LearnerCore::LearnerCore(SharedSetup setup)
    : setup_(std::move(setup)),
      problem(setup_->problem),
      options(setup_->options),
      rule(rule_of(options)),
      estimate(problem.dim(), problem.assumptions, setup_->digest),
      pending(problem.dim()),
      foothold_(problem, options.warmup.sampler),
      certifier_(problem, rule),
      random_(options.seed, kDrawStream),
      region_(problem.dim()) {
  draft_.action.setZero(problem.dim());
  draft_.certificate.constraints.resize(problem.constraints.size());
  decision_.action = draft_.action;
  decision_.certificate = draft_.certificate;
  held_ = draft_;
  if (options.ridge_family) {
    family.emplace(problem.dim(), problem.assumptions, setup_->digest);
    certifier_.use_family(*family);
  }
  if (geometry::is_continuous(problem.decision_set)) {
    if (options.optimism == Optimism::Ellipsoid) {
      exact_.emplace(problem, rule, options.search);
    } else {
      search_.emplace(problem, rule);
    }
  } else {
    make_scan();
  }
  if (options.nested) {
    const auto* fixed = std::get_if<geometry::Arms>(&problem.decision_set);
    nested_.emplace(problem.dim(), problem.constraints.size(),
                    fixed != nullptr ? fixed->count() : 0);
  }
  if (options.refuse_duplicates) {
    seen_.emplace();
  }
}

void LearnerCore::reserve_plan(Eigen::Index size) {
  for (ChoiceRecord* record : {&state_, &record_, &decision_.record}) {
    record->plan.offset.setZero(size);
  }
}

void LearnerCore::make_scan() {
  scan_.emplace(problem, options.optimism == Optimism::Ellipsoid ? arms::ArmOptimism::Ellipsoid
                                                                 : arms::ArmOptimism::L1);
}

const estimation::ConfidenceRegion& LearnerCore::region() {
  if (region_count_ != estimate.count()) {
    region_.update(estimate, rule.radius, rule.root);
    region_count_ = estimate.count();
  }
  return region_;
}

safety::Evidence LearnerCore::any_evidence() const noexcept {
  return rule.certified == safety::CertifiedSet::Union ? safety::Evidence::Either
                                                       : safety::Evidence::Region;
}

ScheduleInputs LearnerCore::schedule_inputs() const {
  return {.problem = problem,
          .min_eigenvalue = options.warmup.min_eigenvalue.value_or(foothold_.min_eigenvalue()),
          .caution_factor = safety::caution_factor(options.caution, problem.dim()),
          .horizon = options.horizon};
}

const Decision& LearnerCore::ask() {
  if (const auto* arms = std::get_if<geometry::Arms>(&problem.decision_set)) {
    const ArmRows rows(arms->features());
    return decide(&rows);
  }
  return decide(nullptr);
}

const Decision& LearnerCore::ask_among(const ArmRows& arms) {
  return decide(&arms);
}

const Decision& LearnerCore::decide(const ArmRows* arms) {
  const RandomStream before = random_;
  try {
    begin_choice();
    std::optional<Purpose> purpose = choose(arms);
    if (!purpose && draw_from_foothold(arms)) {
      purpose = Purpose::Fallback;
    }
    if (!purpose) {
      throw Error(ErrorCode::NoSafeAction, "decision_set",
                  "must hold an action that the data or the foothold certify; observe safe data or "
                  "add an action closer to the known safe ones");
    }
    return release(*purpose);
  } catch (...) {
    undo_choice(before);
    throw;
  }
}

void LearnerCore::begin_choice() {
  copy_state(state_, record_);  // its context is empty between two choices
  record_.has_switched = false;
  if (geometry::is_continuous(problem.decision_set)) {
    return;
  }
  if (!scan_) {
    make_scan();  // the last one was in the middle of something when memory ran out
  }
}

// What the choice has left behind. Caches may be half written: they are made anew.
void LearnerCore::undo_choice(const RandomStream& before) noexcept {
  random_ = before;
  region_count_.reset();
  scan_.reset();
  record_.context.resize(0, 0);
  if (nested_) {
    nested_->drop_proposals();
  }
}

bool LearnerCore::draw_from_foothold(const ArmRows* arms) {
  draft_.forget_losses();
  if (arms != nullptr) {
    return draw_arm_from_foothold(*arms);
  }
  draft_.arm.reset();
  foothold_.sample(random_, draft_.action);
  return certifier_.certify_scaled(estimate, region_, draft_.action, safety::Evidence::Prior,
                                   draft_.certificate);
}

bool LearnerCore::choose_rarely(const ArmRows* arms) {
  if (!options.rarely_switching) {
    return choose_optimistically(arms);
  }
  const double log_det = estimate.log_det_ratio();
  // No choice is held while held_log_det is NaN.
  if (log_det <= state_.held_log_det + std::log1p(*options.rarely_switching)) {
    draft_ = held_;
    return true;
  }
  if (!choose_optimistically(arms)) {
    return false;
  }
  record_.held_log_det = log_det;
  record_.has_switched = true;
  return true;
}

bool LearnerCore::choose_optimistically(const ArmRows* arms) {
  if (!region().is_usable()) {
    return false;
  }
  return arms == nullptr ? choose_point_optimistically() : choose_arm_optimistically(*arms);
}

bool LearnerCore::draw_arm_from_foothold(const ArmRows& arms) {
  if (is_contextual(problem)) {
    safe_rows_.clear();
    for (Eigen::Index i = 0; i < arms.rows(); ++i) {
      draft_.action = arms.row(i).transpose();
      if (foothold_.contains(draft_.action)) {
        safe_rows_.push_back(i);
      }
    }
  }
  const std::vector<Eigen::Index>& rows =
      is_contextual(problem) ? safe_rows_ : foothold_.safe_arms();
  if (rows.empty()) {
    return false;
  }
  const Eigen::Index arm = rows[random_.index(rows.size())];
  draft_.arm = arm;
  draft_.action = arms.row(arm).transpose();
  certifier_.certify(estimate, region_, draft_.action, safety::Evidence::Prior, draft_.certificate);
  return draft_.certificate.is_safe();
}

bool LearnerCore::choose_point_optimistically() {
  draft_.arm.reset();
  const optimism::OptimisticChoice& choice =
      exact_ ? exact_->choose(region_) : search_->choose(region_);
  if (nested_) {
    const NestedMemory::Best best = nested_->best_action(region_, exact_.has_value());
    if (best.index >= 0 && best.optimistic_loss < choice.optimistic_loss) {
      draft_.action = nested_->action(best.index);
      draft_.certificate = nested_->certificate(best.index);
      draft_.optimistic_loss = best.optimistic_loss;
      draft_.dual_bound = std::min(choice.dual_bound, best.optimistic_loss);
      return true;
    }
  }
  copy_vector(choice.action, draft_.action);
  draft_.optimistic_loss = choice.optimistic_loss;
  draft_.dual_bound = choice.dual_bound;
  const safety::Evidence evidence =
      choice.is_foothold ? safety::Evidence::Prior : safety::Evidence::Region;
  return certifier_.certify_scaled(estimate, region_, draft_.action, evidence, draft_.certificate);
}

bool LearnerCore::choose_arm_optimistically(const ArmRows& arms) {
  if (nested_) {
    prove_arms(arms);
  }
  const arms::ArmChoice& choice =
      scan_->choose(estimate, region_, arms, nested_ ? nested_->proposed() : nothing_proved_,
                    certifier_, draft_.certificate);
  if (choice.arm < 0) {
    return false;
  }
  if (nested_) {
    draft_.certificate = nested_->certificate(choice.arm);
  }
  draft_.arm = choice.arm;
  draft_.action = arms.row(choice.arm).transpose();
  draft_.optimistic_loss = choice.optimistic_loss;
  draft_.dual_bound = choice.dual_bound;
  return true;
}

// Marks every arm that the present state certifies: it stays certified for ever.
void LearnerCore::prove_arms(const ArmRows& arms) {
  for (Eigen::Index arm = 0; arm < arms.rows(); ++arm) {
    if (!nested_->proposed()[static_cast<std::size_t>(arm)]) {
      draft_.action = arms.row(arm).transpose();
      certifier_.certify(estimate, region_, draft_.action, any_evidence(), draft_.certificate);
      if (draft_.certificate.is_safe()) {
        nested_->propose_arm(arm, draft_.certificate);
      }
    }
  }
}

// First what may throw, then what does not.
const Decision& LearnerCore::release(Purpose purpose) {
  FOOTHOLD_INVARIANT(draft_.certificate.is_safe());
  record_.draws = random_.position();
  pending.make_room();
  const DecisionId id = pending.next_id();
  before_release(purpose);

  if (nested_) {
    nested_->accept_proposals();
    if (!scan_ && purpose == Purpose::Optimism &&
        draft_.certificate.observations == estimate.count()) {
      nested_->keep_action(draft_.action, draft_.certificate, estimate.mu_hat());
    }
  }
  if (record_.has_switched) {
    held_ = draft_;
  }
  pending.open(draft_.action, purpose == Purpose::WarmUp);
  decision_.id = id;
  decision_.arm = draft_.arm;
  decision_.purpose = purpose;
  decision_.optimistic_loss = draft_.optimistic_loss;
  decision_.dual_bound = draft_.dual_bound;
  // They change hands: the next draft is written over what was released before.
  decision_.action.swap(draft_.action);
  std::swap(decision_.certificate, draft_.certificate);
  if (record_.context.size() > 0 || decision_.record.context.size() > 0) {
    decision_.record.context.resize(0, 0);
    record_.context.swap(decision_.record.context);
  }
  copy_state(record_, state_);
  copy_state(record_, decision_.record);
  return decision_;
}

void LearnerCore::tell(DecisionId id, double loss) {
  const std::size_t position = pending.find(id);
  const bool is_warmup = pending.is_warmup(position);
  require_allowed(loss);
  if (is_warmup && wants_to_foresee()) {
    estimation::RidgeEstimate after = estimate;
    after.observe(pending.action(position), loss);
    foresee(after);
  }
  learn(pending.action(position), loss);
  told_warmup_ += is_warmup ? 1 : 0;
  pending.close(position);
  learned(is_warmup);
}

void LearnerCore::abandon(DecisionId id) {
  pending.close(pending.find(id));
}

void LearnerCore::observe(const Eigen::VectorXd& action, double loss) {
  require_allowed(loss);
  if (seen_) {
    check::size_is(action.size(), problem.dim(), "action");
    seen_->require_new(action, loss);
  }
  learn(action, loss);
  learned(/*is_warmup=*/false);
}

void LearnerCore::require_allowed(double loss) const {
  const estimation::Assumptions& assumptions = problem.assumptions;
  const double largest = kLossMultiple * (assumptions.norm_bound * *assumptions.action_bound +
                                          assumptions.noise_scale);
  if (std::isfinite(loss) && !(std::abs(loss) <= largest)) {
    throw Error(ErrorCode::InvalidArgument, "loss",
                fmt::format("must be at most {} in size, {} times norm_bound·action_bound + "
                            "noise_scale, or the assumptions are wrong, got {}",
                            largest, kLossMultiple, loss));
  }
}

// Every estimate takes the pair, or none does.
void LearnerCore::learn(const Eigen::Ref<const Eigen::VectorXd>& action, double loss) {
  if (family) {
    family->require_acceptable(action, loss);
  }
  if (seen_) {
    estimate.require_acceptable(action, loss);
    seen_->add(action, loss);
  }
  estimate.observe(action, loss);
  if (family) {
    family->observe(action, loss);
  }
}

safety::Certificate LearnerCore::certify(const Eigen::VectorXd& action) const {
  return safety::certify(problem, rule, estimate, action, family ? &*family : nullptr);
}

}  // namespace foothold::policy
