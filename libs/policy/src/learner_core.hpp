#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "foothold/arms/arm_scan.hpp"
#include "foothold/base/digest.hpp"
#include "foothold/base/infinity.hpp"
#include "foothold/base/random_stream.hpp"
#include "foothold/estimation/ridge_family.hpp"
#include "foothold/optimism/ellipsoid_search.hpp"
#include "foothold/optimism/optimistic_search.hpp"
#include "foothold/policy/options.hpp"
#include "foothold/policy/policy.hpp"
#include "foothold/safety/known_safe_set.hpp"

#include "nested_memory.hpp"
#include "pending_rounds.hpp"

namespace foothold::policy {

/// Which policy a snapshot belongs to.
enum class LearnerKind : std::uint64_t { SafeLucb, Gslucb, Targeted };

// Streams of one seed; the simulator uses others of its own.
inline constexpr std::uint64_t kDrawStream = 0;

// The problem and the options of a learner, validated and with their defaults filled in.
struct LearnerSetup {
  LearnerSetup(safety::Problem unresolved, const PolicyOptions& given);

  safety::Problem problem;
  PolicyOptions options;
};

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
// ends with a certificate; the draft gets a place among the open rounds and is released.
class LearnerCore {
 public:
  using ArmRows = Eigen::Ref<const Eigen::MatrixXd>;

  LearnerCore(LearnerKind kind, const LearnerSetup& setup);
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
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

  // A learner of the same kind, problem and options without data.
  [[nodiscard]] virtual std::unique_ptr<LearnerCore> fresh() const = 0;
  [[nodiscard]] virtual std::int64_t warmup() const noexcept { return 0; }
  [[nodiscard]] virtual bool is_warming_up() const noexcept { return told_warmup_ < warmup(); }

  const safety::Problem problem;
  const PolicyOptions options;
  const safety::SafetyRule rule;
  estimation::RidgeEstimate estimate;
  std::optional<estimation::RidgeFamily> family;
  PendingRounds pending;

 protected:
  // Fills the draft with a certified action and says what for; none if there is no such action.
  // `arms` is null for a convex set. Must leave the policy's own state as it was if it finds none.
  virtual std::optional<Purpose> choose(const ArmRows* arms) = 0;
  // A loss has come in; `is_warmup` tells whether it answers a draw of the warm-up.
  virtual void learned(bool /*is_warmup*/) {}
  // What the policy has beyond this class, for snapshots.
  virtual void save_own(ByteWriter& /*out*/) const {}
  virtual void load_own(ByteReader& /*in*/) {}

  // The ways to a certified action. Each returns whether the draft holds one.
  bool draw_from_foothold(const ArmRows* arms);
  bool choose_optimistically(const ArmRows* arms);
  // As `choose_optimistically`, after the warm-up: the last choice again while det A has not grown
  // enough, if the options want that.
  bool choose_rarely(const ArmRows* arms);

  // The confidence region of the present state.
  const estimation::ConfidenceRegion& region();
  [[nodiscard]] safety::Evidence any_evidence() const noexcept;
  [[nodiscard]] ScheduleInputs schedule_inputs() const;

  safety::KnownSafeSet foothold_;
  safety::Certifier certifier_;
  RandomStream random_;
  std::int64_t told_warmup_ = 0;
  Draft draft_;

 private:
  bool draw_arm_from_foothold(const ArmRows& arms);
  bool choose_point_optimistically();
  bool choose_arm_optimistically(const ArmRows& arms);
  void prove_arms(const ArmRows& arms);
  void learn(const Eigen::Ref<const Eigen::VectorXd>& action, double loss);
  const Decision& decide(const ArmRows* arms);
  const Decision& release(Purpose purpose);
  [[nodiscard]] std::uint64_t fingerprint() const;
  void save_held(ByteWriter& out) const;
  void load_held(ByteReader& in);

  LearnerKind kind_;
  estimation::ConfidenceRegion region_;
  std::optional<std::int64_t> region_count_;          // observations that region_ describes
  std::optional<optimism::OptimisticSearch> search_;  // convex sets: ℓ₁ …
  std::optional<optimism::EllipsoidSearch> exact_;    // … or ellipsoidal optimism
  std::optional<arms::ArmScan> scan_;                 // arms
  std::optional<NestedMemory> nested_;
  std::vector<bool> nothing_proved_;
  std::vector<Eigen::Index> safe_rows_;
  bool has_held_ = false;  // rarely switching: the last choice and log det A at the time
  Draft held_;
  double held_log_det_ = 0.0;
  Decision decision_;
};

}  // namespace foothold::policy
