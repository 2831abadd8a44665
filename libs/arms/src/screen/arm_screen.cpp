#include "screen/arm_screen.hpp"

#include <algorithm>
#include <cmath>

#include "foothold/base/infinity.hpp"
#include "foothold/base/rounding.hpp"
#include "foothold/base/simd/small_product.hpp"

namespace foothold::arms {
namespace {

using rounding::kUnit;

// Of a computed width, what A⁻¹ itself owes it at least.
constexpr double kFaithfulShare = 1.0 - 2.0 * FactorFidelity::kFidelity;

// Squares between these are far from the ends of the range. Others are not to be relied on: they
// may have vanished, kept a few bits only, or overflowed.
constexpr double kLeastSquare = 0x1p-900;
constexpr double kLargestSquare = 0x1p900;

bool is_reliable(double square) {
  return square > kLeastSquare && square < kLargestSquare;  // not for NaN
}

// Roundings of a form on an arm, of its coefficients and of what is made of it, generously.
double rounding_share(Eigen::Index dim) {
  return 64.0 * (static_cast<double>(dim) + 4.0) * kUnit;
}

// So many arms are gathered at once where only some are to be looked at.
constexpr std::size_t kGathered = 128;
static_assert(kGathered % lanes::kTile<double> == 0);

// The entries of some arms of a block, beside one another; what stands behind them does no harm.
void gather(const ArmBlock<double>& arms, const std::vector<Eigen::Index>& places,
            Eigen::MatrixXd& gathered) {
  for (Eigen::Index j = 0; j < gathered.cols(); ++j) {
    const double* entries = arms.data + j * arms.stride;
    double* column = gathered.data() + j * gathered.rows();
    for (std::size_t i = 0; i < places.size(); ++i) {
      column[i] = entries[places[i]];
    }
  }
}

}  // namespace

ArmScreen::ArmScreen(const safety::Problem& problem)
    : problem_(&problem),
      safe_set_(problem),
      centre_(problem.centre()),
      centre_norm_(centre_.stableNorm()),
      matrix_norms_(static_cast<Eigen::Index>(problem.constraints.size())),
      fidelity_(problem.dim()),
      difference_(problem.dim()),
      z_(problem.dim()),
      image_(problem.dim()),
      linear_(problem.dim()),
      rows_(problem.dim(), problem.dim()),
      offsets_(problem.dim()),
      unsettled_arms_(Eigen::MatrixXd::Zero(kGathered, problem.dim())),
      norms_(kGathered),
      forgotten_(kGathered) {
  unsettled_.reserve(kGathered);
  for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
    matrix_norms_(static_cast<Eigen::Index>(k)) = problem.constraints[k].matrix.stableNorm();
  }
}

void ArmScreen::prepare(const ArmTable& arms) {
  images_.emplace(*problem_, arms);
  reserve(arms.block().count);
}

void ArmScreen::reserve(Eigen::Index count) {
  const Eigen::Index room = padded<double>(count);
  for (Eigen::VectorXd* values : {&estimates_, &spreads_, &prior_bounds_}) {
    if (values->size() < room) {
      values->resize(room);
    }
  }
}

void ArmScreen::begin(const estimation::RidgeEstimate& estimate,
                      const estimation::ConfidenceRegion& region,
                      const safety::Certifier& certifier) {
  estimate_ = &estimate;
  region_ = &region;
  certifier_ = &certifier;
  has_looked_ = false;
}

void ArmScreen::look() {
  if (has_looked_) {
    return;
  }
  fidelity_.look(*estimate_, *region_);
  safe_set_.set_rule(certifier_->rule());
  safe_set_.update(*region_);
  width_norm_ =
      is_exact_l1() ? region_->root_inverse().norm() : std::sqrt(fidelity_.inverse().trace());
  mu_norm_ = region_->mu_hat().norm();
  // All constraints rest on one region: constraint 0 speaks for all.
  data_share_ = rounding_share(region_->dim()) * (mu_norm_ + safe_set_.reach(0) * width_norm_);
  has_looked_ = true;
}

const Eigen::MatrixXd& ArmScreen::inverse() {
  look();
  return fidelity_.inverse();
}

InverseError ArmScreen::inverse_error() {
  look();
  return fidelity_.inverse_error();
}

bool ArmScreen::can_refuse() {
  look();
  // The members of a family have regions of their own, which may certify what this one does not.
  return !certifier_->uses_family() && fidelity_.holds() &&
         region_->digest() == estimate_->digest();
}

// The bound on μᵀz of a certificate is never below its exact value, and that not below what is
// computed here less the roundings of this.
double ArmScreen::data_limit(std::size_t constraint, double length) const {
  const double z_norm = matrix_norms_(static_cast<Eigen::Index>(constraint)) * length;
  return safe_set_.room(constraint) + data_share_ * z_norm;
}

double ArmScreen::prior_limit(std::size_t constraint, double length) const {
  return safe_set_.room(constraint) +
         rounding_share(region_->dim()) * safe_set_.norm_bound(constraint) *
             matrix_norms_(static_cast<Eigen::Index>(constraint)) * length;
}

