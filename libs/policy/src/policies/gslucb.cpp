#include "foothold/policy/gslucb.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include <fmt/core.h>

#include "foothold/base/error.hpp"
#include "foothold/base/infinity.hpp"
#include "foothold/gap/gap_bound.hpp"

#include "learner_core.hpp"
#include "memory/certificate_bytes.hpp"

namespace foothold::policy {
namespace {

std::int64_t rounded_up(double rounds, std::int64_t cap) {
  return rounds < static_cast<double>(cap) ? static_cast<std::int64_t>(std::ceil(rounds)) : cap;
}

class GslucbCore final : public LearnerCore {
 public:
  explicit GslucbCore(const SharedSetup& setup)
      : LearnerCore(setup),
        is_contextual_(std::holds_alternative<geometry::ContextualArms>(problem.decision_set)),
        bound_(problem, options.caution == safety::Caution::Ellipsoid ? gap::GapRegion::Ellipsoid
                                                                      : gap::GapRegion::L1),
        after_(problem.dim()) {
    longest_ = warmup_rounds({.schedule = Schedule::WorstCase}, schedule_inputs());  // T_0
    length_ = longest_;
  }

  [[nodiscard]] std::int64_t warmup() const noexcept override { return length_; }
  [[nodiscard]] bool is_warming_up() const noexcept override { return !is_over_; }
  [[nodiscard]] double gap() const noexcept { return gap_; }

 private:
  std::optional<Purpose> choose(const ArmRows* arms) override {
    if (!is_over_ && draw_from_foothold(arms)) {
      if (is_contextual_) {
        record_.context = *arms;
      }
      return Purpose::WarmUp;
    }
    return choose_rarely(arms) ? std::optional(Purpose::Optimism) : std::nullopt;
  }

  void before_release(Purpose purpose) override {
    if (is_contextual_ && purpose == Purpose::WarmUp) {
      contexts_.push_back(record_.context);
      if (contexts_.size() > Gslucb::kContexts) {
        contexts_.pop_front();
      }
    }
  }

  // Lines 5 to 8 of [AAT19, Alg. 2], and the condition of the loop for the next round.
  [[nodiscard]] bool wants_to_foresee() const noexcept override { return !is_over_; }

  void foresee(const estimation::RidgeEstimate& after) override {
    next_ = {.length = length_, .gap = gap_, .evaluated = evaluated_};
    const auto told = static_cast<double>(told_warmup_ + 1);
    if (told >= evaluated_ * options.gap_growth) {
      next_.evaluated = told;
      next_.gap = evaluate(after);
      next_.length =
          next_.gap > 0.0
              ? std::min(longest_, rounded_up(gap_rounds(schedule_inputs(), next_.gap), longest_))
              : longest_;
    }
  }

  void learned(bool is_warmup) noexcept override {
    if (is_over_ || !is_warmup) {
      return;
    }
    length_ = next_.length;
    gap_ = next_.gap;
    evaluated_ = next_.evaluated;
    if (told_warmup_ >= length_) {
      is_over_ = true;
      length_ = told_warmup_;
      contexts_.clear();
    }
  }

  double evaluate(const estimation::RidgeEstimate& after) {
    after_.update(after, rule.radius, rule.root);
    if (!after_.is_usable()) {
      return 0.0;
    }
    if (!is_contextual_) {
      return bound_.bound(after_).value;
    }
    double least = contexts_.empty() ? 0.0 : kInfinity;
    for (const Eigen::MatrixXd& arms : contexts_) {
      least = std::min(least, bound_.bound(after_, arms).value);
      if (!(least > 0.0)) {
        break;
      }
    }
    return least;
  }

  void save_own(ByteWriter& out) const override {
    out.write(length_);
    out.write(static_cast<std::uint64_t>(is_over_ ? 1 : 0));
    out.write(gap_);
    out.write(evaluated_);
    out.write(static_cast<std::uint64_t>(contexts_.size()));
    for (const Eigen::MatrixXd& arms : contexts_) {
      out.write(static_cast<std::int64_t>(arms.rows()));
      out.write(arms);
    }
  }

  void load_own(ByteReader& in) override {
    length_ = in.read_integer();
    is_over_ = in.read_word() != 0;
    gap_ = in.read_double();
    evaluated_ = in.read_double();
    const std::uint64_t contexts = in.read_word();
    if (length_ < 0 || length_ > longest_ || !(gap_ >= 0.0) || !(evaluated_ >= 0.0) ||
        contexts > Gslucb::kContexts) {
      throw Error(ErrorCode::InvalidArgument, "snapshot", "must hold a possible warm-up");
    }
    contexts_.clear();
    for (std::uint64_t i = 0; i < contexts; ++i) {
      contexts_.push_back(load_arms(in, problem));
    }
  }

  bool is_contextual_;
  gap::GapBound bound_;
  std::int64_t longest_ = 0;  // T_0
  std::int64_t length_ = 0;   // min(T'_t, T_0)
  struct Next {               // what the loss that comes in will make of these
    std::int64_t length = 0;
    double gap = 0.0;
    double evaluated = 0.0;
  };
  Next next_;
  estimation::ConfidenceRegion after_;
  bool is_over_ = false;
  double gap_ = 0.0;        // Δ_t
  double evaluated_ = 0.0;  // told rounds at the last evaluation
  std::deque<Eigen::MatrixXd> contexts_;
};

}  // namespace

std::unique_ptr<LearnerCore> make_gslucb(const SharedSetup& setup) {
  return std::make_unique<GslucbCore>(setup);
}

Gslucb::Gslucb(safety::Problem problem, const PolicyOptions& options)
    : Learner(Algorithm::Gslucb, std::move(problem), options) {}

double Gslucb::gap_bound() const noexcept {
  return static_cast<const GslucbCore&>(core()).gap();
}

}  // namespace foothold::policy
