#include "safe_lucb_impl.hpp"

#include <limits>
#include <utility>

#include "foothold/base/check.hpp"
#include "foothold/base/digest.hpp"
#include "foothold/base/invariant.hpp"

namespace foothold::policy {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// First words of a snapshot: "FHSNAP01" read as a number, then the format's version.
constexpr std::uint64_t kMagic = 0x3130'5041'4E53'4846U;
constexpr std::uint64_t kVersion = 1;

// Streams of one seed; the simulator uses others of its own.
constexpr std::uint64_t kWarmupStream = 0;

safety::SafetyRule rule_of(const SafeLucbOptions& options) {
  return {.caution = options.caution,
          .certified = options.certified,
          .radius = options.radius,
          .root = options.optimism == Optimism::L1 ? estimation::RootForm::Symmetric
                                                   : estimation::RootForm::Cholesky};
}

}  // namespace

SafeLucb::Impl::Impl(safety::Problem resolved_problem, const SafeLucbOptions& resolved_options)
    : problem(std::move(resolved_problem)),
      options(resolved_options),
      rule(rule_of(options)),
      estimate(problem.dim(), problem.assumptions),
      pending(problem.dim()),
      region_(problem.dim()),
      foothold_(problem, options.warmup.sampler),
      certifier_(problem, rule),
      random_(options.seed, kWarmupStream),
      action_(Eigen::VectorXd::Zero(problem.dim())) {
  warmup = warmup_rounds(options.warmup,
                         {.problem = problem,
                          .min_eigenvalue = foothold_.min_eigenvalue(),
                          .caution_factor = safety::caution_factor(options.caution, problem.dim()),
                          .horizon = options.horizon});
  Eigen::Index arms = 0;
  if (geometry::is_continuous(problem.decision_set)) {
    search_.emplace(problem, rule);
  } else {
    scan_.emplace(problem, options.optimism == Optimism::Ellipsoid
                               ? selection::ArmOptimism::Ellipsoid
                               : selection::ArmOptimism::L1);
    if (const auto* fixed = std::get_if<geometry::Arms>(&problem.decision_set)) {
      arms = fixed->count();
    }
  }
  if (options.nested) {
    nested_.emplace(problem.dim(), problem.constraints.size(), arms);
  }
}

void SafeLucb::Impl::update_region() {
  if (region_count_ != estimate.count()) {
    region_.update(estimate, rule.radius, rule.root);
    region_count_ = estimate.count();
  }
}

const Decision& SafeLucb::Impl::ask() {
  if (const auto* arms = std::get_if<geometry::Arms>(&problem.decision_set)) {
    return ask_among(arms->features());
  }
  const RandomStream before = random_;
  arm_.reset();
  if (is_warming_up() && draw_from_foothold()) {
    return release(true, Purpose::WarmUp);
  }
  if (choose_optimistically()) {
    return release(true, Purpose::Optimism);
  }
  const bool is_found = draw_from_foothold();
  if (!is_found) {
    random_ = before;
  }
  return release(is_found, Purpose::Fallback);
}

const Decision& SafeLucb::Impl::ask_among(const Eigen::Ref<const Eigen::MatrixXd>& arms) {
  const RandomStream before = random_;
  if (is_warming_up() && draw_arm_from_foothold(arms)) {
    return release(true, Purpose::WarmUp);
  }
  if (choose_arm_optimistically(arms)) {
    return release(true, Purpose::Optimism);
  }
  const bool is_found = draw_arm_from_foothold(arms);
  if (!is_found) {
    random_ = before;
  }
  return release(is_found, Purpose::Fallback);
}

bool SafeLucb::Impl::draw_from_foothold() {
  foothold_.sample(random_, action_);
  optimistic_loss_ = kNaN;
  dual_bound_ = kNaN;
  return certifier_.certify_scaled(estimate, region_, action_, safety::Evidence::Prior,
                                   certificate_);
}

bool SafeLucb::Impl::draw_arm_from_foothold(const Eigen::Ref<const Eigen::MatrixXd>& arms) {
  const bool is_contextual = std::holds_alternative<geometry::ContextualArms>(problem.decision_set);
  if (is_contextual) {
    safe_rows_.clear();
    for (Eigen::Index i = 0; i < arms.rows(); ++i) {
      action_ = arms.row(i).transpose();
      if (foothold_.contains(action_)) {
        safe_rows_.push_back(i);
      }
    }
  }
  const std::vector<Eigen::Index>& rows = is_contextual ? safe_rows_ : foothold_.safe_arms();
  if (rows.empty()) {
    return false;
  }
  const Eigen::Index arm = rows[random_.index(rows.size())];
  arm_ = arm;
  action_ = arms.row(arm).transpose();
  optimistic_loss_ = kNaN;
  dual_bound_ = kNaN;
  certifier_.certify(estimate, region_, action_, safety::Evidence::Prior, certificate_);
  return certificate_.is_safe();
}

