#include <cmath>

#include <fmt/core.h>

#include "foothold/base/check.hpp"
#include "foothold/base/error.hpp"

#include "learner_core.hpp"
#include "memory/certificate_bytes.hpp"

// The part of LearnerCore that takes over decisions made earlier.
namespace foothold::policy {

void copy_state(const ChoiceRecord& from, ChoiceRecord& to) {
  to.draws = from.draws;
  to.thompson_draws = from.thompson_draws;
  to.explorations = from.explorations;
  to.net_explorations = from.net_explorations;
  to.plan = from.plan;
  to.held_log_det = from.held_log_det;
  to.has_switched = from.has_switched;
}

// What no policy of this problem can have decided.
void LearnerCore::require_decision(const Decision& decision) const {
  const auto fail = [](const char* field, const char* message) {
    throw Error(ErrorCode::InvalidArgument, field, message);
  };
  check::size_is(decision.action.size(), problem.dim(), "action");
  check::all_finite(decision.action, "action");
  if (!is_action_of(problem, decision.action)) {
    fail("action", "must lie in the decision set");
  }
  if (!is_arm(decision.arm, decision.action)) {
    fail("arm", "must be the row of the action among the arms, and left out on convex sets");
  }
  if (!fits(decision.certificate, problem)) {
    fail("certificate", "must say 'safe' of this problem and its limits");
  }
  if (!is_possible(decision.record, problem)) {
    fail("record", "must be possible for this problem");
  }
  const Eigen::MatrixXd& context = decision.record.context;
  for (Eigen::Index i = 0; i < context.rows(); ++i) {
    if (!is_action_of(problem, context.row(i).transpose())) {
      fail("record.context", "must hold arms of this problem");
    }
  }
}

// Whether the decision rests on an earlier proof that is part of the present state: the choice that
// is held, or one of the nested regions.
bool LearnerCore::is_remembered(const Decision& decision) const {
  const Digest128& digest = decision.certificate.digest;
  const bool is_held = !std::isnan(state_.held_log_det) && held_.action == decision.action &&
                       held_.certificate.digest == digest;
  return is_held || (nested_ && nested_->remembers(decision.action, decision.arm, digest));
}

const Decision& LearnerCore::adopt(const Decision& decision) {
  require_decision(decision);
  if (round_of(decision.id) != pending.count() || epoch_of(decision.id) < pending.epoch()) {
    throw Error(ErrorCode::Conflict, "id",
                fmt::format("must be that of the next round, {}, or of a later epoch, got {}",
                            to_string(pending.next_id()), to_string(decision.id)));
  }
  const RandomStream before = random_;
  try {
    begin_choice();
    copy_state(decision.record, record_);
    record_.context = decision.record.context;
    random_ = RandomStream(options.seed, kDrawStream, decision.record.draws);
    draft_.action = decision.action;
    draft_.arm = decision.arm;
    draft_.optimistic_loss = decision.optimistic_loss;
    draft_.dual_bound = decision.dual_bound;
    if (decision.certificate.digest == estimate.digest() || is_remembered(decision)) {
      draft_.certificate = decision.certificate;
    } else {
      certifier_.certify(estimate, region(), draft_.action, any_evidence(), draft_.certificate);
      if (!draft_.certificate.is_safe()) {
        throw Error(ErrorCode::Conflict, "certificate",
                    "must be of the present state, or the present state must certify the action");
      }
    }
    if (nested_ && scan_ && decision.purpose == Purpose::Optimism && region().is_usable()) {
      const auto& fixed = std::get<geometry::Arms>(problem.decision_set);
      const Draft adopted = draft_;
      prove_arms(ArmRows(fixed.features()));  // as the choice did
      draft_ = adopted;
    }
    if (epoch_of(decision.id) > pending.epoch()) {
      pending.begin_epoch(epoch_of(decision.id));
    }
    return release(decision.purpose);
  } catch (...) {
    undo_choice(before);
    throw;
  }
}

}  // namespace foothold::policy
