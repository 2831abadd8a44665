#include "tracked_arms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "foothold/base/infinity.hpp"
#include "foothold/estimation/assumptions.hpp"

#include "factor_fidelity.hpp"

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

// A slice is computed anew when the error of its squares passes this share of a typical one. Arms
// whose losses differ by less than half of it cannot be told apart.
constexpr double kLargestError = 1e-3;
// Slices: so many in a round of them, and no more arms than stay in a cache.
constexpr Eigen::Index kSlices = 32;
constexpr Eigen::Index kLeastSlice = 512;
constexpr Eigen::Index kLargestSlice = 8192;

// γ for a form of d terms, with the roundings of coefficients and arms.
double form_share(Eigen::Index dim) {
  return 1.01 * (static_cast<double>(dim) + 6.0) * kSingleUnit;
}

}  // namespace

// The squares are Σ(aᵀx)² over the forms of the last refresh less that over all forms since, each
// of which errs by e = γs. Σ|2aᵀx e| + e² ≤ 2(Σ(aᵀx)²)^{1/2}(Σe²)^{1/2} + Σe², and the forms since
// took away no more than there was.
double TrackedArms::Precision::square_error(double form_share) const {
  const double e = form_share * std::sqrt(form_squares);
  return 2.0 * std::sqrt(2.0 * (largest + sums)) * e + e * e + sums;
}

void TrackedArms::Precision::raise_to(const Precision& other) {
  largest = std::max(largest, other.largest);
  form_squares = std::max(form_squares, other.form_squares);
  sums = std::max(sums, other.sums);
  linear = std::max(linear, other.linear);
}

TrackedArms::TrackedArms(const safety::Problem& problem, const Eigen::MatrixXd& features)
    : problem_(&problem),
      features_(&features),
      groups_(1 + problem.constraints.size()),
      products_(features.cols(),
                static_cast<Eigen::Index>(groups_.size()) * features.cols()),
      fresh_products_(features.cols(),
                      static_cast<Eigen::Index>(groups_.size()) * (1 + features.cols())),
      weights_(features.cols()),
      image_(features.cols()),
      limits_(groups_.size()) {
  const Eigen::VectorXd centre = problem.centre();
  norm_ = features.rowwise().norm().maxCoeff() * (1.0 + 1e-9);
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
    if (!is_usable_) {
      return;
    }
  }
  is_usable_ = norm_ >= kLeastNorm;
  if (is_usable_) {
    fill_tiles();
    cut_slices();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      fill_group(g);
    }
  }
}

TrackedArms::TrackedArms(const TrackedArms& all, Eigen::Index most)
    : problem_(all.problem_),
      features_(all.features_),
      is_usable_(all.is_usable_),
      norm_(all.norm_),
      groups_(all.groups_.size()),
      slices_(1),
      products_(all.products_),
      fresh_products_(all.fresh_products_),
      weights_(all.weights_),
      image_(all.image_),
      limits_(all.limits_) {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = all.groups_[g];
    groups_[g] = {.matrix = group.matrix,
                  .centre = group.centre,
                  .length = group.length,
                  .room = group.room};
  }
  slices_.front().precision.resize(groups_.size());
  make_room(most);
}

void TrackedArms::assign(const TrackedArms& all, const std::vector<Eigen::Index>& rows) {
  make_room(static_cast<Eigen::Index>(rows.size()));
  const Eigen::Index d = image_.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    const float* from = all.tile_entries(rows[i] / kTile) + rows[i] % kTile;
    const auto position = static_cast<Eigen::Index>(i);
    float* to = entries_.data() + position / kTile * kTile * d + position % kTile;
    for (Eigen::Index j = 0; j < d; ++j) {
      to[j * kTile] = from[j * kTile];
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      groups_[g].linear[i] = all.groups_[g].linear[row];
      groups_[g].square[i] = all.groups_[g].square[row];
      if (g > 0) {
        groups_[g].prior[i] = all.groups_[g].prior[row];
      }
    }
  }
  Slice& slice = slices_.front();
  slice.last = tiles();
  slice.age = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    slice.precision[g] = {};
    for (const Slice& other : all.slices_) {
      slice.precision[g].raise_to(other.precision[g]);
    }
  }
  fresh_forms_ = all.fresh_forms_;
  fresh_mu_hat_ = all.fresh_mu_hat_;
  has_fresh_products_ = false;
  scale_ = all.scale_;
  mu_norm_ = all.mu_norm_;
  plan_ = Plan::None;
}

