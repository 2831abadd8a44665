#include "tracked_arms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "foothold/base/infinity.hpp"
#include "foothold/estimation/assumptions.hpp"

#include "arm_screen.hpp"

namespace foothold::selection {
namespace {

constexpr double kSingleUnit = 0x1p-24;  // u of binary32
constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();

// Far enough from the ends of the range that squares and sums stay inside.
constexpr double kLeastNorm = 1e-8;
constexpr double kLargestNorm = 1e8;
// What underflow can add to a square: far below every other error for norms as above.
constexpr double kUnderflow = 1e-30;

// What is known of an arm without data, in this order.
constexpr float kProved = -2.0F;     // certified before, for good
constexpr float kCertified = -1.0F;  // S‖z‖ ≤ m
constexpr float kUndecided = 0.0F;   // too close to call
constexpr float kOpen = 1.0F;        // S‖z‖ > m
constexpr double kPriorMargin = 1e-9;

// Square roots, products and sums of one bound: a few roundings; Eigen's vectorised square root
// errs by two units or so.
constexpr double kBoundShare = 16.0 * kSingleUnit;

// γ for a form of d terms, with the roundings of coefficients and arms.
double form_share(Eigen::Index dim) {
  return 1.01 * (static_cast<double>(dim) + 6.0) * kSingleUnit;
}

}  // namespace

TrackedArms::TrackedArms(const safety::Problem& problem, const Eigen::MatrixXd& features)
    : problem_(&problem), features_(&features), count_(features.rows()), image_(features.cols()) {
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
    group.forms.weights.setZero(features.cols());
    if (!is_usable_) {
      return;
    }
  }
  is_usable_ = norm_ >= kLeastNorm;
  if (is_usable_) {
    inverse_norm_ = std::sqrt(static_cast<double>(features.cols()) / ridge());
    fill_tiles();
    for (Group& group : groups_) {
      fill_group(group);
    }
  }
}

