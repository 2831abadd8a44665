#include "foothold/policy/targeted.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "foothold/base/error.hpp"
#include "foothold/base/infinity.hpp"
#include "foothold/exploration/exploration_planner.hpp"
#include "foothold/exploration/ray_actions.hpp"

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
  explicit TargetedCore(const LearnerSetup& setup)
      : LearnerCore(LearnerKind::Targeted, setup),
        is_convex_(geometry::is_continuous(problem.decision_set)),
        is_contextual_(std::holds_alternative<geometry::ContextualArms>(problem.decision_set)),
        centre_(problem.centre()),
        planner_(problem, rule, is_convex_),
        thompson_(options.seed, kThompsonStream) {
    if (options.warmup.schedule != Schedule::None) {
      throw Error(ErrorCode::InvalidArgument, "warmup.schedule",
                  "must be 'none' for the targeted policy, which has no warm-up");
    }
    if (is_convex_) {
      rays_.emplace(problem, rule);
    }
    teacher_.setZero(problem.dim());
    draw_.setZero(problem.dim());
    lesson_.setZero(problem.dim());
  }

  [[nodiscard]] std::unique_ptr<LearnerCore> fresh() const override {
    return std::make_unique<TargetedCore>(LearnerSetup(problem, options));
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

  [[nodiscard]] double round() const { return static_cast<double>(pending.next_id() + 1); }

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
    return static_cast<double>(explorations_) <= kExplorationCap * std::pow(round(), 2.0 / 3.0);
  }

  // Time for a new plan: something has changed enough to change the answer.
  [[nodiscard]] bool is_plan_old() const {
    return round() > planned_round_ * (1.0 + kReplanTime) ||
           estimate.log_det_ratio() >
               planned_log_det_ + kReplanLogDet * static_cast<double>(problem.dim());
  }

  void mark_planned() {
    planned_round_ = round();
    planned_log_det_ = estimate.log_det_ratio();
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
    const bool has_changed = certified != planned_certified_;
    if (is_contextual_ || has_changed || is_plan_old()) {
      plan_ = planner_.best(offsets_.cols());
      planned_certified_ = certified;
      mark_planned();
    }
    if (plan_.target < 0 || !may_explore() || !take_arm(arms, plan_.teacher)) {
      return false;
    }
    ++explorations_;
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
      plan_ = planner_.best(rays_->targets());
      if (plan_.target >= 0) {
        teacher_ = rays_->offsets().col(plan_.teacher);
      }
      mark_planned();
    }
    if (plan_.target >= 0 && may_explore() && take_ray(teacher_)) {
      ++explorations_;
      return true;
    }
    if (is_caught_by_net() && take_ray(net_teacher_)) {
      ++net_explorations_;
      return true;
    }
    return false;
  }

  // The best action that may be safe is not certified, and the width of a constraint there is above
  // θ₀ t^{−1/3}: then its direction is explored, whatever that costs.
  bool is_caught_by_net() {
    const double threshold = net_threshold();
    const double radius =
        safety::caution_factor(options.caution, problem.dim()) * region().radius();
    if (!is_net_within_reach(threshold, radius)) {
      return false;
    }
    const Eigen::VectorXd& y = rays_->best_hope(region()).offset;
    double widest = 0.0;
    bool is_certified = true;
    for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
      z_.noalias() = problem.constraints[k].matrix * y;
      image_.noalias() = region().factor_inverse() * z_;
      const double width = radius * image_.norm() / problem.room(k);
      const double bound = region().mu_hat().dot(z_) / problem.room(k) + width;
      const double prior = problem.assumptions.norm_bound * z_.norm() / problem.room(k);
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
        static_cast<double>(net_explorations_) / (kNetShare * std::pow(t, 2.0 / 3.0));
    return kNet / options.exploration / std::cbrt(t) * std::pow(std::max(1.0, taken), kNetPower);
  }

  // Most rounds need no search: no action at all has a width above the threshold.
  bool is_net_within_reach(double threshold, double radius) {
    const double reach = *problem.assumptions.action_bound + centre_.norm();
    for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
      product_.noalias() = region().factor_inverse() * problem.constraints[k].matrix;
      if (2.0 * radius * product_.norm() * reach / problem.room(k) > threshold) {
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
    const RandomStream before = thompson_;
    for (Eigen::Index i = 0; i < draw_.size(); ++i) {
      draw_(i) = thompson_.normal();
    }
    z_.noalias() = region().factor_inverse().transpose() * draw_;
    draw_ = region().mu_hat() + problem.assumptions.noise_scale * z_;
    const bool is_found = arms == nullptr ? take_best_point() : take_best_arm(*arms);
    if (!is_found) {
      thompson_ = before;
    }
    return is_found;
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

  void save_own(ByteWriter& out) const override {
    out.write(static_cast<std::int64_t>(plan_.target));
    out.write(static_cast<std::int64_t>(plan_.teacher));
    out.write(teacher_);
    out.write(explorations_);
    out.write(net_explorations_);
    out.write(planned_round_);
    out.write(planned_log_det_);
    out.write(planned_certified_);
    out.write(thompson_.position());
    if (rays_) {
      rays_->save(out);
    }
  }

  void load_own(ByteReader& in) override {
    plan_ = {};
    plan_.target = in.read_integer();
    plan_.teacher = in.read_integer();
    teacher_ = in.read_matrix(problem.dim(), 1);
    explorations_ = in.read_integer();
    net_explorations_ = in.read_integer();
    planned_round_ = in.read_double();
    planned_log_det_ = in.read_double();
    planned_certified_ = in.read_double();
    thompson_ = RandomStream(options.seed, kThompsonStream, in.read_word());
    if (rays_) {
      rays_->restore(in);
    }
  }

  bool is_convex_;
  bool is_contextual_;
  Eigen::VectorXd centre_;
  exploration::ExplorationPlanner planner_;
  std::optional<exploration::RayActions> rays_;
  RandomStream thompson_;
  exploration::ExplorationPlan plan_;
  Eigen::VectorXd teacher_;  // offset of the ray to play
  Eigen::MatrixXd offsets_;
  Eigen::VectorXd net_teacher_;
  Draft scratch_;
  Eigen::VectorXd draw_;  // Thompson's parameter
  Eigen::VectorXd z_;
  Eigen::VectorXd image_;
  Eigen::VectorXd lesson_;
  Eigen::MatrixXd product_;
  std::int64_t explorations_ = 0;      // by the value rule
  std::int64_t net_explorations_ = 0;  // by the net
  double planned_round_ = 0.0;         // of the last plan
  double planned_log_det_ = -kInfinity;
  double planned_certified_ = -1.0;
};

}  // namespace

Targeted::Targeted(safety::Problem problem, const PolicyOptions& options)
    : Learner(std::make_unique<TargetedCore>(LearnerSetup(std::move(problem), options))) {}

}  // namespace foothold::policy
