#include "foothold/safety/certifier.hpp"

#include <algorithm>
#include <cmath>

#include "foothold/base/check.hpp"
#include "foothold/base/double_double.hpp"
#include "foothold/base/infinity.hpp"
#include "foothold/base/invariant.hpp"
#include "foothold/base/rounding.hpp"
#include "foothold/base/simd/compensated.hpp"
#include "foothold/base/simd/small_product.hpp"

namespace foothold::safety {
namespace {

using rounding::inflate;
using rounding::kTiny;
using rounding::kUnit;
using rounding::norm_upper;
using rounding::norm_upper_coarse;
using rounding::up;

// Attempts to move an action off its limits. The first step already lands inside but for the
// roundings of the step and of the new bounds; each further one doubles the distance.
constexpr int kMaxShrinks = 40;
constexpr double kFirstShrink = 8.0 * kUnit;

// u + excess, rounded up; u = c − m was rounded as well. A safe action is bounded by c itself.
double total_bound(const Problem& problem, const SafeSet& safe_set, std::size_t constraint,
                   const ConstraintCertificate& entry) {
  if (!problem.baseline) {
    return entry.excess;
  }
  const double used = safe_set.used(constraint);
  const double sum = used + entry.excess;
  const double total = sum + inflate(4.0 * kUnit * (std::abs(used) + std::abs(entry.excess)));
  return entry.is_safe() ? std::min(total, entry.limit) : total;
}

// Makes `high` the rounded sum of the two parts.
template <int Fixed>
void normalise(estimation::Direction& z) {
  const Eigen::Index d = fixed_or<Fixed>(z.high.size());
  double* __restrict high = z.high.data();
  double* __restrict low = z.low.data();
#pragma GCC unroll 1
  for (Eigen::Index i = 0; i < d; ++i) {
    const DoubleDouble entry = two_sum(high[i], low[i]);
    high[i] = entry.high;
    low[i] = entry.low;
  }
}

}  // namespace

Certifier::Certifier(const Problem& problem, const SafetyRule& rule)
    : problem_(&problem),
      safe_set_(problem, rule),
      centre_(problem.centre()),
      is_centred_((centre_.array() == 0.0).all()),
      matrix_norms_(static_cast<Eigen::Index>(problem.constraints.size())) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(problem.dim());
  difference_ = {.high = zero, .low = zero, .error = 0.0};
  direction_ = difference_;
  start_ = zero;
  for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
    matrix_norms_(static_cast<Eigen::Index>(k)) =
        norm_upper(problem.constraints[k].matrix.reshaped());
  }
}

void Certifier::certify(const estimation::RidgeEstimate& estimate,
                        const estimation::ConfidenceRegion& region,
                        const Eigen::Ref<const Eigen::VectorXd>& x, Evidence evidence,
                        Certificate& certificate) {
  FOOTHOLD_ASSERT(x.size() == problem_->dim());
  bound_constraints({.estimate = estimate, .region = region, .evidence = evidence}, x, certificate);
  certificate.is_in_decision_set = geometry::contains(problem_->decision_set, x);
}

// All of a certificate but the membership in the decision set.
void Certifier::bound_constraints(const State& state, const Eigen::Ref<const Eigen::VectorXd>& x,
                                  Certificate& certificate) {
  rounding::require_nearest();
  prepare(state);
  certificate.constraints.resize(problem_->constraints.size());
  certificate.observations = state.estimate.count();
  certificate.digest = state.estimate.digest();
  with_fixed_dim(x.size(), [&](auto fixed) {
    set_difference<fixed.value>(x);
    for (std::size_t k = 0; k < certificate.constraints.size(); ++k) {
      ConstraintCertificate& entry = certificate.constraints[k];
      set_direction<fixed.value>(k);
      bound<fixed.value>(k, state, entry);
      if (!entry.is_safe()) {  // in the arithmetic that leaves less open
        sharpen_direction(k);
        bound<Eigen::Dynamic>(k, state, entry);
      }
    }
  });
}

void Certifier::prepare(const State& state) {
  if (state.evidence == Evidence::Prior) {
    return;
  }
  radius_ = state.estimate.radius(rule().radius);
  if (family_ != nullptr) {
    family_radii_.resize(family_->size());
    for (std::size_t i = 0; i < family_radii_.size(); ++i) {
      family_radii_[i] = family_->radius(i, state.estimate);
    }
  }
}

// The smallest bound on the direction that was set, of those that may be used. Bounds are written
// where they belong: a copy of what was just written, by wider words, would have to wait for it.
template <int Fixed>
[[gnu::always_inline]] inline void Certifier::bound(std::size_t constraint, const State& state,
                                                    ConstraintCertificate& entry) const {
  if (state.evidence == Evidence::Prior) {
    set_prior_bound(constraint, entry);
    return;
  }
  set_region_bound(constraint, state,
                   direction_.has_low
                       ? state.estimate.bounds(direction_, estimation::Arithmetic::Doubled)
                       : state.estimate.plain_bounds<Fixed>(direction_),
                   entry);
  if (family_ != nullptr) {
    improve_by_family(constraint, entry);
  }
  if (state.evidence == Evidence::Either) {
    ConstraintCertificate by_prior;
    set_prior_bound(constraint, by_prior);
    if (!(entry.excess < by_prior.excess)) {  // also for NaN
      entry = by_prior;
    }
  }
}

