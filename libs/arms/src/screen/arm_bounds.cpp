#include "screen/arm_bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "screen/factor_fidelity.hpp"

namespace foothold::arms {
namespace {

// Square roots, products and sums of one bound: a few roundings. √s as s times Eigen's inverse root
// errs by 3.6 units at most (measured from 1e-29 to 1e12, with AVX2 and AVX-512).
constexpr double kBoundShare = 16.0 * kSingleUnit;

}  // namespace

void ArmBounds::resize(Eigen::Index count) {
  count_ = count;
  const Eigen::Index tiles = (count + kTile - 1) / kTile;
  lows_.assign(static_cast<std::size_t>(tiles * kTile), kFloatInfinity);
  tile_lows_.assign(static_cast<std::size_t>(tiles), kFloatInfinity);
}

// What all arms have in common, with the roundings of `bound`.
void ArmBounds::begin(const ArmOutlook& outlook, const safety::SafetyRule& rule, Eigen::Index dim,
                      double allowance) {
  const auto raised = [](double value) {
    return static_cast<float>(value * (1.0 + 4.0 * kSingleUnit));
  };
  const auto lowered = [](double value) {
    return static_cast<float>(value * (1.0 - 4.0 * kSingleUnit));
  };
  // κ: the certificate's bound lies between these two multiples of the width.
  const double least = safety::caution_factor(safety::inner_caution(rule.caution), dim);
  const double most = safety::caution_factor(safety::outer_caution(rule.caution), dim);
  const double reach = outlook.largest_radius + outlook.drift;
  largest_reach_ = most * reach;
  blur_ = outlook.blur;
  reach_ = raised(reach * (1.0 + kBoundShare));
  radius_ = lowered(outlook.radius * (1.0 - kBoundShare));
  drift_ = raised(outlook.drift * (1.0 + kBoundShare));
  caution_ = lowered(least * outlook.radius * outlook.shrinkage *
                     (1.0 - kBoundShare - FactorFidelity::kFidelity));
  sure_caution_ =
      raised(most * outlook.radius * (1.0 + kBoundShare + 2.0 * FactorFidelity::kFidelity));
  can_refuse_ = outlook.can_refuse;
  const bool counts_prior = rule.certified == safety::CertifiedSet::Union;
  sure_prior_ = counts_prior ? arm_prior::kUndecided : arm_prior::kCertified;
  open_prior_ = counts_prior ? arm_prior::kUndecided : arm_prior::kProved;
  best_sure_ = kFloatInfinity;
  allowance_ = static_cast<float>(1.001 * allowance);
  dim_ = dim;
}

void ArmBounds::begin_slice(const std::vector<ArmGroup>& groups,
                            const std::vector<ArmPrecision>& precision, double mu_norm) {
  limits_.resize(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const ArmGroup& group = groups[g];
    const double error = precision[g].square_error(dim_);
    const double width = std::sqrt(precision[g].largest + error);
    const double slack =
        precision[g].linear + (1.0 + largest_reach_) * blur_ * group.length +
        kBoundShare * (mu_norm * group.length + largest_reach_ * width + std::abs(group.room));
    Limits& limits = limits_[g];
    limits.pad = static_cast<float>(error * (1.0 + 4.0 * kSingleUnit));
    limits.slack = static_cast<float>(slack);
    limits.limit = static_cast<float>(group.room + slack);
    limits.sure_limit = static_cast<float>(group.room - slack);
  }
}

namespace {

// Registers of arms. Arrays of Eigen would do for the arithmetic, but not for comparisons and the
// smallest entry.
using Packet = Eigen::internal::packet_traits<float>::type;
using Eigen::internal::padd;
using Eigen::internal::pand;
using Eigen::internal::pcmp_le;
using Eigen::internal::pcmp_lt;
using Eigen::internal::pmin;
using Eigen::internal::pmul;
using Eigen::internal::por;
using Eigen::internal::pselect;
using Eigen::internal::psub;

Packet all(float value) {
  return Eigen::internal::pset1<Packet>(value);
}
Packet load(const float* values) {
  return Eigen::internal::ploadu<Packet>(values);
}

// √(s + pad) ≤ high and √(s − pad) ≥ low from one inverse square root: with t = max(s, pad),
// √(t + pad) ≤ √t + pad/(2√t) and √(t − pad) ≥ √t − pad/√t.
struct Widths {
  Widths(const float* squares, float pad) {
    const Packet at_least = Eigen::internal::pmax(load(squares), all(pad));
    const Packet inverse = Eigen::internal::prsqrt(at_least);
    const Packet root = pmul(at_least, inverse);
    const Packet part = pmul(all(pad), inverse);
    high = padd(root, pmul(all(0.5F), part));
    low = psub(root, part);
  }