double TrackedArms::ridge() const {
  return estimation::ridge_or_default(problem_->assumptions);
}

// The last tile is filled up with zeros.
void TrackedArms::make_room(Eigen::Index count) {
  count_ = count;
  const Eigen::Index tiles = (count + kTile - 1) / kTile;
  entries_.assign(static_cast<std::size_t>(tiles * kTile * image_.size()), 0.0F);
  const auto room = static_cast<std::size_t>(tiles * kTile);
  lows_.assign(room, kFloatInfinity);
  tile_lows_.assign(static_cast<std::size_t>(tiles), kFloatInfinity);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    groups_[g].linear.assign(room, 0.0F);
    groups_[g].square.assign(room, 0.0F);
    groups_[g].prior.assign(g > 0 ? room : 0, kOpen);
  }
}

void TrackedArms::fill_tiles() {
  make_room(features_->rows());
  for (Eigen::Index tile = 0; tile < tiles(); ++tile) {
    const Eigen::Index first = tile * kTile;
    const Eigen::Index size = std::min(kTile, count_ - first);
    Eigen::Map<Eigen::MatrixXf> block(entries_.data() + first * image_.size(), kTile,
                                      image_.size());
    block.topRows(size) = features_->middleRows(first, size).cast<float>();
  }
}

void TrackedArms::cut_slices() {
  const Eigen::Index arms = std::clamp(count_ / kSlices, kLeastSlice, kLargestSlice);
  const Eigen::Index size = (arms + kTile - 1) / kTile;
  for (Eigen::Index first = 0; first < tiles(); first += size) {
    slices_.push_back({.first = first, .last = std::min(first + size, tiles())});
    slices_.back().precision.resize(groups_.size());
  }
}

// Calls take(arm, ‖x‖² or ‖z‖²) for every arm. In double precision, block by block.
template <typename Take>
void TrackedArms::for_each_norm_sq(const Group& group, const Take& take) const {
  constexpr Eigen::Index kBlock = 1024;
  ArmForms<double> forms;
  forms.linear.setZero(features_->cols());
  forms.count = features_->cols();
  forms.forms.setIdentity(forms.count, forms.count);
  forms.is_triangular = group.matrix == nullptr;
  if (group.matrix != nullptr) {
    forms.forms = group.matrix->transpose();
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
      take(static_cast<std::size_t>(first + i), squares(i));
    }
  }
}

// ‖x‖²_{A⁻¹} = ‖x‖²/λ without data.
void TrackedArms::fill_group(std::size_t group) {
  Group& own = groups_[group];
  double longest = 0.0;
  for_each_norm_sq(own, [&](std::size_t arm, double norm_sq) {
    own.square[arm] = static_cast<float>(norm_sq / ridge());
    longest = std::max(longest, norm_sq);
  });
  own.length = std::min(own.length, std::sqrt(longest) * (1.0 + 1e-9));
  const double largest = own.length * own.length / ridge() * (1.0 + 1e-9);
  for (Slice& slice : slices_) {
    slice.precision[group] = {.largest = largest,
                              .sums = 2.0 * kSingleUnit * largest + kUnderflow};
  }
  if (own.matrix != nullptr) {
    fill_prior(own);
  }
}

// Whether S‖z‖ ≤ m, decided up to far more than the certificate's rounding.
void TrackedArms::fill_prior(Group& group) {
  const double S = problem_->assumptions.norm_bound;
  const double blur = kPriorMargin * (S * group.length + std::abs(group.room));
  for_each_norm_sq(group, [&](std::size_t arm, double norm_sq) {
    const double bound = S * std::sqrt(norm_sq);
    group.prior[arm] = bound <= group.room - blur  ? kCertified
                       : bound > group.room + blur ? kOpen
                                                   : kUndecided;
  });
}