bool Certifier::certify_scaled(const estimation::RidgeEstimate& estimate,
                               const estimation::ConfidenceRegion& region,
                               Eigen::Ref<Eigen::VectorXd> x, Evidence evidence,
                               Certificate& certificate) {
  const State state{.estimate = estimate, .region = region, .evidence = evidence};
  double scale = 1.0;
  double shrink = kFirstShrink;
  const auto move = [&](double factor) {
    if (scale == 1.0) {
      start_ = x;
    }
    scale *= factor * (1.0 - shrink);
    shrink *= 2.0;
    x = centre_ + scale * (start_ - centre_);
    certificate.is_in_decision_set = geometry::contains(problem_->decision_set, x);
  };
  // A vertex of a polytope lies outside by rounding as often as not: no bound is needed to see it.
  certificate.is_in_decision_set = geometry::contains(problem_->decision_set, x);
  if (!certificate.is_in_decision_set) {
    move(1.0);
  }
  for (int attempt = 0;; ++attempt) {
    bound_constraints(state, x, certificate);
    if (certificate.is_safe()) {
      return true;
    }
    const double factor = factor_to_limits(certificate);
    if (!std::isfinite(factor) || attempt == kMaxShrinks) {
      return false;
    }
    move(factor);
  }
}

// Bounds are positively homogeneous in x − x₀: times this factor it reaches no further than the
// limits. NaN if nothing is known of x.
double Certifier::factor_to_limits(const Certificate& certificate) {
  double factor = 1.0;
  for (const ConstraintCertificate& entry : certificate.constraints) {
    if (!std::isfinite(entry.excess)) {
      return kNaN;
    }
    if (entry.excess > entry.room) {
      factor = std::min(factor, std::max(entry.room / entry.excess, 0.0));
    }
  }
  return factor;
}

// x − x₀, which is exact as a pair.
template <int Fixed>
[[gnu::always_inline]] inline void Certifier::set_difference(
    const Eigen::Ref<const Eigen::VectorXd>& x) {
  auto high = fixed_view<Fixed>(difference_.high);
  if (is_centred_) {
    high = fixed_view<Fixed>(x);
  } else {
    for (Eigen::Index j = 0; j < x.size(); ++j) {
      const DoubleDouble difference = two_sum(x(j), -centre_(j));
      difference_.high(j) = difference.high;
      difference_.low(j) = difference.low;
    }
  }
  difference_norm_ = norm_upper_coarse(high);
}

// z = B(x − x₀) by plain sums of d products: γ_d‖|B||x − x₀|‖ ≤ γ_d‖B‖_F‖x − x₀‖, and u of this for
// the low part of the difference. The norms are multiplied first: u‖B‖ alone may underflow.
template <int Fixed>
[[gnu::always_inline]] inline void Certifier::set_direction(std::size_t constraint) {
  const Eigen::MatrixXd& B = safe_set_.matrix(constraint);
  const auto d = static_cast<double>(fixed_or<Fixed>(B.rows()));
  multiply<Fixed>(B, difference_.high, direction_.high);
  direction_.has_low = false;
  direction_.error = inflate(matrix_norms_(static_cast<Eigen::Index>(constraint)) *
                                 difference_norm_ * ((d + 2.0) * kUnit),
                             8.0) +
                     d * d * kTiny;
}

// The same in doubled precision.
void Certifier::sharpen_direction(std::size_t constraint) {
  const Eigen::MatrixXd& B = safe_set_.matrix(constraint);
  const Eigen::Index d = B.rows();
  direction_.high.setZero();
  direction_.low.setZero();
  if (!is_centred_) {
    direction_.low.noalias() = B * difference_.low;
  }
  with_fixed_dim(d, [&](auto fixed) {
    add_product<fixed.value>(B, difference_.high, direction_.high, direction_.low);
    normalise<fixed.value>(direction_);
  });
  direction_.has_low = true;
  // Of ‖B‖_F‖x − x₀‖ `add_product` loses the given part. The plain product with the low part, at
  // most u of this, loses du of itself and (2d + 2)u in the sum; doubled, the part covers all.
  const auto size = static_cast<double>(d);
  direction_.error = inflate(matrix_norms_(static_cast<Eigen::Index>(constraint)) *
                                 difference_norm_ * (2.0 * compensated_error(d)),
                             8.0) +
                     size * size * kTiny;
}

