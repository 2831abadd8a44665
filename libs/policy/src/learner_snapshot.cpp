#include <cmath>

#include <fmt/core.h>

#include "foothold/base/error.hpp"

#include "learner_core.hpp"
#include "memory/certificate_bytes.hpp"

// The part of LearnerCore that turns its state into bytes and back.
namespace foothold::policy {
namespace {

// First words of a snapshot: "FHSNAP01" read as a number, then the format's version. Snapshots of
// the versions from kOldestVersion on are read; tests/assets/snapshots has one of each.
constexpr std::uint64_t kMagic = 0x3130'5041'4E53'4846U;
constexpr std::uint64_t kVersion = 5;
constexpr std::uint64_t kOldestVersion = 5;

// How many columns of actions a plan may speak of: the arms, or the rays, whose number the plan's
// own offset replaces.
bool is_place(std::int64_t place, const safety::Problem& problem) {
  const auto* arms = std::get_if<geometry::Arms>(&problem.decision_set);
  return place >= -1 && (arms == nullptr || place < arms->count());
}

}  // namespace

bool is_possible(const ChoiceRecord& record, const safety::Problem& problem) {
  const PlanRecord& plan = record.plan;
  const bool has_offset = plan.offset.size() == problem.dim() && plan.offset.allFinite();
  const bool needs_offset = geometry::is_continuous(problem.decision_set) && plan.target >= 0;
  return record.explorations >= 0 && record.net_explorations >= 0 &&
         is_place(plan.target, problem) && is_place(plan.teacher, problem) &&
         (plan.target < 0) == (plan.teacher < 0) &&
         (plan.offset.size() == 0 ? !needs_offset : has_offset) && plan.round >= 0.0 &&
         !std::isnan(plan.log_det) && !std::isnan(plan.certified);
}

void LearnerCore::save_record(ByteWriter& out) const {
  out.write(state_.thompson_draws);
  out.write(state_.explorations);
  out.write(state_.net_explorations);
  out.write(static_cast<std::int64_t>(state_.plan.target));
  out.write(static_cast<std::int64_t>(state_.plan.teacher));
  out.write(static_cast<std::int64_t>(state_.plan.offset.size()));
  if (state_.plan.offset.size() > 0) {
    out.write(state_.plan.offset);
  }
  out.write(state_.plan.round);
  out.write(state_.plan.log_det);
  out.write(state_.plan.certified);
  out.write(state_.held_log_det);
  if (!std::isnan(state_.held_log_det)) {
    out.write(held_.action);
    out.write(held_.arm.value_or(-1));
    policy::save(held_.certificate, out);
    out.write(held_.optimistic_loss);
    out.write(held_.dual_bound);
  }
}

void LearnerCore::load_record(ByteReader& in) {
  state_.thompson_draws = in.read_word();
  state_.explorations = in.read_integer();
  state_.net_explorations = in.read_integer();
  state_.plan.target = in.read_integer();
  state_.plan.teacher = in.read_integer();
  if (const std::int64_t size = in.read_integer(); size == problem.dim()) {
    state_.plan.offset = in.read_matrix(size, 1);
  } else if (size != 0) {
    refuse_snapshot(fmt::format("must hold a plan of {} dimensions, got {}", problem.dim(), size));
  }
  state_.plan.round = in.read_double();
  state_.plan.log_det = in.read_double();
  state_.plan.certified = in.read_double();
  if (!is_possible(state_, problem)) {
    refuse_snapshot("must hold a possible plan");
  }
  state_.held_log_det = in.read_double();
  if (std::isnan(state_.held_log_det)) {
    return;
  }
  if (!options.rarely_switching) {
    refuse_snapshot("must hold no choice that is played again: the options do not ask for it");
  }
  held_.action = load_action(in, problem);
  const std::int64_t arm = in.read_integer();
  held_.arm = arm < 0 ? std::nullopt : std::optional<Eigen::Index>(arm);
  if (!is_arm(held_.arm, held_.action)) {
    refuse_snapshot("must hold an arm of the decision set");
  }
  held_.certificate = load_certificate(in, problem);
  held_.optimistic_loss = in.read_double();
  held_.dual_bound = in.read_double();
}

// Whether the number of an arm goes with the action: none on convex sets, the row of fixed arms.
bool LearnerCore::is_arm(const std::optional<Eigen::Index>& arm,
                         const Eigen::VectorXd& action) const {
  if (geometry::is_continuous(problem.decision_set)) {
    return !arm;
  }
  const auto* fixed = std::get_if<geometry::Arms>(&problem.decision_set);
  return arm && *arm >= 0 &&
         (fixed == nullptr ||
          (*arm < fixed->count() &&
           (fixed->features().row(*arm).transpose().array() == action.array()).all()));
}

void LearnerCore::save(ByteWriter& out, WarmStarts warm) const {
  out.write(kMagic);
  out.write(kVersion);
  out.write(setup_->digest);
  out.write(random_.position());
  out.write(told_warmup_);
  estimate.save(out);
  if (family) {
    family->save(out);
  }
  pending.save(out);
  if (nested_) {
    nested_->save(out);
  }
  if (seen_) {
    seen_->save(out);
  }
  save_record(out);
  save_own(out);
  out.write(static_cast<std::uint64_t>(warm == WarmStarts::Keep ? 1 : 0));
  if (warm == WarmStarts::Drop) {
    return;
  }
  if (search_) {
    search_->save(out);
  }
  if (exact_) {
    exact_->save(out);
  }
  save_warm(out);
}

// What was loaded so far must belong together.
void LearnerCore::require_consistent() const {
  for (std::size_t i = 0; family && i < family->size(); ++i) {
    if (family->member(i).digest() != estimate.digest() ||
        family->member(i).count() != estimate.count()) {
      refuse_snapshot("must hold estimates of the same observations");
    }
  }
  if (told_warmup_ < 0 || told_warmup_ > estimate.count()) {
    refuse_snapshot(fmt::format("must have told at most {} rounds of warm-up, got {}",
                                estimate.count(), told_warmup_));
  }
  for (std::size_t i = 0; i < pending.open_count(); ++i) {
    if (!is_action_of(problem, pending.action(i))) {
      refuse_snapshot("must hold open rounds with actions of the decision set");
    }
  }
}

void LearnerCore::load(ByteReader& in) {
  if (in.read_word() != kMagic) {
    refuse_snapshot("must be a snapshot of a policy");
  }
  const std::uint64_t version = in.read_word();
  if (version < kOldestVersion || version > kVersion) {
    refuse_snapshot(fmt::format("must have a version from {} to {}, got {}", kOldestVersion,
                                kVersion, version));
  }
  if (in.read_digest() != setup_->digest) {
    throw Error(ErrorCode::Conflict, "snapshot",
                "must belong to a policy of the same algorithm, problem and options");
  }
  random_ = RandomStream(options.seed, kDrawStream, in.read_word());
  state_.draws = random_.position();
  told_warmup_ = in.read_integer();
  estimate.load(in);
  if (family) {
    family->load(in);
  }
  pending.load(in);
  require_consistent();
  if (nested_) {
    nested_->load(in, problem);
  }
  if (seen_) {
    seen_->load(in);
  }
  load_record(in);
  load_own(in);
  const std::uint64_t has_warm_starts = in.read_word();
  if (has_warm_starts > 1) {
    refuse_snapshot("must say whether it holds warm starts");
  }
  if (has_warm_starts == 0) {
    return;
  }
  if (search_) {
    search_->restore(in);
  }
  if (exact_) {
    exact_->restore(in);
  }
  load_warm(in);
}

}  // namespace foothold::policy