void TrackedArms::set_proved(const std::vector<bool>& proved) {
  bool has_lost_one = false;  // after a return to an earlier state
  for (std::size_t i = 0; i < proved_.size(); ++i) {
    has_lost_one = has_lost_one || (proved_[i] && (proved.empty() || !proved[i]));
  }
  proved_ = proved;
  for (std::size_t g = 1; g < groups_.size(); ++g) {
    if (has_lost_one) {
      fill_prior(groups_[g]);
    }
    for (std::size_t i = 0; i < proved.size(); ++i) {
      if (proved[i]) {
        groups_[g].prior[i] = kProved;
      }
    }
  }
}

// The form aᵀx or aᵀz; returns s = ‖Bᵀa‖r + |aᵀBx₀| ≥ |aᵀz|. Its values err by γs at most.
double TrackedArms::set_form(ArmProducts& products, Eigen::Index form, const Group& group,
                             const Eigen::Ref<const Eigen::VectorXd>& a) {
  if (group.matrix == nullptr) {
    image_ = a;
  } else {
    image_.noalias() = group.matrix->transpose() * a;
  }
  const double offset = a.dot(group.centre);
  products.set(form, image_, offset);
  return image_.norm() * norm_ + std::abs(offset);
}

void TrackedArms::plan(const ArmChange& change) {
  plan_ = change.V == nullptr ? Plan::Refresh : Plan::Update;
  rank_ = change.rank;
  fresh_forms_ = change.forms;
  fresh_mu_hat_ = change.mu_hat;
  mu_norm_ = std::max(mu_norm_, change.mu_hat.norm());
  has_fresh_products_ = false;
  scale_ = change.forms.norm() / std::sqrt(static_cast<double>(image_.size()));
  if (plan_ == Plan::Update) {
    remainder_ = change.remainder;
    shift_remainder_ = change.shift_remainder;
    weights_ = change.weights->head(rank_).cast<float>();
    weights_norm_ = change.weights->head(rank_).norm();
    const auto groups = static_cast<Eigen::Index>(groups_.size());
    for (Eigen::Index g = 0; g < groups; ++g) {
      Group& group = groups_[static_cast<std::size_t>(g)];
      group.form_squares = 0.0;
      for (Eigen::Index j = 0; j < rank_; ++j) {
        const double s = set_form(products_, j * groups + g, group, change.V->col(j));
        group.form_squares += s * s;
      }
    }
  }
}

void TrackedArms::load_fresh_products() {
  if (has_fresh_products_) {
    return;
  }
  const auto groups = static_cast<Eigen::Index>(groups_.size());
  for (Eigen::Index g = 0; g < groups; ++g) {
    Group& group = groups_[static_cast<std::size_t>(g)];
    group.fresh_squares = 0.0;
    for (Eigen::Index r = 0; r < fresh_forms_.cols(); ++r) {
      const double s = set_form(fresh_products_, r * groups + g, group, fresh_forms_.col(r));
      group.fresh_squares += s * s;
    }
    const Eigen::Index last = fresh_forms_.cols() * groups + g;
    group.fresh_linear = set_form(fresh_products_, last, group, fresh_mu_hat_);
  }
  has_fresh_products_ = true;
}

bool TrackedArms::is_stale(const Slice& slice) const {
  // A refresh costs as much as d rounds or so: it must not become the rule.
  if (slice.age < image_.size()) {
    return false;
  }
  bool is_stale = false;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const double typical = scale_ * groups_[g].length;
    const Precision& precision = slice.precision[g];
    is_stale = is_stale ||
               !(precision.square_error(form_share(image_.size())) <=
                 kLargestError * typical * typical) ||
               !(precision.linear <= kLargestError * static_cast<double>(radius_) * typical);
  }
  return is_stale;
}

