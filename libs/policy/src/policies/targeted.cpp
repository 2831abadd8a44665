#include "foothold/policy/targeted.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "foothold/base/error.hpp"
#include "foothold/base/infinity.hpp"
#include "foothold/exploration/exploration_planner.hpp"
#include "foothold/exploration/ray_actions.hpp"
#include "foothold/safety/safe_set.hpp"

#include "learner_core.hpp"

namespace foothold::policy {
namespace {

// Tuned on draws that no published figure uses (docs/algorithms/targeted.md).
constexpr double kHope = 0.7;             // k_t = kHope √log t
constexpr double kHorizonFactor = 2.0;    // a gain is credited for at most 2t further rounds
constexpr double kExplorationCap = 10.0;  // explorations ≤ kExplorationCap t^{2/3}
constexpr double kNet = 30.0;             // θ₀ in units of the room m
constexpr double kNetShare = 0.3;       // beyond kNetShare t^{2/3} rounds the net grows coarser …
constexpr double kNetPower = 8.0;       // … by this power of the excess
constexpr double kReplanTime = 0.02;    // plan anew when t grew by this fraction …
constexpr double kReplanLogDet = 0.05;  // … or log det A by this much per dimension

constexpr std::uint64_t kThompsonStream = 1;

class TargetedCore final : public LearnerCore {
 public:
  explicit TargetedCore(const SharedSetup& setup)
      : LearnerCore(setup),
        is_convex_(geometry::is_continuous(problem.decision_set)),
        is_contextual_(std::holds_alternative<geometry::ContextualArms>(problem.decision_set)),
        centre_(problem.centre()),
        planner_(problem, rule, is_convex_) {
    if (is_convex_) {
      rays_.emplace(problem, rule);
    }
    teacher_.setZero(problem.dim());
    reserve_plan(is_convex_ ? problem.dim() : 0);
    draw_.setZero(problem.dim());
    lesson_.setZero(problem.dim());
  }

 private:
  std::optional<Purpose> choose(const ArmRows* arms) override {
    if (region().is_usable()) {
      if (is_convex_ ? explore_along_ray() : explore_among(*arms)) {
        return Purpose::Exploration;
      }
      if (options.exploit == Exploit::Thompson && choose_by_thompson(arms)) {
        return Purpose::Thompson;
      }
    }
    return choose_rarely(arms) ? std::optional(Purpose::Optimism) : std::nullopt;
  }

  [[nodiscard]] double round() const { return static_cast<double>(pending.count() + 1); }

  [[nodiscard]] exploration::PlanTerms terms() const {
    const double t = round();
    double remaining = kHorizonFactor * t;
    if (options.horizon) {
      remaining = std::min(remaining, static_cast<double>(*options.horizon) - t + 1.0);
    }
    return {.remaining = remaining,
            .weight = kHope * options.exploration * std::sqrt(std::log(t + 1.0))};
  }

  [[nodiscard]] bool may_explore() const {
    return static_cast<double>(state_.explorations) <=
           kExplorationCap * std::pow(round(), 2.0 / 3.0);
  }

  // Time for a new plan: something has changed enough to change the answer.
  [[nodiscard]] bool is_plan_old() const {
    return round() > state_.plan.round * (1.0 + kReplanTime) ||
           estimate.log_det_ratio() >
               state_.plan.log_det + kReplanLogDet * static_cast<double>(problem.dim());
  }

  void mark_planned() {
    record_.plan.round = round();
    record_.plan.log_det = estimate.log_det_ratio();
  }

  void take_plan(const exploration::ExplorationPlan& plan) {
    record_.plan.target = plan.target;
    record_.plan.teacher = plan.teacher;
  }