bool ArmScreen::refuses(const Eigen::VectorXd& x) {
  return with_fixed_dim(centre_.size(), [&](auto fixed) { return refuses_sized<fixed.value>(x); });
}

template <int Fixed>
bool ArmScreen::refuses_sized(const Eigen::VectorXd& x) {
  const double x_sq = fixed_view<Fixed>(x).squaredNorm();
  if (!is_reliable(x_sq)) {
    return false;
  }
  const double length = std::sqrt(x_sq) + centre_norm_;
  fixed_view<Fixed>(difference_) = fixed_view<Fixed>(x) - fixed_view<Fixed>(centre_);
  const auto z = fixed_view<Fixed>(z_);
  const auto image = fixed_view<Fixed>(image_);
  for (std::size_t k = 0; k < safe_set_.constraints(); ++k) {
    multiply<Fixed>(safe_set_.matrix(k), difference_, z_);
    const double z_sq = z.squaredNorm();
    if (!is_reliable(z_sq) ||
        (safe_set_.counts_prior() &&
         !(safe_set_.prior_bound(k, std::sqrt(z_sq)) > prior_limit(k, length)))) {
      continue;
    }
    double width = 0.0;
    if (is_exact_l1()) {
      width = safe_set_.width(k, z_);
    } else {
      multiply<Fixed>(safe_set_.region(k).factor_inverse(), z_, image_);
      const double width_sq = image.squaredNorm();
      if (!is_reliable(width_sq)) {
        continue;
      }
      width = std::sqrt(width_sq);
    }
    if (fixed_view<Fixed>(safe_set_.region(k).mu_hat()).dot(z) +
            safe_set_.reach(k) * kFaithfulShare * width >
        data_limit(k, length)) {
      return true;
    }
  }
  return false;
}

void ArmScreen::drop(const ArmBlock<double>& arms, bool is_padded, Eigen::VectorXd& losses) {
  const bool counts_prior = safe_set_.counts_prior();
  reserve(arms.count);
  if (images_ && images_->are_of(arms)) {
    for (std::size_t k = 0; k < safe_set_.constraints(); ++k) {
      evaluate(images_->block(k), true, width_forms(), tail_, estimates_.data(), spreads_.data());
      rule_out(k, images_->length(), arms.count,
               counts_prior ? images_->prior_bounds(k).data() : nullptr, losses);
    }
    return;
  }
  double largest = 0.0;
  for (Eigen::Index j = 0; j < region_->dim(); ++j) {
    const Eigen::Map<const Eigen::VectorXd> column(arms.data + j * arms.stride, arms.count);
    largest = std::max(largest, column.cwiseAbs().maxCoeff());
  }
  const double length = std::sqrt(static_cast<double>(region_->dim())) * largest + centre_norm_;
  for (std::size_t k = 0; k < safe_set_.constraints(); ++k) {
    evaluate(arms, is_padded, width_forms_of_image(k), tail_, estimates_.data(), spreads_.data());
    if (counts_prior) {
      set_prior_bounds(k, arms.count);
      rule_out(k, length, arms.count, prior_bounds_.data(), losses);
      rule_out_by_norm(k, length, arms, losses);
    } else {
      rule_out(k, length, arms.count, nullptr, losses);
    }
  }
}

// μ̂ᵀz and ‖F⁻¹z‖², or ‖H⁻ᵀz‖_∞, as forms on z.
ArmForms<double> ArmScreen::width_forms() const {
  const Eigen::MatrixXd& rows =
      is_exact_l1() ? region_->root_inverse() : estimate_->gram().root_inverse();
  return {.dim = region_->dim(),
          .linear = region_->mu_hat().data(),
          .forms = rows.data(),
          .is_triangular = !is_exact_l1(),
          .gather = is_exact_l1() ? Gather::LargestMagnitude : Gather::SumOfSquares};
}

// The same as forms on x: aᵀz = (Bᵀa)ᵀ(x − x₀).
ArmForms<double> ArmScreen::width_forms_of_image(std::size_t constraint) {
  const Eigen::MatrixXd& B = safe_set_.matrix(constraint);
  ArmForms<double> forms = width_forms();
  rows_.noalias() =
      B.transpose() * Eigen::Map<const Eigen::MatrixXd>(forms.forms, forms.dim, forms.dim);
  linear_.noalias() = B.transpose() * region_->mu_hat();
  offsets_.noalias() = rows_.transpose() * centre_;
  forms.linear = linear_.data();
  forms.linear_offset = linear_.dot(centre_);
  forms.forms = rows_.data();
  forms.offsets = offsets_.data();
  forms.is_triangular = false;
  return forms;
}

// ‖z‖² as forms on x: the rows of B.
ArmForms<double> ArmScreen::norm_forms(std::size_t constraint) {
  const Eigen::MatrixXd& B = safe_set_.matrix(constraint);
  rows_ = B.transpose();
  offsets_.noalias() = B * centre_;
  linear_.setZero();
  return {.dim = region_->dim(),
          .linear = linear_.data(),
          .forms = rows_.data(),
          .offsets = offsets_.data()};
}