// Squares from F⁻¹ itself.
void TrackedArms::refresh(Slice& slice) {
  load_fresh_products();
  const auto groups = static_cast<Eigen::Index>(groups_.size());
  const Eigen::Index d = image_.size();
  for (Precision& precision : slice.precision) {
    precision = {};
  }
  for (Eigen::Index tile = slice.first; tile < slice.last; ++tile) {
    fresh_products_.evaluate(tile_entries(tile), groups * (1 + d));
    for (Eigen::Index g = 0; g < groups; ++g) {
      Tile sum = Tile::Zero();
      for (Eigen::Index r = 0; r < d; ++r) {
        sum += Eigen::Map<const Tile>(fresh_products_.values(r * groups + g)).square();
      }
      Group& group = groups_[static_cast<std::size_t>(g)];
      Eigen::Map<Tile>(group.square.data() + tile * kTile) = sum;
      Eigen::Map<Tile>(group.linear.data() + tile * kTile) =
          Eigen::Map<const Tile>(fresh_products_.values(d * groups + g));
      double& largest = slice.precision[static_cast<std::size_t>(g)].largest;
      largest = std::max(largest, static_cast<double>(sum.maxCoeff()));
    }
  }
  const double terms = static_cast<double>(d) + 4.0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Precision& precision = slice.precision[g];
    precision.form_squares = groups_[g].fresh_squares;
    // ‖F⁻¹x‖ differs from the norm of the computed forms by the norm of their errors.
    const double width = std::sqrt(precision.largest) * (1.0 + terms * kSingleUnit) +
                         form_share(d) * std::sqrt(precision.form_squares);
    precision.largest = width * width + kUnderflow;
    precision.sums = 1.01 * terms * kSingleUnit * precision.largest + kUnderflow;
    precision.linear = form_share(d) * groups_[g].fresh_linear;
  }
  slice.age = 0;
}

// What the planned change does to the precision of a slice.
void TrackedArms::follow(Slice& slice) const {
  const double terms = static_cast<double>(rank_) + 4.0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    Precision& precision = slice.precision[g];
    const double lost = std::min(1.01 * group.form_squares, precision.largest + precision.sums);
    precision.form_squares += group.form_squares;
    precision.sums += 1.01 * kSingleUnit * (precision.largest + precision.sums + terms * lost) +
                      remainder_ * group.length * group.length + kUnderflow;
    // |Σ c_j e_j| ≤ ‖c‖‖e‖ for errors e_j of the forms.
    precision.linear += (form_share(image_.size()) + 2.0 * terms * kSingleUnit) * weights_norm_ *
                            std::sqrt(group.form_squares) +
                        1.01 * kSingleUnit * mu_norm_ * group.length +
                        shift_remainder_ * group.length;
  }
  ++slice.age;
}

void TrackedArms::update_tile(Eigen::Index tile) {
  const auto groups = static_cast<Eigen::Index>(groups_.size());
  products_.evaluate(tile_entries(tile), groups * rank_);
  for (Eigen::Index g = 0; g < groups; ++g) {
    Group& group = groups_[static_cast<std::size_t>(g)];
    Tile square = Tile::Zero();
    Tile linear = Tile::Zero();
    for (Eigen::Index j = 0; j < rank_; ++j) {
      const Eigen::Map<const Tile> values(products_.values(j * groups + g));
      square += values.square();
      linear += weights_(j) * values;
    }
    Eigen::Map<Tile>(group.square.data() + tile * kTile) -= square;
    Eigen::Map<Tile>(group.linear.data() + tile * kTile) += linear;
  }
}

// What all arms have in common, with the roundings of `bound_tile`.
void TrackedArms::prepare(const ArmOutlook& outlook, const safety::SafetyRule& rule) {
  const auto raised = [](double value) {
    return static_cast<float>(value * (1.0 + 4.0 * kSingleUnit));
  };
  const auto lowered = [](double value) {
    return static_cast<float>(value * (1.0 - 4.0 * kSingleUnit));
  };
  // κ: the certificate's bound lies between these two multiples of the width.
  const double root_d = std::sqrt(static_cast<double>(image_.size()));
  const double least = rule.caution == safety::Caution::L1Paper ? root_d : 1.0;
  const double most = rule.caution == safety::Caution::Ellipsoid ? 1.0 : root_d;
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
  sure_prior_ = counts_prior ? kUndecided : kCertified;
  open_prior_ = counts_prior ? kUndecided : kProved;
  best_sure_ = kFloatInfinity;
}

