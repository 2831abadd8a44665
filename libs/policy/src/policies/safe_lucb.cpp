#include "foothold/policy/safe_lucb.hpp"

#include <utility>

#include "learner_core.hpp"

namespace foothold::policy {
namespace {

class SafeLucbCore final : public LearnerCore {
 public:
  explicit SafeLucbCore(const SharedSetup& setup)
      : LearnerCore(setup), warmup_(warmup_rounds(options.warmup, schedule_inputs())) {}

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

std::unique_ptr<LearnerCore> make_safe_lucb(const SharedSetup& setup) {
  return std::make_unique<SafeLucbCore>(setup);
}

SafeLucb::SafeLucb(safety::Problem problem, const PolicyOptions& options)
    : Learner(Algorithm::SafeLucb, std::move(problem), options) {}

}  // namespace foothold::policy