void Certifier::set_prior_bound(std::size_t constraint, ConstraintCertificate& entry) const {
  const double S = safe_set_.norm_bound(constraint);
  const double norm = norm_upper(direction_.high);
  const double low_norm = direction_.has_low ? norm_upper(direction_.low) : 0.0;
  const double norm_error = inflate(low_norm + direction_.error);
  entry = {};
  entry.kind = BoundKind::APriori;
  entry.limit = safe_set_.limit(constraint);
  entry.room = safe_set_.room(constraint);
  entry.excess = inflate(S * inflate(norm + norm_error));
  entry.bound = total_bound(*problem_, safe_set_, constraint, entry);
  entry.allowance = std::max(entry.excess - S * norm, 0.0);
}

// μ̂ᵀz + κβ‖z‖_{A⁻¹} of one estimate, with its rounding errors.
void Certifier::set_ellipsoid_bound(std::size_t constraint, BoundKind kind,
                                    const estimation::DirectionBounds& bounds, double radius,
                                    double ridge, ConstraintCertificate& entry) const {
  const double kappa =
      kind == BoundKind::L1Paper ? inflate(safe_set_.caution_factor(constraint), 1.0) : 1.0;
  // The sums below err by 2u of their terms, which is in what the spread and the rest are inflated
  // by.
  const double spread = inflate(kappa * radius * bounds.width, 8.0);
  const double rest =
      bounds.estimate + inflate(bounds.allowance + 4.0 * kUnit * std::abs(bounds.estimate), 8.0);
  entry.kind = kind;
  entry.limit = safe_set_.limit(constraint);
  entry.room = safe_set_.room(constraint);
  entry.excess = rest + spread;
  entry.bound = total_bound(*problem_, safe_set_, constraint, entry);
  entry.radius = radius;
  entry.ridge = ridge;
  entry.width = bounds.width;
  const double plain = bounds.estimate + kappa * radius * bounds.width;
  entry.allowance = std::max(entry.excess - plain, 0.0);
}

void Certifier::set_region_bound(std::size_t constraint, const State& state,
                                 const estimation::DirectionBounds& bounds,
                                 ConstraintCertificate& entry) const {
  const BoundKind kind = bound_kind(inner_caution(rule().caution));
  set_ellipsoid_bound(constraint, kind, bounds, radius_, state.estimate.ridge(), entry);
  if (rule().caution == Caution::L1Exact) {
    widen_to_l1(constraint, bounds, state.region, entry);
  }
}

// The ℓ₁ region contains the ellipsoid for every root, so its bound is never below the
// ellipsoid's. Taking the larger of the two makes the result proof against errors of the computed
// root: the ellipsoid's bound is rigorous.
void Certifier::widen_to_l1(std::size_t constraint, const estimation::DirectionBounds& bounds,
                            const estimation::ConfidenceRegion& region,
                            ConstraintCertificate& entry) const {
  const auto d = static_cast<double>(problem_->dim());
  double dual_norm = 0.0;
  for (Eigen::Index i = 0; i < direction_.high.size(); ++i) {
    dual_norm = std::max(dual_norm, std::abs(region.root_inverse().col(i).dot(direction_.high)));
  }
  const double plain = bounds.estimate + safe_set_.caution_factor(constraint) * radius_ * dual_norm;
  entry.kind = BoundKind::L1Exact;
  if (!(plain <= entry.excess)) {
    entry.excess =
        up(plain + bounds.allowance + 4.0 * kUnit * std::abs(bounds.estimate), 2.0 * d + 8.0);
    entry.bound = total_bound(*problem_, safe_set_, constraint, entry);
  }
  entry.allowance = std::max(entry.excess - plain, 0.0);
}

// Keeps the smallest of the bounds; one that is NaN is never smaller.
void Certifier::improve_by_family(std::size_t constraint, ConstraintCertificate& entry) const {
  if (rule().caution != Caution::Ellipsoid || rule().radius != estimation::RadiusForm::Mixture) {
    return;
  }
  for (std::size_t member = 0; member < family_->size(); ++member) {
    const estimation::RidgeEstimate& estimate = family_->member(member);
    ConstraintCertificate other;
    set_ellipsoid_bound(constraint, BoundKind::Ellipsoid, estimate.bounds(direction_, arithmetic()),
                        family_radii_[member], estimate.ridge(), other);
    if (other.excess < entry.excess) {
      entry = other;
    }
  }
}

Certificate certify(const Problem& problem, const SafetyRule& rule,
                    const estimation::RidgeEstimate& estimate, const Eigen::VectorXd& action,
                    const estimation::RidgeFamily* family) {
  check::size_is(action.size(), problem.dim(), "action");
  check::all_finite(action, "action");
  estimation::ConfidenceRegion region(problem.dim());
  if (rule.caution == Caution::L1Exact) {
    region.update(estimate, rule.radius, rule.root);
  }
  Certifier certifier(problem, rule);
  if (family != nullptr) {
    certifier.use_family(*family);
  }
  Certificate certificate;
  certifier.certify(estimate, region, action, admitted_evidence(rule.certified), certificate);
  return certificate;
}

}  // namespace foothold::safety