// Whether the bound from the data exceeds its limit: μ̂ᵀz + ρw > limit is asked of squares, without
// a root; such roundings are in the limit. Squares that are not reliable exceed nothing.
struct ArmScreen::DataRefusal {
  double limit;
  double reach;  // ρ
  bool is_square;

  [[nodiscard]] bool can_tell() const { return !is_square || is_reliable(reach * reach); }
  [[nodiscard, gnu::always_inline]] bool operator()(double estimate, double spread) const {
    const double room = limit - estimate;
    const double room_sq = std::max(room * room, kLeastSquare);
    const bool exceeds_room = is_square ? reach * reach * spread > room_sq : reach * spread > room;
    const bool can_count = spread < kLargestSquare && (!is_square || spread > kLeastSquare);
    return (room < 0.0 || exceeds_room) && can_count;
  }
};

ArmScreen::DataRefusal ArmScreen::data_refusal(std::size_t constraint, double length) const {
  return {.limit = data_limit(constraint, length),
          .reach = safe_set_.reach(constraint) * kFaithfulShare,
          .is_square = !is_exact_l1()};
}

// Rules out the arms whose bound from the data exceeds its limit, and that without data, too, if it
// counts.
void ArmScreen::rule_out(std::size_t constraint, double length, Eigen::Index count,
                         const double* prior_bounds, Eigen::VectorXd& losses) const {
  const DataRefusal is_refused = data_refusal(constraint, length);
  if (!is_refused.can_tell()) {
    return;
  }
  const double least = prior_limit(constraint, length);
  const double* __restrict estimates = estimates_.data();
  const double* __restrict spreads = spreads_.data();
  double* __restrict result = losses.data();
  for (Eigen::Index i = 0; i < count; ++i) {
    const bool is_open =
        prior_bounds == nullptr || (prior_bounds[i] > least && prior_bounds[i] < kLargestSquare);
    if (is_refused(estimates[i], spreads[i]) && is_open) {
      result[i] = kInfinity;
    }
  }
}

// S‖z‖ from below by what is there, without a pass for the norms: |μ̂ᵀz| ≤ ‖μ̂‖‖z‖, and
// ‖F⁻¹z‖ ≤ ‖F⁻¹‖_F‖z‖, likewise for H⁻ᵀ. What a computed form errs by, divided by the form's norm,
// is no more than what `prior_limit` allows a computed norm. Norms of squares that are not reliable
// bound nothing.
void ArmScreen::set_prior_bounds(std::size_t constraint, Eigen::Index count) {
  const bool is_square = !is_exact_l1();
  const double S = safe_set_.norm_bound(constraint);
  const double estimate_weight = is_reliable(mu_norm_ * mu_norm_) ? S / mu_norm_ : 0.0;
  const double width_weight = S / width_norm_;
  const double* __restrict estimates = estimates_.data();
  const double* __restrict spreads = spreads_.data();
  double* __restrict bounds = prior_bounds_.data();
  for (Eigen::Index i = 0; i < count; ++i) {
    const double width_sq = spreads[i] > kLeastSquare ? spreads[i] : 0.0;
    const double width = is_square ? std::sqrt(width_sq) : spreads[i];
    bounds[i] = std::max(estimate_weight * std::abs(estimates[i]), width_weight * width);
  }
}

// Rules out those that the data refuse and whose norm does as well, where a bound on it was too
// weak to tell.
void ArmScreen::rule_out_by_norm(std::size_t constraint, double length,
                                 const ArmBlock<double>& arms, Eigen::VectorXd& losses) {
  const DataRefusal is_refused = data_refusal(constraint, length);
  if (!is_refused.can_tell()) {
    return;
  }
  const ArmForms<double> forms = norm_forms(constraint);
  const double least = prior_limit(constraint, length);
  const auto settle = [&] {
    const auto count = static_cast<Eigen::Index>(unsettled_.size());
    gather(arms, unsettled_, unsettled_arms_);
    evaluate({unsettled_arms_.data(), unsettled_arms_.rows(), count}, true, forms, tail_,
             forgotten_.data(), norms_.data());
    for (Eigen::Index i = 0; i < count; ++i) {
      const double bound = safe_set_.prior_bound(constraint, std::sqrt(norms_(i)));
      if (is_reliable(norms_(i)) && bound > least) {
        losses(unsettled_[static_cast<std::size_t>(i)]) = kInfinity;
      }
    }
    unsettled_.clear();
  };
  for (Eigen::Index i = 0; i < arms.count; ++i) {
    if (losses(i) < kInfinity && is_refused(estimates_(i), spreads_(i))) {
      unsettled_.push_back(i);
      if (unsettled_.size() == kGathered) {
        settle();
      }
    }
  }
  if (!unsettled_.empty()) {
    settle();
  }
}

}  // namespace foothold::arms
