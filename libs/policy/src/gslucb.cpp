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

namespace foothold::policy {
namespace {

std::int64_t rounded_up(double rounds, std::int64_t cap) {
  return rounds < static_cast<double>(cap) ? static_cast<std::int64_t>(std::ceil(rounds)) : cap;
}

class GslucbCore final : public LearnerCore {
 public:
  explicit GslucbCore(const LearnerSetup& setup)
      : LearnerCore(LearnerKind::Gslucb, setup),
        is_contextual_(std::holds_alternative<geometry::ContextualArms>(problem.decision_set)),
        bound_(problem, options.caution == safety::Caution::Ellipsoid ? gap::GapRegion::Ellipsoid
                                                                      : gap::GapRegion::L1) {
    if (options.warmup.schedule != Schedule::None) {
      throw Error(ErrorCode::InvalidArgument, "warmup.schedule",
                  "must be 'none' for GSLUCB, which finds the length of its warm-up itself");
    }
    longest_ = warmup_rounds({.schedule = Schedule::WorstCase}, schedule_inputs());  // T_0
    length_ = longest_;
  }

  [[nodiscard]] std::unique_ptr<LearnerCore> fresh() const override {
    return std::make_unique<GslucbCore>(LearnerSetup(problem, options));
  }
  [[nodiscard]] std::int64_t warmup() const noexcept override { return length_; }
  [[nodiscard]] bool is_warming_up() const noexcept override { return !is_over_; }
  [[nodiscard]] double gap() const noexcept { return gap_; }

 private:
  std::optional<Purpose> choose(const ArmRows* arms) override {
    if (!is_over_ && draw_from_foothold(arms)) {
      if (is_contextual_) {
        contexts_.emplace_back(*arms);
        if (contexts_.size() > Gslucb::kContexts) {
          contexts_.pop_front();
        }
      }
      return Purpose::WarmUp;
    }
    return choose_rarely(arms) ? std::optional(Purpose::Optimism) : std::nullopt;
  }

  // Lines 5 to 8 of [AAT19, Alg. 2], and the condition of the loop for the next round.
  void learned(bool is_warmup) override {
    if (is_over_ || !is_warmup) {
      return;
    }
    const auto told = static_cast<double>(told_warmup_);
    if (told >= evaluated_ * options.gap_growth) {
      evaluated_ = told;
      gap_ = evaluate();
      length_ = gap_ > 0.0
                    ? std::min(longest_, rounded_up(gap_rounds(schedule_inputs(), gap_), longest_))
                    : longest_;
    }
    if (told_warmup_ >= length_) {
      is_over_ = true;
      length_ = told_warmup_;
      contexts_.clear();
    }
  }

  double evaluate() {
    const estimation::ConfidenceRegion& now = region();
    if (!now.is_usable()) {
      return 0.0;
    }
    if (!is_contextual_) {
      return bound_.bound(now).value;
    }
    double least = contexts_.empty() ? 0.0 : kInfinity;
    for (const Eigen::MatrixXd& arms : contexts_) {
      least = std::min(least, bound_.bound(now, arms).value);
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
    contexts_.clear();
    for (std::uint64_t i = 0; i < contexts; ++i) {
      const std::int64_t rows = in.read_integer();
      contexts_.push_back(in.read_matrix(rows, problem.dim()));
    }
  }

  bool is_contextual_;
  gap::GapBound bound_;
  std::int64_t longest_ = 0;  // T_0
  std::int64_t length_ = 0;   // min(T'_t, T_0)
  bool is_over_ = false;
  double gap_ = 0.0;        // Δ_t
  double evaluated_ = 0.0;  // told rounds at the last evaluation
  std::deque<Eigen::MatrixXd> contexts_;
};

}  // namespace

Gslucb::Gslucb(safety::Problem problem, const PolicyOptions& options)
    : Learner(std::make_unique<GslucbCore>(LearnerSetup(std::move(problem), options))) {}

double Gslucb::gap_bound() const noexcept {
  return static_cast<const GslucbCore&>(core()).gap();
}

}  // namespace foothold::policy
