#include "tracked_arms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "foothold/base/infinity.hpp"
#include "foothold/base/rounding.hpp"

#include "arm_screen.hpp"

namespace foothold::selection {
namespace {

constexpr double kUnit = 0x1p-24;  // u of binary32
constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();

// Far enough from the ends of the range that squares and sums stay inside.
constexpr double kLeastNorm = 1e-8;
constexpr double kLargestNorm = 1e8;
// What underflow can add to a square: far below every other error for norms as above.
constexpr double kUnderflow = 1e-30;

// Square roots, products and sums of one bound: a few roundings; Eigen's vectorised square root
// errs by two units or so.
constexpr double kBoundShare = 16.0 * kUnit;

// γ for a form of d terms, with the roundings of coefficients and arms.
double form_share(Eigen::Index dim) {
  return 1.01 * (static_cast<double>(dim) + 6.0) * kUnit;
}

}  // namespace

TrackedArms::TrackedArms(const safety::Problem& problem, const safety::SafetyRule& rule,
                         const Eigen::MatrixXd& features)
    : problem_(&problem),
      features_(&features),
      rule_(rule),
      count_(features.rows()),
      images_(features.cols(), features.cols()) {
  const Eigen::VectorXd centre = problem.centre();
  norm_ = features.rowwise().norm().maxCoeff() * (1.0 + 1e-9);
  groups_.resize(1 + problem.constraints.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    group.centre.setZero(features.cols());
    group.length = norm_;
    if (g > 0) {
      group.matrix = &problem.constraints[g - 1].matrix;
      group.centre = *group.matrix * centre;
      group.length = group.matrix->norm() * (norm_ + centre.norm()) * (1.0 + 1e-9);
      group.room = problem.room(g - 1);
    }
    is_usable_ = group.length <= kLargestNorm && std::abs(group.room) <= kLargestNorm;
    group.forms.linear.setZero(features.cols());
    group.forms.forms.setZero(features.cols(), features.cols());
    group.forms.offsets.setZero(features.cols());
    if (!is_usable_) {
      return;
    }
  }
  is_usable_ = norm_ >= kLeastNorm;
  if (is_usable_) {
    fill_tiles();
    fill_prior();
  }
}

void TrackedArms::fill_tiles() {
  const Eigen::MatrixXd& features = *features_;
  const Eigen::Index d = features.cols();
  const Eigen::Index tiles = (count_ + kTile - 1) / kTile;
  entries_.assign(static_cast<std::size_t>(tiles * kTile * d), 0.0F);
  for (Eigen::Index tile = 0; tile < tiles; ++tile) {
    const Eigen::Index first = tile * kTile;
    const Eigen::Index size = std::min(kTile, count_ - first);
    Eigen::Map<Eigen::MatrixXf> block(entries_.data() + first * d, kTile, d);
    block.topRows(size) = features.middleRows(first, size).cast<float>();
  }
  const auto room = static_cast<std::size_t>(tiles * kTile);
  lows_.assign(room, kFloatInfinity);
  tile_lows_.assign(static_cast<std::size_t>(tiles), kFloatInfinity);
  for (Group& group : groups_) {
    group.linear.assign(room, 0.0F);
    group.square.assign(room, 0.0F);
  }
}

// The certificate's S‖z‖ ≤ m, decided here up to far more than its rounding.
void TrackedArms::fill_prior() {
  const Eigen::MatrixXd& features = *features_;
  constexpr double kMargin = 1e-9;
  const double S = problem_->assumptions.norm_bound;
  const bool counts = rule_.certified == safety::CertifiedSet::Union;
  Eigen::VectorXd z(features.cols());
  for (std::size_t g = 1; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    group.prior.assign(lows_.size(), 1.0F);
    const double blur = kMargin * (S * group.length + std::abs(group.room));
    for (Eigen::Index i = 0; counts && i < count_; ++i) {
      z.noalias() = *group.matrix * features.row(i).transpose();
      const double bound = S * (z - group.centre).norm();
      group.prior[static_cast<std::size_t>(i)] =
          bound <= group.room - blur ? -1.0F : (bound > group.room + blur ? 1.0F : 0.0F);
    }
  }
}

void TrackedArms::set_proved(const std::vector<bool>& proved) {
  bool has_lost_one = false;  // after a return to an earlier state
  for (std::size_t i = 0; i < proved_.size(); ++i) {
    has_lost_one = has_lost_one || (proved_[i] && (proved.empty() || !proved[i]));
  }
  if (has_lost_one) {
    fill_prior();
  }
  proved_ = proved;
  for (std::size_t i = 0; i < proved.size(); ++i) {
    for (std::size_t g = 1; proved[i] && g < groups_.size(); ++g) {
      groups_[g].prior[i] = -1.0F;
    }
  }
}

// Forms on x or z from vectors aᵢ, and what a pass with them adds to the errors: a form errs by
// γ(‖Bᵀa‖r + |aᵀBx₀|) ≥ γ|aᵀz|, a sum of squares by twice that times its terms, and roundings.
void TrackedArms::plan(Group& group, const Eigen::MatrixXd& vectors, Eigen::Index count,
                       const Eigen::VectorXd& linear) {
  ArmForms<float>& forms = group.forms;
  const double share = form_share(linear.size());
  double squares = 0.0;
  for (Eigen::Index j = 0; j < count; ++j) {
    if (group.matrix == nullptr) {
      images_.col(j) = vectors.col(j);
    } else {
      images_.col(j).noalias() = group.matrix->transpose() * vectors.col(j);
    }
    const double offset = vectors.col(j).dot(group.centre);
    const double size = images_.col(j).norm() * norm_ + std::abs(offset);
    squares += size * size;
    forms.forms.col(j) = images_.col(j).cast<float>();
    forms.offsets(j) = static_cast<float>(offset);
  }
  forms.count = count;
  if (group.matrix == nullptr) {
    images_.col(0) = linear;
  } else {
    images_.col(0).noalias() = group.matrix->transpose() * linear;
  }
  const double offset = linear.dot(group.centre);
  const double size = images_.col(0).norm() * norm_ + std::abs(offset);
  forms.linear = images_.col(0).cast<float>();
  forms.linear_offset = static_cast<float>(offset);
  group.linear_error += share * size + kUnit * mu_norm_ * group.length;
  const double terms = static_cast<double>(count) + 4.0;
  const double largest = inverse_norm_ * group.length;
  group.square_error += (2.0 * share + share * share + 2.0 * terms * kUnit) * squares +
                        kUnit * largest * largest + kUnderflow;
}

void TrackedArms::plan_refresh(const Eigen::MatrixXd& forms, const Eigen::VectorXd& mu_hat) {
  plan_ = Plan::Refresh;
  mu_norm_ = mu_hat.norm();
  inverse_norm_ = forms.norm();
  for (Group& group : groups_) {
    group.linear_error = 0.0;
    group.square_error = 0.0;
    plan(group, forms, forms.cols(), mu_hat);
  }
  groups_.front().forms.is_triangular = true;
}

void TrackedArms::plan_update(const Eigen::MatrixXd& V, Eigen::Index rank, double remainder,
                              const Eigen::VectorXd& mu_hat, const Eigen::VectorXd& change) {
  plan_ = Plan::Update;
  mu_norm_ = std::max(mu_norm_, mu_hat.norm());
  for (Group& group : groups_) {
    plan(group, V, rank, change);
    group.square_error += remainder * group.length * group.length;
    group.forms.is_triangular = false;
  }
}

void TrackedArms::follow_plan(Group& group, Eigen::Index tile) const {
  const Eigen::Index first = tile * kTile;
  alignas(64) float linear[kTile];
  alignas(64) float square[kTile];
  lanes::evaluate_tile<float, lanes::kSide>(entries_.data() + first * group.forms.linear.size(),
                                            kTile, group.forms, linear, square);
  Eigen::Map<Tile> estimates(group.linear.data() + first);
  Eigen::Map<Tile> squares(group.square.data() + first);
  if (plan_ == Plan::Refresh) {
    estimates = Eigen::Map<const Tile>(linear);
    squares = Eigen::Map<const Tile>(square);
  } else {
    estimates += Eigen::Map<const Tile>(linear);
    squares -= Eigen::Map<const Tile>(square);
  }
}

// Everything that all arms have in common, with the roundings of `bound_tile`.
void TrackedArms::prepare(const ArmOutlook& outlook) {
  const auto raised = [](double value) { return static_cast<float>(value * (1.0 + 4.0 * kUnit)); };
  const auto lowered = [](double value) { return static_cast<float>(value * (1.0 - 4.0 * kUnit)); };
  const double reach = outlook.largest_radius + outlook.drift;
  const Group& own = groups_.front();
  reach_ = raised(reach * (1.0 + kBoundShare));
  radius_ = lowered(outlook.radius * (1.0 - kBoundShare));
  drift_ = raised(outlook.drift * (1.0 + kBoundShare));
  // κ: the certificate's bound lies between these two multiples of the width.
  const double root_d = std::sqrt(static_cast<double>(own.forms.linear.size()));
  const double least = rule_.caution == safety::Caution::L1Paper ? root_d : 1.0;
  const double most = rule_.caution == safety::Caution::Ellipsoid ? 1.0 : root_d;
  caution_ = lowered(least * outlook.radius * outlook.shrinkage *
                     (1.0 - kBoundShare - FactorFidelity::kFidelity));
  sure_caution_ =
      raised(most * outlook.radius * (1.0 + kBoundShare + 2.0 * FactorFidelity::kFidelity));
  can_refuse_ = outlook.can_refuse;
  best_sure_ = kFloatInfinity;
  loss_slack_ = raised(own.linear_error + (1.0 + reach) * outlook.blur * own.length +
                       kBoundShare * own.length * (mu_norm_ + reach * inverse_norm_));
  for (Group& group : groups_) {
    group.pad = raised(group.square_error);
    const double slack =
        group.linear_error + (1.0 + most * reach) * outlook.blur * group.length +
        kBoundShare * (group.length * (mu_norm_ + most * reach * inverse_norm_) +
                       std::abs(group.room));
    group.limit = static_cast<float>(group.room + slack);
    group.sure_limit = static_cast<float>(group.room - slack);
  }
}

void TrackedArms::bound_tile(Eigen::Index tile) {
  const Eigen::Index first = tile * kTile;
  const auto at = [first](std::vector<float>& values) {
    return Eigen::Map<Tile>(values.data() + first);
  };
  Group& own = groups_.front();
  Tile low = at(own.linear) - reach_ * (at(own.square) + own.pad).max(0.0F).sqrt();
  Tile high = at(own.linear) - radius_ * (at(own.square) - own.pad).max(0.0F).sqrt();
  for (std::size_t g = 1; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    const Tile widest = (at(group.square) + group.pad).max(0.0F).sqrt();
    const Tile narrowest = (at(group.square) - group.pad).max(0.0F).sqrt();
    const Tile least = at(group.linear) - drift_ * widest + caution_ * narrowest;
    const Tile most = at(group.linear) + sure_caution_ * widest;
    const auto prior = at(group.prior);
    if (can_refuse_) {
      low = (prior > 0.0F && least > group.limit).select(kFloatInfinity, low);
    }
    high = (prior < 0.0F || most <= group.sure_limit).select(high, kFloatInfinity);
  }
  const Eigen::Index size = std::min(kTile, count_ - first);
  if (size < kTile) {
    low.tail(kTile - size) = kFloatInfinity;
    high.tail(kTile - size) = kFloatInfinity;
  }
  at(lows_) = low;
  tile_lows_[static_cast<std::size_t>(tile)] = low.minCoeff();
  best_sure_ = std::min(best_sure_, high.minCoeff());
}

double TrackedArms::sweep(const ArmOutlook& outlook) {
  prepare(outlook);
  const auto tiles = static_cast<Eigen::Index>(tile_lows_.size());
  for (Eigen::Index tile = 0; tile < tiles; ++tile) {
    if (plan_ != Plan::None) {
      for (Group& group : groups_) {
        follow_plan(group, tile);
      }
    }
    bound_tile(tile);
  }
  plan_ = Plan::None;
  return static_cast<double>(best_sure_) + static_cast<double>(loss_slack_);
}

void TrackedArms::collect(double limit, std::size_t most, std::vector<Eigen::Index>& rows) const {
  rows.clear();
  const double bound = limit + static_cast<double>(loss_slack_);
  for (std::size_t tile = 0; tile < tile_lows_.size(); ++tile) {
    if (static_cast<double>(tile_lows_[tile]) > bound) {
      continue;
    }
    const auto first = static_cast<Eigen::Index>(tile) * kTile;
    for (Eigen::Index i = first; i < std::min(first + kTile, count_); ++i) {
      const float low = lows_[static_cast<std::size_t>(i)];
      if (low < kFloatInfinity && !(static_cast<double>(low) > bound)) {
        rows.push_back(i);
      }
    }
    if (rows.size() > most) {
      return;
    }
  }
}

}  // namespace foothold::selection