  // Finite arms.
  bool explore_among(const ArmRows& arms) {
    offsets_ = arms.transpose().colwise() - centre_;
    planner_.begin(region(), offsets_, teacher_, terms());
    if (family) {
      grant_by_family(arms);
    }
    if (planner_.exploit_arm() < 0) {
      return false;
    }
    const double certified = planner_.scales().sum();
    const bool has_changed = certified != state_.plan.certified;
    if (is_contextual_ || has_changed || is_plan_old()) {
      take_plan(planner_.best(offsets_.cols()));
      record_.plan.certified = certified;
      mark_planned();
    }
    if (record_.plan.target < 0 || !may_explore() || !take_arm(arms, record_.plan.teacher)) {
      return false;
    }
    ++record_.explorations;
    return true;
  }

  // The planner knows one ridge only.
  void grant_by_family(const ArmRows& arms) {
    for (Eigen::Index arm = 0; arm < arms.rows(); ++arm) {
      if (!(planner_.scales()(arm) > 0.0) && take_arm(arms, arm)) {
        planner_.grant(arm);
      }
    }
  }

  bool take_arm(const ArmRows& arms, Eigen::Index arm) {
    draft_.arm = arm;
    draft_.action = arms.row(arm).transpose();
    draft_.forget_losses();
    certifier_.certify(estimate, region(), draft_.action, any_evidence(), draft_.certificate);
    return draft_.certificate.is_safe();
  }

  // Convex sets.
  bool explore_along_ray() {
    if (is_plan_old()) {
      const exploration::PlanTerms now = terms();
      rays_->update(region(), now.weight);
      planner_.begin(region(), rays_->offsets(), rays_->exploit(), now);
      take_plan(planner_.best(rays_->targets()));
      if (record_.plan.target >= 0) {
        record_.plan.offset = rays_->offsets().col(record_.plan.teacher);
      }
      mark_planned();
    }
    if (record_.plan.target >= 0 && may_explore() && take_ray(record_.plan.offset)) {
      ++record_.explorations;
      return true;
    }
    if (is_caught_by_net() && take_ray(net_teacher_)) {
      ++record_.net_explorations;
      return true;
    }
    return false;
  }

  // The best action that may be safe is not certified, and the width of a constraint there is above
  // θ₀ t^{−1/3}: then its direction is explored, whatever that costs.
  bool is_caught_by_net() {
    const double threshold = net_threshold();
    safe_set_.update(region());
    if (!is_net_within_reach(threshold)) {
      return false;
    }
    const Eigen::VectorXd& y = rays_->best_hope(region()).offset;
    double widest = 0.0;
    bool is_certified = true;
    for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
      z_.noalias() = safe_set_.matrix(k) * y;
      const double room = safe_set_.room(k);
      const double width = safe_set_.spread(k, z_) / room;
      const double bound = safe_set_.value(k, z_) / room + width;
      const double prior = safe_set_.prior_bound(k, z_) / room;
      is_certified = is_certified && std::min(bound, prior) <= 1.0;
      if (bound > 1.0 && width > widest) {
        widest = width;
        lesson_ = z_;
      }
    }
    if (is_certified || 2.0 * widest <= threshold) {
      return false;
    }
    rays_->set_last(lesson_);
    planner_.begin(region(), rays_->offsets(), rays_->exploit(), terms());
    const Eigen::Index teacher = planner_.best_teacher(lesson_);
    if (teacher < 0) {
      return false;
    }
    net_teacher_ = rays_->offsets().col(teacher);
    return true;
  }

  // θ_t in units of m. Where m is tiny the net would catch every round for longer than any
  // horizon: what it has taken beyond its share makes it coarser, at the price of a constant.
  [[nodiscard]] double net_threshold() const {
    const double t = round();
    const double taken =
        static_cast<double>(state_.net_explorations) / (kNetShare * std::pow(t, 2.0 / 3.0));
    return kNet / options.exploration / std::cbrt(t) * std::pow(std::max(1.0, taken), kNetPower);
  }

  // Most rounds need no search: no action at all has a width above the threshold.
  bool is_net_within_reach(double threshold) {
    const double reach = *problem.assumptions.action_bound + centre_.norm();
    for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
      safe_set_.whiten(k, product_);
      if (2.0 * safe_set_.reach(k) * product_.norm() * reach / safe_set_.room(k) > threshold) {
        return true;
      }
    }
    return false;
  }

