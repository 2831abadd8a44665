#include "shortlist/arm_reach.hpp"

#include <algorithm>
#include <cmath>

#include "foothold/base/rounding.hpp"

namespace foothold::arms {
namespace {

// Widths may be blurred by this share of a typical one: above what double precision loses in many
// changes, below what single precision sees.
constexpr double kBlur = 1e-5;

// Widths shrink faster than the rest moves, and matter only for arms that are refused.
constexpr double kShrinkage = 4.0;

// What the fidelity of a factor leaves open, and the rounding of logarithms.
constexpr double kShare = 1e-5;

}  // namespace

ArmOutlook ArmReach::outlook(const ArmState& state, double latitude) {
  if (!(latitude > 0.0)) {
    return {.radius = state.radius, .largest_radius = state.radius, .can_refuse = state.can_refuse};
  }
  return {.radius = state.radius,
          .largest_radius = (1.0 + latitude) * state.radius,
          .drift = latitude * state.radius,
          .shrinkage = 1.0 / (1.0 + kShrinkage * latitude),
          .blur = kBlur * state.scale,
          .can_refuse = state.can_refuse};
}

void ArmReach::begin(const ArmState& state, double latitude) {
  start_ = state;
  latitude_ = latitude;
  growth_ = 0.0;
  log_shrinkage_ = 0.0;
}

// A⁻¹ loses VVᵀ and a remainder. Since (vᵀz)² ≤ vᵀAv·zᵀA⁻¹z, ‖z‖²_{A⁻¹} loses no more than the
// share Σvᵀ_jAv_j of itself, but for the remainder; and but for that it does not grow.
bool ArmReach::follows(const ArmState& from, const ArmChange& change) {
  if (change.V == nullptr) {
    return false;
  }
  growth_ += change.remainder;
  if (!start_.can_refuse) {
    return true;  // widths may shrink as they like: nothing rests on it
  }
  double share = 0.0;
  const auto d = static_cast<double>(product_.size());
  for (Eigen::Index j = 0; j < change.rank; ++j) {
    const auto v = change.V->col(j);
    product_.noalias() = from.gram * v;
    share += (1.0 + kShare) * v.dot(product_) +
             4.0 * (d + 2.0) * rounding::kUnit * from.gram.trace() * v.squaredNorm();
  }
  log_shrinkage_ -= 0.5 * (1.0 + kShare) * std::log1p(-std::min(share, 1.0));
  return share < 1.0;
}

// |Δᵀx| = |hᵀF_s⁻¹x + (Δ − F_s⁻ᵀh)ᵀx| for every h.
bool ArmReach::is_drift_within(const ArmState& to) {
  shift_ = to.mu_hat - start_.mu_hat;
  rotated_.noalias() = start_.factor.triangularView<Eigen::Lower>().transpose() * shift_;
  const double drift = (1.0 + 1e-12) * rotated_.norm();
  shift_.noalias() -= start_.forms.triangularView<Eigen::Upper>() * rotated_;
  return drift <= latitude_ * start_.radius && shift_.norm() <= 0.5 * kBlur * start_.scale;
}

bool ArmReach::is_within(const ArmState& from, const ArmChange& change, const ArmState& to) {
  const double blur = kBlur * start_.scale;
  return follows(from, change) && (to.can_refuse || !start_.can_refuse) &&
         to.radius >= start_.radius && to.radius <= (1.0 + latitude_) * start_.radius &&
         log_shrinkage_ <= std::log1p(kShrinkage * latitude_) && growth_ <= blur * blur &&
         is_drift_within(to);
}

}  // namespace foothold::arms