bool SafeLucb::Impl::choose_optimistically() {
  update_region();
  if (!region_.is_usable()) {
    return false;
  }
  const selection::OptimisticChoice& choice = search_->choose(region_);
  if (nested_) {
    const NestedMemory::Best best = nested_->best_action(region_);
    if (best.index >= 0 && best.optimistic_loss < choice.optimistic_loss) {
      action_ = nested_->action(best.index);
      certificate_ = nested_->certificate(best.index);
      optimistic_loss_ = best.optimistic_loss;
      dual_bound_ = std::min(choice.dual_bound, best.optimistic_loss);
      return true;
    }
  }
  action_ = choice.action;
  optimistic_loss_ = choice.optimistic_loss;
  dual_bound_ = choice.dual_bound;
  const safety::Evidence evidence =
      choice.is_foothold ? safety::Evidence::Prior : safety::Evidence::Region;
  return certifier_.certify_scaled(estimate, region_, action_, evidence, certificate_);
}

bool SafeLucb::Impl::choose_arm_optimistically(const Eigen::Ref<const Eigen::MatrixXd>& arms) {
  update_region();
  if (!region_.is_usable()) {
    return false;
  }
  if (nested_) {
    prove_arms(arms);
  }
  const selection::ArmChoice& choice =
      scan_->choose(estimate, region_, arms, nested_ ? nested_->proved() : nothing_proved_,
                    certifier_, certificate_);
  if (choice.arm < 0) {
    return false;
  }
  if (nested_) {
    certificate_ = nested_->certificate(choice.arm);
  }
  arm_ = choice.arm;
  action_ = arms.row(choice.arm).transpose();
  optimistic_loss_ = choice.optimistic_loss;
  dual_bound_ = choice.dual_bound;
  return true;
}

// Marks every arm that the present state certifies: it stays certified for ever.
void SafeLucb::Impl::prove_arms(const Eigen::Ref<const Eigen::MatrixXd>& arms) {
  const safety::Evidence evidence = rule.certified == safety::CertifiedSet::Union
                                        ? safety::Evidence::Either
                                        : safety::Evidence::Region;
  for (Eigen::Index arm = 0; arm < arms.rows(); ++arm) {
    if (!nested_->proved()[static_cast<std::size_t>(arm)]) {
      action_ = arms.row(arm).transpose();
      certifier_.certify(estimate, region_, action_, evidence, certificate_);
      if (certificate_.is_safe()) {
        nested_->prove_arm(arm, certificate_);
      }
    }
  }
}

const Decision& SafeLucb::Impl::release(bool is_found, Purpose purpose) {
  if (!is_found) {
    throw Error(ErrorCode::NoSafeAction, "decision_set",
                "must hold an action that the data or the foothold certify; observe safe data or "
                "add an action closer to the known safe ones");
  }
  FOOTHOLD_INVARIANT(certificate_.is_safe());
  decision_.action = action_;
  decision_.arm = arm_;
  decision_.certificate = certificate_;
  decision_.purpose = purpose;
  decision_.optimistic_loss = optimistic_loss_;
  decision_.dual_bound = dual_bound_;
  if (nested_ && search_ && purpose == Purpose::Optimism &&
      certificate_.observations == estimate.count()) {
    nested_->keep_action(action_, certificate_, estimate.mu_hat());
  }
  decision_.id = pending.open(action_, purpose == Purpose::WarmUp);
  return decision_;
}

void SafeLucb::Impl::tell(DecisionId id, double loss) {
  const std::size_t position = pending.find(id);
  estimate.observe(pending.action(position), loss);
  told_warmup_ += pending.is_warmup(position) ? 1 : 0;
  pending.close(position);
}

std::uint64_t SafeLucb::Impl::fingerprint() const {
  Digest digest(safety::digest(problem));
  digest.add(static_cast<std::uint64_t>(*options.optimism));
  digest.add(static_cast<std::uint64_t>(options.caution));
  digest.add(static_cast<std::uint64_t>(options.certified));
  digest.add(static_cast<std::uint64_t>(options.radius));
  digest.add(static_cast<std::uint64_t>(options.nested ? 1 : 0));
  digest.add(static_cast<std::uint64_t>(options.warmup.sampler));
  digest.add(static_cast<std::uint64_t>(warmup));
  digest.add(options.seed);
  return digest.value();
}

void SafeLucb::Impl::save(ByteWriter& out) const {
  out.write(kMagic);
  out.write(kVersion);
  out.write(fingerprint());
  out.write(random_.position());
  out.write(told_warmup_);
  estimate.save(out);
  pending.save(out);
  if (nested_) {
    nested_->save(out);
  }
  if (search_) {
    search_->save(out);
  }
}

void SafeLucb::Impl::load(ByteReader& in) {
  if (in.read_word() != kMagic) {
    throw Error(ErrorCode::InvalidArgument, "snapshot", "must be a snapshot of a policy");
  }
  const std::uint64_t version = in.read_word();
  if (version != kVersion) {
    throw Error(ErrorCode::InvalidArgument, "snapshot",
                fmt::format("must have version {}, got {}", kVersion, version));
  }
  if (in.read_word() != fingerprint()) {
    throw Error(ErrorCode::Conflict, "snapshot",
                "must belong to a policy with the same problem and options");
  }
  random_ = RandomStream(options.seed, kWarmupStream, in.read_word());
  told_warmup_ = in.read_integer();
  estimate.load(in);
  pending.load(in);
  if (nested_) {
    nested_->load(in);
  }
  if (search_) {
    search_->restore(in);
  }
  region_count_.reset();
}

}  // namespace foothold::policy