  // The teacher at the largest certified scale.
  bool take_ray(const Eigen::VectorXd& teacher) {
    draft_.arm.reset();
    draft_.forget_losses();
    draft_.action = centre_ + teacher;
    if (certifier_.certify_scaled(estimate, region(), draft_.action, safety::Evidence::Region,
                                  draft_.certificate)) {
      scratch_ = draft_;
    } else {
      scratch_.action.resize(0);
    }
    if (rule.certified == safety::CertifiedSet::Region) {
      return scratch_.action.size() > 0;
    }
    draft_.action = centre_ + teacher;
    const bool is_known = certifier_.certify_scaled(estimate, region(), draft_.action,
                                                    safety::Evidence::Prior, draft_.certificate);
    if (scratch_.action.size() > 0 &&
        (!is_known || (scratch_.action - centre_).norm() > (draft_.action - centre_).norm())) {
      draft_ = scratch_;
    }
    return is_known || scratch_.action.size() > 0;
  }

  // The best certified action for a parameter drawn from N(μ̂, R²A⁻¹).
  bool choose_by_thompson(const ArmRows* arms) {
    RandomStream random(options.seed, kThompsonStream, state_.thompson_draws);
    for (Eigen::Index i = 0; i < draw_.size(); ++i) {
      draw_(i) = random.normal();
    }
    z_.noalias() = region().factor_inverse().transpose() * draw_;
    draw_ = region().mu_hat() + problem.assumptions.noise_scale * z_;
    if (!(arms == nullptr ? take_best_point() : take_best_arm(*arms))) {
      return false;
    }
    record_.thompson_draws = random.position();
    return true;
  }

  bool take_best_point() {
    rays_->load(region());
    draft_.arm.reset();
    draft_.forget_losses();
    draft_.action = centre_ + rays_->best_certified(draw_);
    return certifier_.certify_scaled(estimate, region(), draft_.action, rays_->evidence(),
                                     draft_.certificate);
  }

  bool take_best_arm(const ArmRows& arms) {
    Eigen::Index best = -1;
    double best_loss = kInfinity;
    for (Eigen::Index arm = 0; arm < arms.rows(); ++arm) {
      const double loss = arms.row(arm).dot(draw_);
      if (planner_.scales()(arm) > 0.0 && loss < best_loss) {
        best_loss = loss;
        best = arm;
      }
    }
    return best >= 0 && take_arm(arms, best);
  }

  void save_warm(ByteWriter& out) const override {
    if (rays_) {
      rays_->save(out);
    }
  }

  void load_warm(ByteReader& in) override {
    if (rays_) {
      rays_->restore(in);
    }
  }

  bool is_convex_;
  bool is_contextual_;
  Eigen::VectorXd centre_;
  exploration::ExplorationPlanner planner_;
  std::optional<exploration::RayActions> rays_;
  Eigen::VectorXd teacher_;  // nothing to exploit, for the planner of arms
  Eigen::MatrixXd offsets_;
  Eigen::VectorXd net_teacher_;
  Draft scratch_;
  Eigen::VectorXd draw_;  // Thompson's parameter
  Eigen::VectorXd z_;
  // The net's; the exact ℓ₁ bound is replaced by its outer cone.
  safety::SafeSet safe_set_{problem, {.caution = safety::outer_caution(rule.caution)}};
  Eigen::VectorXd lesson_;
  Eigen::MatrixXd product_;
};

}  // namespace

std::unique_ptr<LearnerCore> make_targeted(const SharedSetup& setup) {
  return std::make_unique<TargetedCore>(setup);
}

Targeted::Targeted(safety::Problem problem, const PolicyOptions& options)
    : Learner(Algorithm::Targeted, std::move(problem), options) {}

}  // namespace foothold::policy
