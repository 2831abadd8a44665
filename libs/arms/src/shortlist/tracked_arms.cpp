#include "shortlist/tracked_arms.hpp"

#include <algorithm>
#include <cmath>

#include "foothold/estimation/assumptions.hpp"

#include "table/arm_forms.hpp"

namespace foothold::arms {
namespace {

// Far enough from the ends of the range that squares and sums stay inside.
constexpr double kLeastNorm = 1e-8;
constexpr double kLargestNorm = 1e8;

// What is decided without data is so by this share of what is compared.
constexpr double kPriorMargin = 1e-9;

// A slice is computed anew when the error of its squares passes this share of a typical one. Arms
// whose losses differ by less than half of it cannot be told apart.
constexpr double kLargestError = 1e-3;
// Slices: so many in a round of them, and no more arms than stay in a cache.
constexpr Eigen::Index kSlices = 32;
constexpr Eigen::Index kLeastSlice = 512;
constexpr Eigen::Index kLargestSlice = 8192;

}  // namespace

TrackedArms::TrackedArms(const safety::Problem& problem, const Eigen::MatrixXd& features)
    : problem_(&problem),
      safe_set_(problem),
      features_(&features),
      groups_(1 + problem.constraints.size()),
      products_(features.cols(), static_cast<Eigen::Index>(groups_.size()) * features.cols()),
      fresh_products_(features.cols(),
                      static_cast<Eigen::Index>(groups_.size()) * (1 + features.cols())),
      weights_(features.cols()),
      fresh_(groups_.size()),
      image_(features.cols()),
      group_changes_(groups_.size()) {
  const Eigen::VectorXd centre = problem.centre();
  norm_ = features.rowwise().norm().maxCoeff() * (1.0 + 1e-9);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    ArmGroup& group = groups_[g];
    group.centre.setZero(features.cols());
    group.length = norm_;
    if (g > 0) {
      group.matrix = &safe_set_.matrix(g - 1);
      group.centre = *group.matrix * centre;
      group.length = group.matrix->norm() * (norm_ + centre.norm()) * (1.0 + 1e-9);
      group.room = safe_set_.room(g - 1);
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
      safe_set_(all.safe_set_),
      features_(all.features_),
      is_usable_(all.is_usable_),
      norm_(all.norm_),
      groups_(all.groups_.size()),
      slices_(1),
      products_(all.products_),
      fresh_products_(all.fresh_products_),
      weights_(all.weights_),
      fresh_(all.fresh_),
      image_(all.image_),
      group_changes_(all.group_changes_) {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const ArmGroup& group = all.groups_[g];
    groups_[g] = {
        .matrix = group.matrix, .centre = group.centre, .length = group.length, .room = group.room};
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
  bounds_.resize(count);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    groups_[g].linear.assign(room, 0.0F);
    groups_[g].square.assign(room, 0.0F);
    groups_[g].prior.assign(g > 0 ? room : 0, arm_prior::kOpen);
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
void TrackedArms::for_each_norm_sq(const ArmGroup& group, const Take& take) const {
  constexpr Eigen::Index kBlock = 1024;
  const Eigen::Index d = features_->cols();
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(d);
  Eigen::MatrixXd rows = Eigen::MatrixXd::Identity(d, d);
  if (group.matrix != nullptr) {
    rows = group.matrix->transpose();
  }
  const ArmForms<double> forms{.dim = d,
                               .linear = zero.data(),
                               .forms = rows.data(),
                               .offsets = group.centre.data(),
                               .is_triangular = group.matrix == nullptr};
  ArmTail<double> tail;
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
  ArmGroup& own = groups_[group];
  double longest = 0.0;
  for_each_norm_sq(own, [&](std::size_t arm, double norm_sq) {
    own.square[arm] = static_cast<float>(norm_sq / ridge());
    longest = std::max(longest, norm_sq);
  });
  own.length = std::min(own.length, std::sqrt(longest) * (1.0 + 1e-9));
  const double largest = own.length * own.length / ridge() * (1.0 + 1e-9);
  for (Slice& slice : slices_) {
    slice.precision[group] = ArmPrecision::of_rounded(largest);
  }
  if (own.matrix != nullptr) {
    fill_prior(group);
  }
}

// Whether S‖z‖ ≤ m, decided up to far more than the certificate's rounding.
void TrackedArms::fill_prior(std::size_t group) {
  ArmGroup& own = groups_[group];
  const std::size_t constraint = group - 1;
  const double blur =
      kPriorMargin * (safe_set_.prior_bound(constraint, own.length) + std::abs(own.room));
  for_each_norm_sq(own, [&](std::size_t arm, double norm_sq) {
    const double bound = safe_set_.prior_bound(constraint, std::sqrt(norm_sq));
    own.prior[arm] = bound <= own.room - blur  ? arm_prior::kCertified
                     : bound > own.room + blur ? arm_prior::kOpen
                                               : arm_prior::kUndecided;
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
      fill_prior(g);
    }
    for (std::size_t i = 0; i < proved.size(); ++i) {
      if (proved[i]) {
        groups_[g].prior[i] = arm_prior::kProved;
      }
    }
  }
}

// The form aᵀx or aᵀz; returns s = ‖Bᵀa‖r + |aᵀBx₀| ≥ |aᵀz|. Its values err by γs at most.
double TrackedArms::set_form(ArmProducts& products, Eigen::Index form, const ArmGroup& group,
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
  if (plan_ == Plan::Refresh) {
    return;
  }
  weights_.head(rank_) = change.weights->head(rank_).cast<float>();
  const auto groups = static_cast<Eigen::Index>(groups_.size());
  for (Eigen::Index g = 0; g < groups; ++g) {
    const ArmGroup& group = groups_[static_cast<std::size_t>(g)];
    double form_squares = 0.0;
    for (Eigen::Index j = 0; j < rank_; ++j) {
      const double s = set_form(products_, j * groups + g, group, change.V->col(j));
      form_squares += s * s;
    }
    group_changes_[static_cast<std::size_t>(g)] = {
        .form_squares = form_squares,
        .weights_norm = change.weights->head(rank_).norm(),
        .terms = static_cast<double>(rank_),
        .square_remainder = change.remainder * group.length * group.length,
        .linear_remainder = change.shift_remainder * group.length,
        .largest_linear = mu_norm_ * group.length};
  }
}

void TrackedArms::load_fresh_products() {
  if (has_fresh_products_) {
    return;
  }
  const auto groups = static_cast<Eigen::Index>(groups_.size());
  for (Eigen::Index g = 0; g < groups; ++g) {
    const ArmGroup& group = groups_[static_cast<std::size_t>(g)];
    Fresh& fresh = fresh_[static_cast<std::size_t>(g)];
    fresh.squares = 0.0;
    for (Eigen::Index r = 0; r < fresh_forms_.cols(); ++r) {
      const double s = set_form(fresh_products_, r * groups + g, group, fresh_forms_.col(r));
      fresh.squares += s * s;
    }
    const Eigen::Index last = fresh_forms_.cols() * groups + g;
    fresh.linear = set_form(fresh_products_, last, group, fresh_mu_hat_);
  }
  has_fresh_products_ = true;
}

bool TrackedArms::is_stale(const Slice& slice, double radius) const {
  // A refresh costs as much as d rounds or so: it must not become the rule.
  if (slice.age < image_.size()) {
    return false;
  }
  bool is_stale = false;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const double typical = scale_ * groups_[g].length;
    const ArmPrecision& precision = slice.precision[g];
    is_stale = is_stale ||
               !(precision.square_error(image_.size()) <= kLargestError * typical * typical) ||
               !(precision.linear <= kLargestError * radius * typical);
  }
  return is_stale;
}

// Squares from F⁻¹ itself.
void TrackedArms::refresh(Slice& slice) {
  load_fresh_products();
  const auto groups = static_cast<Eigen::Index>(groups_.size());
  const Eigen::Index d = image_.size();
  for (Fresh& fresh : fresh_) {
    fresh.largest = 0.0;
  }
  for (Eigen::Index tile = slice.first; tile < slice.last; ++tile) {
    fresh_products_.evaluate(tile_entries(tile), groups * (1 + d));
    for (Eigen::Index g = 0; g < groups; ++g) {
      Tile sum = Tile::Zero();
      for (Eigen::Index r = 0; r < d; ++r) {
        sum += Eigen::Map<const Tile>(fresh_products_.values(r * groups + g)).square();
      }
      ArmGroup& group = groups_[static_cast<std::size_t>(g)];
      Eigen::Map<Tile>(group.square.data() + tile * kTile) = sum;
      Eigen::Map<Tile>(group.linear.data() + tile * kTile) =
          Eigen::Map<const Tile>(fresh_products_.values(d * groups + g));
      double& largest = fresh_[static_cast<std::size_t>(g)].largest;
      largest = std::max(largest, static_cast<double>(sum.maxCoeff()));
    }
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    slice.precision[g] =
        ArmPrecision::of_forms(fresh_[g].largest, fresh_[g].squares, fresh_[g].linear, d);
  }
  slice.age = 0;
}

void TrackedArms::follow(Slice& slice) const {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    slice.precision[g].follow(group_changes_[g], image_.size());
  }
  ++slice.age;
}

void TrackedArms::update_tile(Eigen::Index tile) {
  const auto groups = static_cast<Eigen::Index>(groups_.size());
  products_.evaluate(tile_entries(tile), groups * rank_);
  for (Eigen::Index g = 0; g < groups; ++g) {
    ArmGroup& group = groups_[static_cast<std::size_t>(g)];
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

double TrackedArms::sweep(const ArmOutlook& outlook, const safety::SafetyRule& rule,
                          double allowance) {
  bounds_.begin(outlook, rule, image_.size(), allowance);
  const std::size_t due = (slices_.size() + kSlices - 1) / kSlices;  // to be looked at
  for (std::size_t s = 0; s < slices_.size(); ++s) {
    Slice& slice = slices_[s];
    const bool is_due = (s + slices_.size() - next_slice_) % slices_.size() < due;
    bool is_update = plan_ == Plan::Update;
    if (plan_ == Plan::Refresh || (is_update && is_due && is_stale(slice, outlook.radius))) {
      refresh(slice);
      is_update = false;
    } else if (is_update) {
      follow(slice);
    }
    bounds_.begin_slice(groups_, slice.precision, mu_norm_);
    for (Eigen::Index tile = slice.first; tile < slice.last; ++tile) {
      if (is_update) {
        update_tile(tile);
      }
      bounds_.bound(groups_, tile);
    }
  }
  next_slice_ = plan_ == Plan::Update ? (next_slice_ + due) % slices_.size() : next_slice_;
  plan_ = Plan::None;
  return bounds_.best();
}

}  // namespace foothold::arms