  Packet high;
  Packet low;
};

}  // namespace

// Rules out of a tile what cannot be certified, whatever its loss, which is at least that of
// `low_losses`; and of the losses that are at most `high_losses` those of arms not certain to be
// certified.
void ArmBounds::bound_safety(const std::vector<ArmGroup>& groups, Eigen::Index tile,
                             const float* low_losses, const float* high_losses) {
  const Packet never = all(kFloatInfinity);
  Packet best = never;
  Packet least_low = never;
  for (Eigen::Index i = tile * kTile; i < (tile + 1) * kTile; i += lanes::kWidth<float>) {
    Packet low = load(low_losses + i - tile * kTile);
    Packet sure = pselect(pcmp_lt(low, never), load(high_losses + i - tile * kTile), never);
    for (std::size_t g = 1; g < groups.size(); ++g) {
      const ArmGroup& group = groups[g];
      const Limits& limits = limits_[g];
      const Packet estimate = load(group.linear.data() + i);
      const Packet prior = load(group.prior.data() + i);
      const Widths widths(group.square.data() + i, limits.pad);
      if (can_refuse_) {
        const Packet least =
            padd(psub(estimate, pmul(all(drift_), widths.high)), pmul(all(caution_), widths.low));
        low = pselect(pand(pcmp_lt(all(open_prior_), prior), pcmp_lt(all(limits.limit), least)),
                      never, low);
      }
      const Packet most = padd(estimate, pmul(all(sure_caution_), widths.high));
      sure = pselect(por(pcmp_lt(prior, all(sure_prior_)), pcmp_le(most, all(limits.sure_limit))),
                     sure, never);
    }
    Eigen::internal::pstoreu(lows_.data() + i, low);
    best = pmin(best, sure);
    least_low = pmin(least_low, low);
  }
  best_sure_ = std::min(best_sure_, Eigen::internal::predux_min(best));
  tile_lows_[static_cast<std::size_t>(tile)] = Eigen::internal::predux_min(least_low);
}

void ArmBounds::bound(const std::vector<ArmGroup>& groups, Eigen::Index tile) {
  const Eigen::Index first = tile * kTile;
  const Limits& limits = limits_.front();
  const ArmGroup& own = groups.front();
  alignas(64) std::array<float, kTile> low_losses{};
  alignas(64) std::array<float, kTile> high_losses{};
  Packet least = all(kFloatInfinity);
  for (Eigen::Index i = 0; i < kTile; i += lanes::kWidth<float>) {
    const Packet estimate = load(own.linear.data() + first + i);
    const Widths widths(own.square.data() + first + i, limits.pad);
    const Packet low = psub(psub(estimate, pmul(all(reach_), widths.high)), all(limits.slack));
    const Packet high = padd(psub(estimate, pmul(all(radius_), widths.low)), all(limits.slack));
    Eigen::internal::pstoreu(low_losses.data() + i, low);
    Eigen::internal::pstoreu(high_losses.data() + i, high);
    least = pmin(least, low);
  }
  for (Eigen::Index i = count_ - first; i < kTile; ++i) {
    low_losses[static_cast<std::size_t>(i)] = kFloatInfinity;  // fills up the last tile: no arm
  }
  const float margin = allowance_ + static_cast<float>(kBoundShare) * std::abs(best_sure_);
  if (Eigen::internal::predux_min(least) > best_sure_ + margin) {
    // Of a tile passed over, only that nothing in it counts is known, and only that is needed.
    tile_lows_[static_cast<std::size_t>(tile)] = kFloatInfinity;
  } else {
    bound_safety(groups, tile, low_losses.data(), high_losses.data());
  }
}

void ArmBounds::collect(double limit, std::size_t most, std::vector<Eigen::Index>& rows) const {
  rows.clear();
  for (std::size_t tile = 0; tile < tile_lows_.size(); ++tile) {
    if (static_cast<double>(tile_lows_[tile]) > limit) {
      continue;
    }
    const auto first = static_cast<Eigen::Index>(tile) * kTile;
    for (Eigen::Index i = first; i < std::min(first + kTile, count_); ++i) {
      const float low = lows_[static_cast<std::size_t>(i)];
      if (low < kFloatInfinity && !(static_cast<double>(low) > limit)) {
        rows.push_back(i);
      }
    }
    if (rows.size() > most) {
      return;
    }
  }
}

}  // namespace foothold::arms
