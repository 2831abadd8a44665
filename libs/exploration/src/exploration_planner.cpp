#include "foothold/exploration/exploration_planner.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "foothold/base/infinity.hpp"

namespace foothold::exploration {
namespace {

// Simulated plays come in batches of a fifth of those so far: the teachers change slowly.
constexpr double kBatchGrowth = 0.2;

// A certification this likely will not become more so in any way that matters.
constexpr double kAlmostSure = 0.999;

safety::SafetyRule with_outer_caution(safety::SafetyRule rule) {
  rule.caution = safety::outer_caution(rule.caution);
  return rule;
}

}  // namespace

ExplorationPlanner::ExplorationPlanner(const safety::Problem& problem,
                                       const safety::SafetyRule& rule, bool are_rays)
    : problem_(&problem),
      are_rays_(are_rays),
      safe_set_(problem, with_outer_caution(rule)),
      centre_(problem.centre()),
      directions_(problem.constraints.size()) {}

// ‖z‖²_M.
double ExplorationPlanner::square(const Eigen::MatrixXd& M,
                                  const Eigen::Ref<const Eigen::VectorXd>& z) {
  image_.noalias() = M * z;
  return std::max(0.0, z.dot(image_));
}

// sd(z)² = R²‖z‖²_{A⁻¹} + λ²S²‖A⁻¹z‖²/d: the noise of the estimate and the shrinking by the ridge.
double ExplorationPlanner::deviation(const Eigen::Ref<const Eigen::VectorXd>& z) {
  const estimation::Assumptions& assumptions = problem_->assumptions;
  const double noise =
      assumptions.noise_scale * assumptions.noise_scale * square(inverse_start_, z);
  const double bias = *assumptions.ridge * assumptions.norm_bound;
  return std::sqrt(noise + bias * bias * image_.squaredNorm() / static_cast<double>(z.size()));
}

void ExplorationPlanner::begin(const estimation::ConfidenceRegion& region,
                               const Eigen::Ref<const Eigen::MatrixXd>& offsets,
                               const Eigen::Ref<const Eigen::VectorXd>& exploit,
                               const PlanTerms& terms) {
  const auto constraints = static_cast<Eigen::Index>(directions_.size());
  const Eigen::Index columns = offsets.cols();
  terms_ = terms;
  mu_hat_ = region.mu_hat();
  safe_set_.update(region);
  loss_reach_ = safety::caution_factor(safe_set_.rule().caution, region.dim()) * region.radius();
  inverse_start_.noalias() = region.factor_inverse().transpose() * region.factor_inverse();
  inverse_ = inverse_start_;
  offsets_ = offsets;
  losses_.noalias() = offsets_.transpose() * mu_hat_;
  estimates_.resize(constraints, columns);
  prior_.resize(constraints, columns);
  width_start_.resize(constraints, columns);
  deviation_start_.resize(constraints, columns);
  for (Eigen::Index k = 0; k < constraints; ++k) {
    const auto constraint = static_cast<std::size_t>(k);
    Eigen::MatrixXd& z = directions_[constraint];
    z.noalias() = safe_set_.matrix(constraint) * offsets_;
    for (Eigen::Index j = 0; j < columns; ++j) {
      estimates_(k, j) = safe_set_.value(constraint, z.col(j));
      prior_(k, j) = safe_set_.prior_bound(constraint, z.col(j));
      width_start_(k, j) = std::sqrt(square(inverse_start_, z.col(j)));
      deviation_start_(k, j) = deviation(z.col(j));
    }
  }
  scales_.resize(columns);
  for (Eigen::Index j = 0; j < columns; ++j) {
    scales_(j) = scale_of(j);
  }
  scales_now_ = scales_;
  find_exploit(exploit);
}

// Arms mix the two kinds of bounds per constraint, rays do not: the certified set of a convex
// problem is the union of two convex sets.
double ExplorationPlanner::admitted_bound(double region, double prior) const {
  return !are_rays_ && safe_set_.counts_prior() ? std::min(region, prior) : region;
}

// An arm is certified as a whole or not at all.
double ExplorationPlanner::certified_scale(const safety::RayScale& scale) const {
  if (are_rays_) {
    return scale.best();
  }
  return scale.by_region < 1.0 ? 0.0 : 1.0;
}

// α of a column in the simulated future: by the region, or by what is known without data.
double ExplorationPlanner::scale_of(Eigen::Index column) {
  safety::RayScale scale = safe_set_.whole_ray();
  for (std::size_t k = 0; k < directions_.size(); ++k) {
    const auto z = directions_[k].col(column);
    const auto row = static_cast<Eigen::Index>(k);
    const double width = std::sqrt(square(inverse_, z));
    const double region = safe_set_.upper_bound(k, estimates_(row, column), width);
    const double prior = prior_(row, column);
    safe_set_.shorten(scale, k, admitted_bound(region, prior), prior);
  }
  return certified_scale(scale);
}

void ExplorationPlanner::find_exploit(const Eigen::Ref<const Eigen::VectorXd>& exploit) {
  exploit_arm_ = -1;
  best_pessimistic_ = kInfinity;
  if (are_rays_) {
    exploit_ = exploit;
    exploit_loss_ = mu_hat_.dot(exploit_);
    best_pessimistic_ = exploit_loss_ + loss_reach_ * std::sqrt(square(inverse_start_, exploit_));
    return;
  }
  exploit_loss_ = kInfinity;
  for (Eigen::Index j = 0; j < offsets_.cols(); ++j) {
    if (scales_(j) < 1.0) {
      continue;
    }
    const double width = std::sqrt(square(inverse_start_, offsets_.col(j)));
    best_pessimistic_ = std::min(best_pessimistic_, losses_(j) + loss_reach_ * width);
    if (losses_(j) < exploit_loss_) {
      exploit_loss_ = losses_(j);
      exploit_arm_ = j;
    }
  }
  if (exploit_arm_ >= 0) {
    exploit_ = offsets_.col(exploit_arm_);
  }
}

void ExplorationPlanner::grant(Eigen::Index arm) {
  scales_(arm) = 1.0;
  find_exploit(exploit_);
}

// g = m_E − μ̂ᵀy + k_t sd(y − x_E) for y at a scale.
double ExplorationPlanner::gain(Eigen::Index target, double scale) {
  scratch_ = scale * offsets_.col(target) - exploit_;
  return exploit_loss_ - scale * losses_(target) + terms_.weight * deviation(scratch_);
}

// Proved unsafe, or no better than what is certified even with luck: not worth a look.
bool ExplorationPlanner::is_worth_a_look(Eigen::Index target) {
  if (!(scales_(target) < 1.0)) {
    return false;
  }
  for (std::size_t k = 0; k < directions_.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    const double least =
        safe_set_.lower_bound(k, estimates_(row, target), width_start_(row, target));
    if (!are_rays_ && least > safe_set_.room(k)) {
      return false;
    }
  }
  const auto u = offsets_.col(target);
  const double width = std::sqrt(square(inverse_start_, u));
  return losses_(target) - loss_reach_ * width < best_pessimistic_;
}

// How far a target would be certified, if the estimate moves the way we hope while its width
// shrinks:
//
//     μ̂ᵀz − k_t sd(z)√(1 − w²/w₀²) + βw ≤ m.
//
// The root matters: what has not been measured cannot have moved. Without it the rule credits
// gains that cannot come and explores for ever.
ExplorationPlanner::Outlook ExplorationPlanner::outlook(Eigen::Index target) {
  Outlook result;
  safety::RayScale scale = safe_set_.whole_ray();
  double worst = -kInfinity;
  for (std::size_t k = 0; k < directions_.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    const auto z = directions_[k].col(target);
    const double start = width_start_(row, target);
    const double width = std::min(start, std::sqrt(square(inverse_, z)));
    const double measured = start > 0.0 ? 1.0 - (width / start) * (width / start) : 0.0;
    const double hope = terms_.weight * deviation_start_(row, target) * std::sqrt(measured);
    const double prior = prior_(row, target);
    const double hoped = safe_set_.upper_bound(k, estimates_(row, target) - hope, width);
    const double bound = admitted_bound(hoped, prior);
    safe_set_.shorten(scale, k, bound, prior);
    const double share = bound / safe_set_.room(k);
    if (share > worst) {
      worst = share;
      result.blocking = row;
    }
  }
  result.scale = certified_scale(scale);
  return result;
}

Eigen::Index ExplorationPlanner::choose_teacher(const Eigen::Ref<const Eigen::VectorXd>& z,
                                                double gain) {
  lesson_.noalias() = inverse_ * z;
  Eigen::Index best = -1;
  double best_score = 0.0;
  for (Eigen::Index j = 0; j < offsets_.cols(); ++j) {
    const double scale = scales_now_(j);
    if (!(scale > 0.0)) {
      continue;
    }
    // The action is x₀ + αu, and what is learned about is x, not u.
    scratch_ = centre_ + scale * offsets_.col(j);
    const double cross = scratch_.dot(lesson_);
    const double width_sq = square(inverse_, scratch_);
    const double regret = std::max(0.0, scale * losses_(j) - exploit_loss_);
    const double price = std::isfinite(gain) ? regret + gain : 1.0;
    const double score = cross * cross / (1.0 + width_sq) / price;
    if (score > best_score) {
      best_score = score;
      best = j;
    }
  }
  return best;
}

Eigen::Index ExplorationPlanner::best_teacher(const Eigen::Ref<const Eigen::VectorXd>& z) {
  inverse_ = inverse_start_;
  scales_now_ = scales_;
  return choose_teacher(z, kInfinity);
}

// A ← A + count·x xᵀ in the simulated future.
void ExplorationPlanner::play(Eigen::Index teacher, double count) {
  scratch_ = centre_ + scales_now_(teacher) * offsets_.col(teacher);
  const double width_sq = square(inverse_, scratch_);
  inverse_.noalias() -= (count / (1.0 + count * width_sq)) * image_ * image_.transpose();
  if (are_rays_) {
    for (Eigen::Index j = 0; j < offsets_.cols(); ++j) {
      scales_now_(j) = std::max(scales_now_(j), scale_of(j));
    }
  }
}

// The probability that the target will be certified at the present point of the simulated future:
// by then the estimate of μᵀz will have moved by a normal variable of variance sd²(1 − w²/w₀²), and
// it must come to lie βw below the room. Constraints are not independent: the least likely decides.
double ExplorationPlanner::chance(Eigen::Index target) {
  double least = 1.0;
  for (std::size_t k = 0; k < directions_.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    if (safe_set_.counts_prior() && prior_(row, target) <= safe_set_.room(k)) {
      continue;
    }
    const double start = width_start_(row, target);
    const double width = std::min(start, std::sqrt(square(inverse_, directions_[k].col(target))));
    const double moved = deviation_start_(row, target) *
                         std::sqrt(std::max(0.0, 1.0 - (width / start) * (width / start)));
    const double margin = safe_set_.margin(k, estimates_(row, target), width);
    const double odds = moved > 0.0 ? margin / moved : (margin >= 0.0 ? kInfinity : -kInfinity);
    least = std::min(least, 0.5 * std::erfc(-odds / std::numbers::sqrt2));
  }
  return least;
}

// What the present point of the simulated future has brought.
ExplorationPlanner::Prospect ExplorationPlanner::prospect(Eigen::Index target,
                                                          const Promise& promise) {
  const Outlook now = outlook(target);
  if (are_rays_) {
    return {.gained = gain(target, now.scale) - promise.free,
            .blocking = now.blocking,
            .is_progress = now.scale > scales_(target),
            .is_settled = !(now.scale < 1.0)};
  }
  const double odds = chance(target);
  return {.gained = odds * promise.full,
          .blocking = now.blocking,
          .is_progress = true,
          .is_settled = odds > kAlmostSure};
}

// Plays one batch of the best teacher of z; false if nothing certified teaches about it.
bool ExplorationPlanner::teach(const Eigen::Ref<const Eigen::VectorXd>& z, double gain,
                               Spending& spent) {
  const Eigen::Index teacher = choose_teacher(z, gain);
  if (teacher < 0) {
    return false;
  }
  if (spent.first_teacher < 0) {
    spent.first_teacher = teacher;
  }
  const double regret = std::max(0.0, scales_now_(teacher) * losses_(teacher) - exploit_loss_);
  const double count = std::max(1.0, std::floor(kBatchGrowth * spent.plays));
  play(teacher, count);
  spent.plays += count;
  spent.cost += count * regret;
  return true;
}

ExplorationPlan ExplorationPlanner::evaluate(Eigen::Index target, double at_least) {
  inverse_ = inverse_start_;
  scales_now_ = scales_;
  ExplorationPlan best{.value = at_least};
  Promise promise{.full = gain(target, 1.0)};
  if (!(promise.full > 0.0)) {
    return best;
  }
  if (are_rays_) {
    promise.free = std::max(0.0, gain(target, scales_(target)));
  }
  Spending spent;
  while (spent.plays < terms_.remaining) {
    const Prospect now = prospect(target, promise);
    const double rest = terms_.remaining - spent.plays;
    const double value = now.gained * rest - spent.cost;
    if (spent.first_teacher >= 0 && now.is_progress && value > best.value) {
      best = {.target = target,
              .teacher = spent.first_teacher,
              .value = value,
              .plays = spent.plays,
              .cost = spent.cost};
    }
    const double most = (promise.full - promise.free) * rest - spent.cost;
    const auto z = directions_[static_cast<std::size_t>(now.blocking)].col(target);
    if (now.is_settled || most <= best.value || !teach(z, promise.full, spent)) {
      break;  // done, or nothing better can come
    }
  }
  return best;
}

ExplorationPlan ExplorationPlanner::best(Eigen::Index targets) {
  ExplorationPlan best;
  if (!are_rays_ && exploit_arm_ < 0) {
    return best;
  }
  for (Eigen::Index target = 0; target < targets; ++target) {
    if (is_worth_a_look(target)) {
      const ExplorationPlan plan = evaluate(target, best.value);
      if (plan.target >= 0) {
        best = plan;
      }
    }
  }
  return best;
}

}  // namespace foothold::exploration
