#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "foothold/arms/arm_scan.hpp"
#include "foothold/base/hash.hpp"
#include "foothold/base/infinity.hpp"
#include "foothold/base/random_stream.hpp"
#include "foothold/estimation/ridge_family.hpp"
#include "foothold/optimism/ellipsoid_search.hpp"
#include "foothold/optimism/optimistic_search.hpp"
#include "foothold/policy/algorithm.hpp"
#include "foothold/policy/options.hpp"
#include "foothold/policy/policy.hpp"
#include "foothold/safety/known_safe_set.hpp"

#include "memory/nested_memory.hpp"
#include "memory/pending_rounds.hpp"
#include "memory/seen_pairs.hpp"

namespace foothold::policy {

// Streams of one seed; the simulator uses others of its own.
inline constexpr std::uint64_t kDrawStream = 0;

// What a learner is made from: validated, with defaults filled in, never changed.
struct LearnerSetup {
  LearnerSetup(Algorithm which, safety::Problem unresolved, const PolicyOptions& given);

  Algorithm algorithm;
  safety::Problem problem;
  PolicyOptions options;
  Digest128 digest;  // of all three
};

// Shared by a core and the fresh one that `restore` loads into: references to the problem stay
// valid, and a million arms are not copied.
using SharedSetup = std::shared_ptr<const LearnerSetup>;

class LearnerCore;
// A core of the setup's algorithm, from the registry in algorithm.cpp.
[[nodiscard]] std::unique_ptr<LearnerCore> make_core(const SharedSetup& setup);

// An action about to be released, with its proof.
struct Draft {
  Eigen::VectorXd action{};
  std::optional<Eigen::Index> arm{};
  safety::Certificate certificate{};
  double optimistic_loss = 0.0;
  double dual_bound = 0.0;

  // For an action that was not chosen by an optimistic loss.
  void forget_losses() noexcept { optimistic_loss = dual_bound = kNaN; }
};

// The state of a learner and the ways to a certified action that policies choose from. What happens
// to a decision: `choose` of the policy fills the draft by one of the ways below, each of which
// ends with a certificate, and writes what it wants to remember into `record_`; the draft gets a
// place among the open rounds and is released, and only then `record_` becomes the state. So a
// choice that throws, or finds nothing, has changed nothing.
class LearnerCore {
 public:
  using ArmRows = Eigen::Ref<const Eigen::MatrixXd>;

  explicit LearnerCore(SharedSetup setup);
  LearnerCore(const LearnerCore&) = delete;
  LearnerCore& operator=(const LearnerCore&) = delete;
  LearnerCore(LearnerCore&&) = delete;
  LearnerCore& operator=(LearnerCore&&) = delete;
  virtual ~LearnerCore() = default;

  const Decision& ask();
  const Decision& ask_among(const ArmRows& arms);
  void tell(DecisionId id, double loss);
  void abandon(DecisionId id);
  void observe(const Eigen::VectorXd& action, double loss);
  [[nodiscard]] safety::Certificate certify(const Eigen::VectorXd& action) const;
  const Decision& adopt(const Decision& decision);
  void save(ByteWriter& out, WarmStarts warm) const;
  // Only into a fresh learner, which is of no use if this throws.
  void load(ByteReader& in);
  void begin_epoch(std::uint64_t epoch) { pending.begin_epoch(epoch); }

  // A learner of the same algorithm, problem and options without data.
  [[nodiscard]] std::unique_ptr<LearnerCore> fresh() const { return make_core(setup_); }
  [[nodiscard]] Algorithm algorithm() const noexcept { return setup_->algorithm; }
  [[nodiscard]] virtual std::int64_t warmup() const noexcept { return 0; }
  [[nodiscard]] virtual bool is_warming_up() const noexcept { return told_warmup_ < warmup(); }

 private:
  SharedSetup setup_;

 public:
  const safety::Problem& problem;
  const PolicyOptions& options;
  const safety::SafetyRule rule;
  estimation::RidgeEstimate estimate;
  std::optional<estimation::RidgeFamily> family;
  PendingRounds pending;