double TrackedArms::ridge() const {
  return estimation::ridge_or_default(problem_->assumptions);
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

// ‖x‖²_{A⁻¹} = ‖x‖²/λ without data; and whether S‖z‖ ≤ m, decided up to far more than the
// certificate's rounding. In double precision, block by block.
void TrackedArms::fill_group(Group& group) {
  constexpr Eigen::Index kBlock = 1024;
  const double S = problem_->assumptions.norm_bound;
  const double blur = kPriorMargin * (S * group.length + std::abs(group.room));
  ArmForms<double> forms;
  forms.linear.setZero(features_->cols());
  forms.count = features_->cols();
  forms.forms.setIdentity(forms.count, forms.count);
  if (group.matrix != nullptr) {
    forms.forms = group.matrix->transpose();
    group.prior.assign(lows_.size(), kOpen);
  }
  forms.offsets = group.centre;
  ArmForms<double>::Matrix tail;
  Eigen::VectorXd unused(kBlock);
  Eigen::VectorXd squares(kBlock);
  for (Eigen::Index first = 0; first < count_; first += kBlock) {
    const Eigen::Index size = std::min(kBlock, count_ - first);
    evaluate<double>({features_->data() + first, features_->outerStride(), size}, false, forms,
                     tail, unused.data(), squares.data());
    for (Eigen::Index i = 0; i < size; ++i) {
      const auto arm = static_cast<std::size_t>(first + i);
      group.square[arm] = static_cast<float>(squares(i) / ridge());
      if (group.matrix != nullptr) {
        const double bound = S * std::sqrt(squares(i));
        group.prior[arm] = bound <= group.room - blur  ? kCertified
                           : bound > group.room + blur ? kOpen
                                                       : kUndecided;
      }
    }
  }
  const double largest = inverse_norm_ * group.length;
  group.linear_error = 0.0;
  group.square_error = 2.0 * kSingleUnit * largest * largest + kUnderflow;
}

bool TrackedArms::set_proved(const std::vector<bool>& proved) {
  bool has_lost_one = false;  // after a return to an earlier state
  for (std::size_t i = 0; i < proved_.size(); ++i) {
    has_lost_one = has_lost_one || (proved_[i] && (proved.empty() || !proved[i]));
  }
  if (has_lost_one) {
    for (Group& group : groups_) {
      fill_group(group);
    }
  }
  proved_ = proved;
  for (std::size_t i = 0; i < proved.size(); ++i) {
    for (std::size_t g = 1; proved[i] && g < groups_.size(); ++g) {
      groups_[g].prior[i] = kProved;
    }
  }
  return !has_lost_one;
}

// Forms on x or z from vectors a, which err by γ(‖Bᵀa‖r + |aᵀBx₀|) ≥ γ|aᵀz|; returns the sum of the
// squares of what is in brackets. A sum of squares errs by twice that and its own roundings.
double TrackedArms::load_forms(Group& group, const Eigen::MatrixXd& vectors, Eigen::Index count) {
  ArmForms<float>& forms = group.forms;
  double squares = 0.0;
  for (Eigen::Index j = 0; j < count; ++j) {
    const double size = image_of(group, vectors.col(j));
    squares += size * size;
    forms.forms.col(j) = image_.cast<float>();
    forms.offsets(j) = static_cast<float>(vectors.col(j).dot(group.centre));
  }
  forms.count = count;
  const double share = form_share(image_.size());
  const double terms = static_cast<double>(count) + 4.0;
  const double largest = inverse_norm_ * group.length;
  group.square_error += (2.0 * share + share * share + 2.0 * terms * kSingleUnit) * squares +
                        kSingleUnit * largest * largest + kUnderflow;
  group.linear_error += kSingleUnit * mu_norm_ * group.length;
  return squares;
}

// image_ ← Bᵀa; returns ‖Bᵀa‖r + |aᵀBx₀|.
double TrackedArms::image_of(const Group& group, const Eigen::Ref<const Eigen::VectorXd>& a) {
  if (group.matrix == nullptr) {
    image_ = a;
  } else {
    image_.noalias() = group.matrix->transpose() * a;
  }
  return image_.norm() * norm_ + std::abs(a.dot(group.centre));
}

void TrackedArms::plan_refresh(const Eigen::MatrixXd& forms, const Eigen::VectorXd& mu_hat) {
  plan_ = Plan::Refresh;
  mu_norm_ = mu_hat.norm();
  inverse_norm_ = forms.norm();
  for (Group& group : groups_) {
    group.linear_error = 0.0;
    group.square_error = 0.0;
    load_forms(group, forms, forms.cols());
    group.linear_error += form_share(mu_hat.size()) * image_of(group, mu_hat);
    group.forms.linear = image_.cast<float>();
    group.forms.linear_offset = static_cast<float>(mu_hat.dot(group.centre));
    group.forms.is_combined = false;
  }
  groups_.front().forms.is_triangular = true;
}

void TrackedArms::plan_update(const ArmChange& change) {
  plan_ = Plan::Update;
  mu_norm_ = std::max(mu_norm_, change.mu_hat.norm());
  const auto weights = change.weights.head(change.rank);
  for (Group& group : groups_) {
    const double squares = load_forms(group, change.V, change.rank);
    const double terms = static_cast<double>(change.rank) + 2.0;
    group.square_error += change.remainder * group.length * group.length;
    // |Σ c_r e_r| ≤ ‖c‖‖e‖ for errors e_r of the forms.
    group.linear_error += (form_share(image_.size()) + 2.0 * terms * kSingleUnit) * weights.norm() *
                              std::sqrt(squares) +
                          change.shift_remainder * group.length;
    group.forms.weights.head(change.rank) = weights.cast<float>();
    group.forms.is_combined = true;
    group.forms.is_triangular = false;
  }
}

void TrackedArms::follow_plan(Group& group, Eigen::Index tile) const {
  const Eigen::Index first = tile * kTile;
  alignas(64) std::array<float, kTile> linear{};
  alignas(64) std::array<float, kTile> square{};
  lanes::evaluate_tile<float, lanes::kSide>(entries_.data() + first * group.forms.linear.size(),
                                            kTile, group.forms, linear.data(), square.data());
  Eigen::Map<Tile> estimates(group.linear.data() + first);
  Eigen::Map<Tile> squares(group.square.data() + first);
  if (plan_ == Plan::Refresh) {
    estimates = Eigen::Map<const Tile>(linear.data());
    squares = Eigen::Map<const Tile>(square.data());
  } else {
    estimates += Eigen::Map<const Tile>(linear.data());
    squares -= Eigen::Map<const Tile>(square.data());
  }
}

// Everything that all arms have in common, with the roundings of `bound_tile`.
void TrackedArms::prepare(const ArmOutlook& outlook, const safety::SafetyRule& rule) {
  const auto raised = [](double value) {
    return static_cast<float>(value * (1.0 + 4.0 * kSingleUnit));
  };
  const auto lowered = [](double value) {
    return static_cast<float>(value * (1.0 - 4.0 * kSingleUnit));
  };
  const double reach = outlook.largest_radius + outlook.drift;
  const Group& own = groups_.front();
  reach_ = raised(reach * (1.0 + kBoundShare));
  radius_ = lowered(outlook.radius * (1.0 - kBoundShare));
  drift_ = raised(outlook.drift * (1.0 + kBoundShare));
  // κ: the certificate's bound lies between these two multiples of the width.
  const double root_d = std::sqrt(static_cast<double>(own.forms.linear.size()));
  const double least = rule.caution == safety::Caution::L1Paper ? root_d : 1.0;
  const double most = rule.caution == safety::Caution::Ellipsoid ? 1.0 : root_d;
  caution_ = lowered(least * outlook.radius * outlook.shrinkage *
                     (1.0 - kBoundShare - FactorFidelity::kFidelity));
  sure_caution_ =
      raised(most * outlook.radius * (1.0 + kBoundShare + 2.0 * FactorFidelity::kFidelity));
  can_refuse_ = outlook.can_refuse;
  const bool counts_prior = rule.certified == safety::CertifiedSet::Union;
  sure_prior_ = counts_prior ? kUndecided : kCertified;
  open_prior_ = counts_prior ? kUndecided : kProved;
  best_sure_ = kFloatInfinity;
  loss_slack_ = raised(own.linear_error + (1.0 + reach) * outlook.blur * own.length +
                       kBoundShare * own.length * (mu_norm_ + reach * inverse_norm_));
  for (Group& group : groups_) {
    group.pad = raised(group.square_error);
    const double slack = group.linear_error + (1.0 + most * reach) * outlook.blur * group.length +
                         kBoundShare * (group.length * (mu_norm_ + most * reach * inverse_norm_) +
                                        std::abs(group.room));
    group.limit = static_cast<float>(group.room + slack);
    group.sure_limit = static_cast<float>(group.room - slack);
  }
}

namespace {

// √(s + pad) ≤ high and √(s − pad) ≥ low from one inverse square root: with t = max(s, pad),
// √(t + pad) ≤ √t + pad/(2√t) and √(t − pad) ≥ √t − pad/√t.
template <typename Tile>
struct Widths {
  Widths(const Eigen::Map<Tile>& squares, float pad) {
    const Tile at_least = squares.max(pad);
    const Tile inverse = at_least.rsqrt();
    const Tile root = at_least * inverse;
    const Tile part = pad * inverse;
    high = root + 0.5F * part;
    low = root - part;
  }

  Tile high;
  Tile low;
};

}  // namespace

// Rules out what cannot be certified, and from `high` what is not certain to be.
void TrackedArms::bound_safety(Eigen::Index first, Tile& low, Tile& high) {
  for (std::size_t g = 1; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    const Eigen::Map<Tile> estimates(group.linear.data() + first);
    const Eigen::Map<Tile> prior(group.prior.data() + first);
    const Widths<Tile> widths(Eigen::Map<Tile>(group.square.data() + first), group.pad);
    if (can_refuse_) {
      const Tile least = estimates - drift_ * widths.high + caution_ * widths.low;
      low = (prior > open_prior_ && least > group.limit).select(kFloatInfinity, low);
    }
    const Tile most = estimates + sure_caution_ * widths.high;
    high = (prior < sure_prior_ || most <= group.sure_limit).select(high, kFloatInfinity);
  }
}

void TrackedArms::bound_tile(Eigen::Index tile) {
  const Eigen::Index first = tile * kTile;
  Group& own = groups_.front();
  const Eigen::Map<Tile> estimates(own.linear.data() + first);
  const Widths<Tile> widths(Eigen::Map<Tile>(own.square.data() + first), own.pad);
  Tile low = estimates - reach_ * widths.high;
  const Eigen::Index size = std::min(kTile, count_ - first);
  if (size < kTile) {
    low.tail(kTile - size) = kFloatInfinity;
  }
  float least = low.minCoeff();
  if (!(least > best_sure_ + allowance_)) {
    Tile high = estimates - radius_ * widths.low;
    high.tail(kTile - size) = kFloatInfinity;
    bound_safety(first, low, high);
    best_sure_ = std::min(best_sure_, high.minCoeff());
    least = low.minCoeff();
    Eigen::Map<Tile>(lows_.data() + first) = low;
  }
  // Of a tile passed over, only that nothing in it counts is known, and only that is needed.
  tile_lows_[static_cast<std::size_t>(tile)] = least;
}

double TrackedArms::sweep(const ArmOutlook& outlook, const safety::SafetyRule& rule,
                          double allowance) {
  prepare(outlook, rule);
  allowance_ = static_cast<float>(1.001 * allowance) + 3.0F * loss_slack_;
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
