#include "play/contestant.hpp"

#include <unordered_map>
#include <utility>

#include "foothold/base/invariant.hpp"
#include "foothold/policy/make.hpp"
#include "foothold/simulation/play/unsafe_lucb.hpp"

namespace foothold::simulation {
namespace {

class SafeContestant final : public Contestant {
 public:
  explicit SafeContestant(std::unique_ptr<policy::Learner> policy) : policy_(std::move(policy)) {}

  [[nodiscard]] const Eigen::VectorXd& choose() override { return open(policy_->ask()); }
  [[nodiscard]] const Eigen::VectorXd& choose(const Eigen::MatrixXd& arms) override {
    return open(policy_->ask(arms));
  }
  [[nodiscard]] std::uint64_t ticket() const override { return static_cast<std::uint64_t>(id_); }
  void tell(std::uint64_t ticket, double loss) override {
    policy_->tell(policy::DecisionId{ticket}, loss);
  }
  void abandon(std::uint64_t ticket) override { policy_->abandon(policy::DecisionId{ticket}); }

  [[nodiscard]] const estimation::RidgeEstimate& estimate() const override {
    return policy_->estimate();
  }
  [[nodiscard]] estimation::RadiusForm radius_form() const override {
    return policy_->options().radius;
  }
  [[nodiscard]] std::int64_t warmup() const override { return policy_->warmup(); }
  [[nodiscard]] bool is_warming_up() const override { return policy_->is_warming_up(); }
  [[nodiscard]] std::int64_t explorations() const override { return explorations_; }
  [[nodiscard]] bool is_certified(OptimumWatch& optimum, double radius) const override {
    return optimum.is_certified(*policy_, radius);
  }

 private:
  const Eigen::VectorXd& open(const policy::Decision& decision) {
    // The one rule that nothing may break, checked where nothing depends on the policy's word.
    FOOTHOLD_INVARIANT(decision.certificate.is_in_decision_set);
    FOOTHOLD_INVARIANT(decision.certificate.constraints.size() ==
                       policy_->problem().constraints.size());
    FOOTHOLD_INVARIANT(decision.certificate.is_safe());
    id_ = decision.id;
    explorations_ += decision.purpose == policy::Purpose::Exploration ? 1 : 0;
    return decision.action;
  }

  std::unique_ptr<policy::Learner> policy_;
  policy::DecisionId id_{};
  std::int64_t explorations_ = 0;
};

class UnsafeContestant final : public Contestant {
 public:
  UnsafeContestant(const safety::Problem& problem, const policy::PolicyOptions& options)
      : learner_(problem, {.optimism = options.optimism, .radius = options.radius}) {}

  [[nodiscard]] const Eigen::VectorXd& choose() override {
    keep_open_round();
    return open(learner_.choose());
  }
  [[nodiscard]] const Eigen::VectorXd& choose(const Eigen::MatrixXd& arms) override {
    keep_open_round();
    return open(learner_.choose(arms));
  }
  [[nodiscard]] std::uint64_t ticket() const override { return ticket_; }
  void tell(std::uint64_t ticket, double loss) override {
    if (ticket == ticket_) {
      learner_.observe(*action_, loss);
      is_open_ = false;
      return;
    }
    const auto entry = waiting_.find(ticket);
    FOOTHOLD_INVARIANT(entry != waiting_.end());
    learner_.observe(entry->second, loss);
    waiting_.erase(entry);
  }
  void abandon(std::uint64_t ticket) override {
    if (ticket == ticket_) {
      is_open_ = false;
    } else {
      waiting_.erase(ticket);
    }
  }

  [[nodiscard]] const estimation::RidgeEstimate& estimate() const override {
    return learner_.estimate();
  }
  [[nodiscard]] estimation::RadiusForm radius_form() const override {
    return learner_.options().radius;
  }
  [[nodiscard]] std::int64_t warmup() const override { return 0; }
  [[nodiscard]] bool is_warming_up() const override { return false; }
  [[nodiscard]] std::int64_t explorations() const override { return 0; }
  [[nodiscard]] bool is_certified(OptimumWatch& /*optimum*/, double /*radius*/) const override {
    return false;
  }

 private:
  void keep_open_round() {
    if (is_open_) {
      waiting_.emplace(ticket_, *action_);
    }
  }
  const Eigen::VectorXd& open(const Eigen::VectorXd& action) {
    action_ = &action;
    ++ticket_;
    is_open_ = true;
    return action;
  }

  UnsafeLucb learner_;
  const Eigen::VectorXd* action_ = nullptr;
  std::uint64_t ticket_ = 0;
  bool is_open_ = false;                                        // The last round has no loss yet.
  std::unordered_map<std::uint64_t, Eigen::VectorXd> waiting_;  // Earlier rounds without one.
};

}  // namespace

std::unique_ptr<Contestant> make_contestant(const config::PolicyConfig& config,
                                            const safety::Problem& problem,
                                            const policy::PolicyOptions& options) {
  if (config.is_unsafe) {
    return std::make_unique<UnsafeContestant>(problem, options);
  }
  return std::make_unique<SafeContestant>(policy::make(config.algorithm, problem, options));
}

}  // namespace foothold::simulation