 protected:
  // Fills the draft with a certified action and says what for; none if there is no such action.
  // `arms` is null for a convex set. Must leave the policy's own state as it was if it finds none.
  virtual std::optional<Purpose> choose(const ArmRows* arms) = 0;
  // A loss of the warm-up is about to come in, after which the estimate will be `after`: what is to
  // be computed from it is computed here, where it may still throw, and taken over by `learned`.
  [[nodiscard]] virtual bool wants_to_foresee() const noexcept { return false; }
  virtual void foresee(const estimation::RidgeEstimate& /*after*/) {}
  // A loss has come in; `is_warmup` tells whether it answers a draw of the warm-up.
  virtual void learned(bool /*is_warmup*/) noexcept {}
  // The decision in the making will be released; may still throw.
  virtual void before_release(Purpose /*purpose*/) {}
  // What the policy has beyond this class, for snapshots: state, and warm starts of its solvers.
  virtual void save_own(ByteWriter& /*out*/) const {}
  virtual void load_own(ByteReader& /*in*/) {}
  virtual void save_warm(ByteWriter& /*out*/) const {}
  virtual void load_warm(ByteReader& /*in*/) {}

  // The ways to a certified action. Each returns whether the draft holds one.
  bool draw_from_foothold(const ArmRows* arms);
  bool choose_optimistically(const ArmRows* arms);
  // As `choose_optimistically`, after the warm-up: the last choice again while det A has not grown
  // enough, if the options want that.
  bool choose_rarely(const ArmRows* arms);

  // Plans will have offsets of this size: no release allocates for one.
  void reserve_plan(Eigen::Index size);

  // The confidence region of the present state.
  const estimation::ConfidenceRegion& region();
  [[nodiscard]] safety::Evidence any_evidence() const noexcept;
  [[nodiscard]] ScheduleInputs schedule_inputs() const;

  safety::KnownSafeSet foothold_;
  safety::Certifier certifier_;
  RandomStream random_;
  std::int64_t told_warmup_ = 0;
  Draft draft_;
  ChoiceRecord state_;   // as of the last decision that was released
  ChoiceRecord record_;  // and what the decision in the making makes of it

 private:
  bool draw_arm_from_foothold(const ArmRows& arms);
  bool choose_point_optimistically();
  bool choose_arm_optimistically(const ArmRows& arms);
  void prove_arms(const ArmRows& arms);
  void require_allowed(double loss) const;
  void learn(const Eigen::Ref<const Eigen::VectorXd>& action, double loss);
  const Decision& decide(const ArmRows* arms);
  void begin_choice();
  void undo_choice(const RandomStream& before) noexcept;
  const Decision& release(Purpose purpose);
  void require_decision(const Decision& decision) const;
  [[nodiscard]] bool is_remembered(const Decision& decision) const;
  [[nodiscard]] bool is_arm(const std::optional<Eigen::Index>& arm,
                            const Eigen::VectorXd& action) const;
  void make_scan();
  void require_consistent() const;
  void save_record(ByteWriter& out) const;
  void load_record(ByteReader& in);
  void save_held(ByteWriter& out) const;
  void load_held(ByteReader& in);

  estimation::ConfidenceRegion region_;
  std::optional<std::int64_t> region_count_;          // observations that region_ describes
  std::optional<optimism::OptimisticSearch> search_;  // convex sets: ℓ₁ …
  std::optional<optimism::EllipsoidSearch> exact_;    // … or ellipsoidal optimism
  std::optional<arms::ArmScan> scan_;                 // arms
  std::optional<NestedMemory> nested_;
  std::vector<bool> nothing_proved_;
  std::vector<Eigen::Index> safe_rows_;
  Draft held_;  // rarely switching: the choice that is played again
  Decision decision_;
  std::optional<SeenPairs> seen_;  // if duplicates are refused
};

// Whether a record can be one of this problem, the context aside.
[[nodiscard]] bool is_possible(const ChoiceRecord& record, const safety::Problem& problem);

// Everything of a record but the context, without allocating once sizes have been seen.
void copy_state(const ChoiceRecord& from, ChoiceRecord& to);

}  // namespace foothold::policy
