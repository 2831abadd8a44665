#include "foothold/policy/safe_lucb.hpp"

#include <utility>

#include "learner_core.hpp"

namespace foothold::policy {
namespace {

class SafeLucbCore final : public LearnerCore {
 public:
  explicit SafeLucbCore(const LearnerSetup& setup)
      : LearnerCore(LearnerKind::SafeLucb, setup),
        warmup_(warmup_rounds(options.warmup, schedule_inputs())) {}

  [[nodiscard]] std::unique_ptr<LearnerCore> fresh() const override {
    return std::make_unique<SafeLucbCore>(LearnerSetup(problem, options));
  }
  [[nodiscard]] std::int64_t warmup() const noexcept override { return warmup_; }

 private:
  std::optional<Purpose> choose(const ArmRows* arms) override {
    if (is_warming_up() && draw_from_foothold(arms)) {
      return Purpose::WarmUp;
    }
    return choose_rarely(arms) ? std::optional(Purpose::Optimism) : std::nullopt;
  }

  std::int64_t warmup_;  // T'
};

}  // namespace

SafeLucb::SafeLucb(safety::Problem problem, const PolicyOptions& options)
    : Learner(std::make_unique<SafeLucbCore>(LearnerSetup(std::move(problem), options))) {}

}  // namespace foothold::policy