void TrackedArms::prepare(const Slice& slice) {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    const Precision& precision = slice.precision[g];
    const double error = precision.square_error(form_share(image_.size()));
    const double width = std::sqrt(precision.largest + error);
    const double slack = precision.linear + (1.0 + largest_reach_) * blur_ * group.length +
                         kBoundShare * (mu_norm_ * group.length + largest_reach_ * width +
                                        std::abs(group.room));
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

// Rules out of a tile what cannot be certified, and of the losses that are `high` at most those of
// arms not certain to be certified.
void TrackedArms::bound_safety(Eigen::Index tile, const float* high) {
  const Packet never = all(kFloatInfinity);
  Packet best = never;
  Packet least_low = never;
  for (Eigen::Index i = tile * kTile; i < (tile + 1) * kTile; i += lanes::kWidth<float>) {
    Packet low = load(lows_.data() + i);
    Packet sure = pselect(pcmp_lt(low, never), load(high + i - tile * kTile), never);
    for (std::size_t g = 1; g < groups_.size(); ++g) {
      const Group& group = groups_[g];
      const Limits& limits = limits_[g];
      const Packet estimate = load(group.linear.data() + i);
      const Packet prior = load(group.prior.data() + i);
      const Widths widths(group.square.data() + i, limits.pad);
      if (can_refuse_) {
        const Packet least = padd(psub(estimate, pmul(all(drift_), widths.high)),
                                  pmul(all(caution_), widths.low));
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

void TrackedArms::bound_tile(Eigen::Index tile) {
  const Eigen::Index first = tile * kTile;
  const Limits& limits = limits_.front();
  const Group& own = groups_.front();
  std::array<float, kTile> high;
  Packet least = all(kFloatInfinity);
  for (Eigen::Index i = first; i < first + kTile; i += lanes::kWidth<float>) {
    const Packet estimate = load(own.linear.data() + i);
    const Widths widths(own.square.data() + i, limits.pad);
    const Packet low = psub(psub(estimate, pmul(all(reach_), widths.high)), all(limits.slack));
    Eigen::internal::pstoreu(lows_.data() + i, low);
    Eigen::internal::pstoreu(
        high.data() + i - first,
        padd(psub(estimate, pmul(all(radius_), widths.low)), all(limits.slack)));
    least = pmin(least, low);
  }
  for (Eigen::Index i = count_; i < first + kTile; ++i) {
    lows_[static_cast<std::size_t>(i)] = kFloatInfinity;  // what fills up the last tile is no arm
  }
  const float margin = allowance_ + static_cast<float>(kBoundShare) * std::abs(best_sure_);
  if (Eigen::internal::predux_min(least) > best_sure_ + margin) {
    // Of a tile passed over, only that nothing in it counts is known, and only that is needed.
    tile_lows_[static_cast<std::size_t>(tile)] = kFloatInfinity;
  } else {
    bound_safety(tile, high.data());
  }
}

double TrackedArms::sweep(const ArmOutlook& outlook, const safety::SafetyRule& rule,
                          double allowance) {
  prepare(outlook, rule);
  allowance_ = static_cast<float>(1.001 * allowance);
  const std::size_t due = (slices_.size() + kSlices - 1) / kSlices;  // to be looked at
  for (std::size_t s = 0; s < slices_.size(); ++s) {
    Slice& slice = slices_[s];
    const bool is_due = (s + slices_.size() - next_slice_) % slices_.size() < due;
    bool is_update = plan_ == Plan::Update;
    if (plan_ == Plan::Refresh || (is_update && is_due && is_stale(slice))) {
      refresh(slice);
      is_update = false;
    } else if (is_update) {
      follow(slice);
    }
    prepare(slice);
    for (Eigen::Index tile = slice.first; tile < slice.last; ++tile) {
      if (is_update) {
        update_tile(tile);
      }
      bound_tile(tile);
    }
  }
  next_slice_ = plan_ == Plan::Update ? (next_slice_ + due) % slices_.size() : next_slice_;
  plan_ = Plan::None;
  return static_cast<double>(best_sure_);
}

void TrackedArms::collect(double limit, std::size_t most, std::vector<Eigen::Index>& rows) const {
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

}  // namespace foothold::selection
