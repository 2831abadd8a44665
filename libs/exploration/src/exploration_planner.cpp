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

}  // namespace

ExplorationPlanner::ExplorationPlanner(const safety::Problem& problem,
                                       const safety::SafetyRule& rule, bool are_rays)
    : problem_(&problem),
      are_rays_(are_rays),
      has_prior_(rule.certified == safety::CertifiedSet::Union),
      factor_(safety::caution_factor(rule.caution, problem.dim())),
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
  radius_ = factor_ * region.radius();
  inverse_start_.noalias() = region.factor_inverse().transpose() * region.factor_inverse();
  inverse_ = inverse_start_;
  offsets_ = offsets;
  losses_.noalias() = offsets_.transpose() * mu_hat_;
  estimates_.resize(constraints, columns);
  prior_.resize(constraints, columns);
  width_start_.resize(constraints, columns);
  deviation_start_.resize(constraints, columns);
  for (Eigen::Index k = 0; k < constraints; ++k) {
    Eigen::MatrixXd& z = directions_[static_cast<std::size_t>(k)];
    z.noalias() = problem_->constraints[static_cast<std::size_t>(k)].matrix * offsets_;
    for (Eigen::Index j = 0; j < columns; ++j) {
      estimates_(k, j) = mu_hat_.dot(z.col(j));
      prior_(k, j) = problem_->assumptions.norm_bound * z.col(j).norm();
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

// α of a column in the simulated future: by the region, or by what is known without data.
double ExplorationPlanner::scale_of(Eigen::Index column) {
  double by_region = 1.0;
  double by_prior = has_prior_ ? 1.0 : 0.0;
  for (std::size_t k = 0; k < directions_.size(); ++k) {
    const auto z = directions_[k].col(column);
    const auto row = static_cast<Eigen::Index>(k);
    const double room = problem_->room(k);
    const double width = std::sqrt(square(inverse_, z));
    const double region = estimates_(row, column) + radius_ * width;
    const double prior = prior_(row, column);
    // Arms mix the two per constraint, rays do not: the certified set of a convex problem is the
    // union of two convex sets.
    const double bound = !are_rays_ && has_prior_ ? std::min(region, prior) : region;
    by_region = std::min(by_region, bound <= room ? 1.0 : room / bound);
    by_prior = std::min(by_prior, prior <= room ? 1.0 : room / prior);
  }
  if (are_rays_) {
    return std::max(by_region, by_prior);
  }
  return by_region < 1.0 ? 0.0 : 1.0;
}

void ExplorationPlanner::find_exploit(const Eigen::Ref<const Eigen::VectorXd>& exploit) {
  exploit_arm_ = -1;
  best_pessimistic_ = kInfinity;
  if (are_rays_) {
    exploit_ = exploit;
    exploit_loss_ = mu_hat_.dot(exploit_);
    best_pessimistic_ = exploit_loss_ + radius_ * std::sqrt(square(inverse_start_, exploit_));
    return;
  }
  exploit_loss_ = kInfinity;
  for (Eigen::Index j = 0; j < offsets_.cols(); ++j) {
    if (scales_(j) < 1.0) {
      continue;
    }
    const double width = std::sqrt(square(inverse_start_, offsets_.col(j)));
    best_pessimistic_ = std::min(best_pessimistic_, losses_(j) + radius_ * width);
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
    const double least = estimates_(row, target) - radius_ * width_start_(row, target);
    if (!are_rays_ && least > problem_->room(k)) {
      return false;
    }
  }
  const auto u = offsets_.col(target);
  const double width = std::sqrt(square(inverse_start_, u));
  return losses_(target) - radius_ * width < best_pessimistic_;
}

// How far a target would be certified, if the estimate moves the way we hope while its width
// shrinks:
//
//     μ̂ᵀz − k_t sd(z)√(1 − w²/w₀²) + βw ≤ m.
//
// The root matters: what has not been measured cannot have moved. Without it the rule credits
// gains that cannot come and explores for ever.
ExplorationPlanner::Outlook ExplorationPlanner::outlook(Eigen::Index target) {
  Outlook result{.scale = 1.0};
  double by_prior = has_prior_ ? 1.0 : 0.0;
  double worst = -kInfinity;
  for (std::size_t k = 0; k < directions_.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    const auto z = directions_[k].col(target);
    const double room = problem_->room(k);
    const double start = width_start_(row, target);
    const double width = std::min(start, std::sqrt(square(inverse_, z)));
    const double measured = start > 0.0 ? 1.0 - (width / start) * (width / start) : 0.0;
    const double hope = terms_.weight * deviation_start_(row, target) * std::sqrt(measured);
    const double prior = prior_(row, target);
    double bound = estimates_(row, target) - hope + radius_ * width;
    if (!are_rays_ && has_prior_) {
      bound = std::min(bound, prior);
    }
    by_prior = std::min(by_prior, prior <= room ? 1.0 : room / prior);
    result.scale = std::min(result.scale, bound <= room ? 1.0 : room / bound);
    if (bound / room > worst) {
      worst = bound / room;
      result.blocking = row;
    }
  }
  if (are_rays_) {
    result.scale = std::max(result.scale, by_prior);
  } else if (result.scale < 1.0) {
    result.scale = 0.0;
  }
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
    if (has_prior_ && prior_(row, target) <= problem_->room(k)) {
      continue;
    }
    const double start = width_start_(row, target);
    const double width = std::min(start, std::sqrt(square(inverse_, directions_[k].col(target))));
    const double moved = deviation_start_(row, target) *
                         std::sqrt(std::max(0.0, 1.0 - (width / start) * (width / start)));
    const double needed = estimates_(row, target) + radius_ * width - problem_->room(k);
    const double odds = moved > 0.0 ? -needed / moved : (needed <= 0.0 ? kInfinity : -kInfinity);
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
