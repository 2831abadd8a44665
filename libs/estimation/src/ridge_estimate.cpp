#include "foothold/estimation/ridge_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "foothold/base/check.hpp"
#include "foothold/base/invariant.hpp"
#include "foothold/base/rounding.hpp"
#include "foothold/base/simd/compensated.hpp"
#include "foothold/base/simd/register_vector.hpp"
#include "foothold/base/simd/small_product.hpp"

#include "plain_share.hpp"

namespace foothold::estimation {
namespace {

using rounding::inflate;
using rounding::kTiny;
using rounding::kUnit;
using rounding::norm_upper;
using rounding::norm_upper_coarse;
using rounding::up;

// Relative excess over L that rounding can produce when a caller scales an
// action to norm L; far below any effect on the radii.
constexpr double kNormTolerance = 1e-12;

// A solve is improved while ‖s‖²/λ, the part of the bound that the factor is to blame for,
// exceeds this share of zᵀA⁻¹z; beyond `kMaxRefinements` the factor has nothing left to give.
constexpr double kRefineAbove = 1e-14;
constexpr int kMaxRefinements = 3;

// μ̂ is carried from one observation to the next while its residual, as plain arithmetic sees it,
// stays below so many roundings of √d tr(A)‖μ̂‖; the rounding of μ̂ itself and of the residual can
// cause two.
constexpr double kCarryUnits = 4.0;

// Plain arithmetic is good enough for the width of an observed action, which enters log det A, if
// it leaves this share of its square open; and for the residual r of μ̂ if ‖r‖ ≤ kPlainShare √λ‖μ̂‖,
// so that |rᵀA⁻¹z| ≤ kPlainShare ‖μ̂‖‖z‖_{A⁻¹}.
constexpr double kPlainShare = 1e-10;

// The factor is computed anew if it leaves a residual above this share of λ‖μ̂‖ and above so many
// roundings of ‖A‖‖μ̂‖.
constexpr double kRefactorAbove = 1e-9;
constexpr double kRefactorUnits = 64.0;

Assumptions validated(Eigen::Index dim, const Assumptions& assumptions) {
  check::positive(static_cast<double>(dim), "dim");
  validate(assumptions);
  if (!assumptions.action_bound) {
    throw Error(ErrorCode::InvalidArgument, "action_bound", "must be given");
  }
  return assumptions;
}

Direction zero_direction(Eigen::Index dim) {
  return {.high = Eigen::VectorXd::Zero(dim), .low = Eigen::VectorXd::Zero(dim), .error = 0.0};
}

// zᵀy in doubled precision.
template <int Fixed>
double dot(const Direction& z, const Eigen::VectorXd& y) {
  const DoubleDouble sum = compensated_dot<Fixed>(z.high, y);
  if (!z.has_low) {
    return sum.value();
  }
  return sum.high + (sum.low + fixed_view<Fixed>(z.low).dot(fixed_view<Fixed>(y)));
}

// z − A y; in `residual` if it does not stay in a register. `y_in` holds y.
template <int Fixed>
[[gnu::always_inline]] inline Link<Fixed> plain_residual(const Eigen::MatrixXd& A,
                                                         const Eigen::VectorXd& z,
                                                         const Link<Fixed>& y,
                                                         const Eigen::VectorXd& y_in,
                                                         Eigen::VectorXd& residual) {
  if constexpr (kFitsRegister<Fixed>) {
    return link<Fixed>(z) - A * y;
  } else if constexpr (Fixed > 0) {
    fixed_view<Fixed>(residual) = fixed_view<Fixed>(z) - small_product<Fixed>(A, y_in);
    return fixed_view<Fixed>(std::as_const(residual));
  } else {
    residual = z;
    residual.noalias() -= A * y_in;
    return fixed_view<Fixed>(std::as_const(residual));
  }
}

// What `dot` can err by before its last rounding, for vectors of these norms: by
// Σ|zᵢyᵢ| ≤ ‖z‖‖y‖, the plain sum with `low`, and underflow; and the part of z that high + low
// leave out. The norms are multiplied first: u²‖z‖ alone may underflow where u²‖z‖‖y‖ does not.
double dot_error(const Direction& z, double high_norm, double low_norm, double y_norm) {
  const auto d = static_cast<double>(z.high.size());
  return inflate(high_norm * y_norm * (2.0 * compensated_error(z.high.size())) +
                     low_norm * y_norm * ((d + 4.0) * kUnit) + z.error * y_norm,
                 8.0) +
         2.0 * d * kTiny;
}

}  // namespace

RidgeEstimate::RidgeEstimate(Eigen::Index dim, const Assumptions& assumptions,
                             const Digest128& origin)
    : assumptions_(validated(dim, assumptions)),
      log_inverse_delta_(-std::log(assumptions.failure_prob)),
      root_ridge_(std::sqrt(ridge_or_default(assumptions))),
      inverse_root_ridge_(1.0 / root_ridge_),
      root_dim_(std::sqrt(static_cast<double>(dim))),
      gram_(dim, ridge_or_default(assumptions)),
      loss_sum_(zero_direction(dim)),
      mu_hat_(Eigen::VectorXd::Zero(dim)),
      digest_(origin),
      last_change_{.y = Eigen::VectorXd::Zero(dim)},
      action_(zero_direction(dim)),
      y_(Eigen::VectorXd::Zero(dim)),
      residual_(Eigen::VectorXd::Zero(dim)),
      correction_(Eigen::VectorXd::Zero(dim)),
      half_(Eigen::VectorXd::Zero(dim)),
      negated_(Eigen::VectorXd::Zero(dim)),
      errors_(Eigen::VectorXd::Zero(dim)) {
  action_.has_low = false;
  sharp_residual_.residual.setZero(dim);
}

// y ← F⁻ᵀF⁻¹z: two products, without the chains of a triangular solve.
template <int Fixed>
[[gnu::always_inline]] inline void RidgeEstimate::apply_inverse(const Eigen::VectorXd& z,
                                                                Eigen::VectorXd& y) const {
  multiply<Fixed>(gram_.factor_inverse(), z, half_);
  multiply<Fixed>(gram_.root_inverse(), half_, y);
}

// An upper bound on ‖z‖_{A⁻¹} by plain arithmetic: `bound_width` without a second attempt. What it
// proves may be of little use. Roots and norms are few, since each waits for the one before.
template <int Fixed>
[[gnu::always_inline]] inline RidgeEstimate::PlainWidth RidgeEstimate::bound_width_plainly(
    const Direction& z, double z_norm) const {
  const Eigen::Index d = fixed_or<Fixed>(dim());
  const auto size = static_cast<double>(d);
  const Link<Fixed> direction = link<Fixed>(z.high);
  const Link<Fixed> whitened =
      multiply_link<Fixed>(gram_.factor_inverse(), direction, z.high, half_);
  const Link<Fixed> y = multiply_link<Fixed>(gram_.root_inverse(), whitened, half_, y_);
  const Link<Fixed> s = plain_residual<Fixed>(gram_.matrix(), z.high, y, y_, residual_);
  // ‖y‖² from above: squares that underflow lose less than kTiny each. Where what is bounded is
  // small in itself, ‖·‖₁ is good enough.
  const double y_sq = std::fma(y.squaredNorm(), 1.0 + plain_share(d), size * kTiny);
  const double y_sum = norm_upper_coarse(y);
  const double s_sum = norm_upper_coarse(s);

  // zᵀy loses so much of ‖y‖, and the computed s = z − A y so much of 1, beside what A y does.
  const double z_error = plain_share(d) * norm_upper_coarse(direction) + z.error + kTiny;
  const double s_norm = s_sum + inflate(gram_.product_error() * y_sum + z_error, 8.0);
  const double s_width = width_without_data(s_norm);

  // As in `bound_width`. yᵀs errs by ‖y‖ times the error of s, and as a sum.
  const double z_dot_y = direction.dot(y);
  const double rest = s_width * s_width;
  const double quadratic = (z_dot_y + y.dot(s)) + rest;
  // `plain_share` has to spare what the few roundings of the error itself take, and those of a sum
  // of terms that cancel; those of other sums are in `inflate`. A negative square becomes NaN.
  const double error =
      gram_.product_error() * y_sq + (2.0 * z_error + plain_share(d) * s_sum) * y_sum;
  const double width_sq = inflate(quadratic + error, 16.0);
  const double data_width = inflate(std::sqrt(width_sq), 8.0);
  const double prior_width = inflate((z_norm + z.error) * inverse_root_ridge_, 8.0);
  return {.width = std::min(prior_width, data_width),
          .width_sq = width_sq,
          .z_dot_y = z_dot_y,
          .slack = 2.0 * error + rest,
          .y_norm = std::min(y_sum, inflate(std::sqrt(y_sq))),  // the former where squares vanish
          .s_width = s_width,
          .z_error = z_error};
}

void RidgeEstimate::require_acceptable(const Eigen::Ref<const Eigen::VectorXd>& action,
                                       double loss) const {
  check::size_is(action.size(), dim(), "action");
  take_action<Eigen::Dynamic>(action);
  accepted_norm<Eigen::Dynamic>(loss);
}

// Into a workspace: sums over it do not depend on where the action lies.
template <int Fixed>
void RidgeEstimate::take_action(const Eigen::Ref<const Eigen::VectorXd>& action) const {
  fixed_view<Fixed>(action_.high) = fixed_view<Fixed>(action);
}

template <int Fixed>
double RidgeEstimate::accepted_norm(double loss) const {
  const double norm = norm_upper(fixed_view<Fixed>(action_.high));
  if (!std::isfinite(norm)) {
    check::all_finite(action_.high, "action");
  }
  check::finite(loss, "loss");
  if (!(norm <= *assumptions_.action_bound * (1.0 + kNormTolerance))) {
    throw Error(ErrorCode::InvalidArgument, "action",
                fmt::format("must have norm at most action_bound = {}, got {}",
                            *assumptions_.action_bound, norm));
  }
  // The sums must stay finite; half the range leaves room for what is computed from them.
  constexpr double kLimit = 0x1p1022;
  if (!(gram_.largest() + norm * norm < kLimit)) {
    throw Error(ErrorCode::InvalidArgument, "action",
                fmt::format("must keep the Gram matrix finite, got norm {}", norm));
  }
  if (!(loss_sum_size_ + std::abs(loss) * norm < kLimit)) {
    throw Error(ErrorCode::InvalidArgument, "loss",
                fmt::format("must keep the sum of losses finite, got {}", loss));
  }
  return norm;
}

void RidgeEstimate::observe(const Eigen::Ref<const Eigen::VectorXd>& action, double loss) {
  check::size_is(action.size(), dim(), "action");
  with_fixed_dim(dim(), [&](auto fixed) { observe_sized<fixed.value>(action, loss); });
}

template <int Fixed>
void RidgeEstimate::observe_sized(const Eigen::Ref<const Eigen::VectorXd>& action, double loss) {
  take_action<Fixed>(action);
  const double action_norm = accepted_norm<Fixed>(loss);
  const PlainWidth plain = bound_width_plainly<Fixed>(action_, action_norm);
  double width_sq = plain.width_sq;
  double x_dot_y = plain.z_dot_y;
  const auto x = fixed_view<Fixed>(action_.high);
  const auto y = fixed_view<Fixed>(y_);
  if (!(plain.slack <= kPlainShare * x_dot_y)) {
    Solution solution;
    const double width = bound_width<Fixed>(action_, {.high = action_norm, .low = 0.0}, solution);
    width_sq = inflate(width * width);
    x_dot_y = x.dot(y);
  }
  log_det_ratio_ = log_det_ratio_ + inflate(std::log1p(width_sq), 4.0);
  fixed_view<Fixed>(last_change_.y) = y;  // the solve behind the width
  last_change_.growth = 1.0 + x_dot_y;
  last_change_.from = digest_;

  gram_.update(action_.high, half_);  // F⁻¹x, left by whichever width was computed last
  add_to_loss_sum<Fixed>(action_norm, loss);
  ++count_;
  digest_ = chained(digest_, action_.high.data(), dim(), loss);
  // A'⁻¹b' = μ̂ + y(ℓ − μ̂ᵀx)/(1 + xᵀy) for the exact μ̂ and y = A⁻¹x; what the computed ones miss
  // shows in the residual.
  auto mu_hat = fixed_view<Fixed>(mu_hat_);
  mu_hat += ((loss - mu_hat.dot(x)) / last_change_.growth) * y;
  improve_mu_hat<Fixed>();
}

template <int Fixed>
void RidgeEstimate::add_to_loss_sum(double action_norm, double loss) {
  const Eigen::Index d = fixed_or<Fixed>(dim());
  const double* __restrict x = action_.high.data();
  double* __restrict high = loss_sum_.high.data();
  double* __restrict low = loss_sum_.low.data();
#pragma GCC unroll 1
  for (Eigen::Index i = 0; i < d; ++i) {
    const DoubleDouble sum = DoubleDouble{high[i], low[i]} + two_product(loss, x[i]);
    high[i] = sum.high;
    low[i] = sum.low;
  }
  loss_sum_size_ = fixed_view<Fixed>(loss_sum_.high).cwiseAbs().maxCoeff();
  const double magnitude = loss_sum_size_ + std::abs(loss) * action_norm;
  loss_sum_.error += inflate(root_dim_ * 8.0 * kUnit * kUnit * magnitude) + kTiny;
}

// Bounds the residual of μ̂, after a step of refinement or a new solve where it is too large.
template <int Fixed>
void RidgeEstimate::improve_mu_hat() {
  const auto is_good = [this] {
    return mu_solution_.residual_norm - mu_solution_.residual_error <=
           kCarryUnits * root_dim_ * kUnit * gram_.trace() * mu_solution_.y_norm + kTiny;
  };
  judge_mu_hat<Fixed>();
  if (!is_good()) {
    apply_inverse<Fixed>(sharp_mu_residual<Fixed>().residual, correction_);
    mu_hat_ += correction_;
    judge_mu_hat<Fixed>();
    if (!is_good()) {
      solve_for_mu_hat<Fixed>();
      judge_mu_hat<Fixed>();
    }
  }
}

template <int Fixed>
void RidgeEstimate::judge_mu_hat() {
  const double computed_norm = norm_upper_coarse(plain_residual<Fixed>(
      gram_.matrix(), loss_sum_.high, link<Fixed>(mu_hat_), mu_hat_, residual_));
  const Eigen::Index d = fixed_or<Fixed>(dim());
  mu_solution_.y_norm = norm_upper(fixed_view<Fixed>(mu_hat_));
  // The low part of b, too, is left out: u of ‖b‖ ≤ √d max|bᵢ|.
  mu_solution_.residual_error =
      inflate(gram_.product_error() * mu_solution_.y_norm +
                  plain_share(d) * inflate(root_dim_ * loss_sum_size_) + loss_sum_.error,
              16.0) +
      static_cast<double>(d) * kTiny;
  mu_solution_.residual_norm = inflate(computed_norm + mu_solution_.residual_error);
  sharp_residual_.count = -1;  // that of an earlier μ̂
  if (!(mu_solution_.residual_norm <= kPlainShare * root_ridge_ * mu_solution_.y_norm)) {
    mu_solution_ = sharp_mu_residual<Fixed>().solution;
  }
}

template <int Fixed>
const RidgeEstimate::SharpResidual& RidgeEstimate::sharp_mu_residual() const {
  if (sharp_residual_.count != count_) {
    const double mu_norm = norm_upper(fixed_view<Fixed>(mu_hat_));
    sharp_residual_.solution = judge<Fixed>(loss_sum_, norms_of<Fixed>(loss_sum_), mu_hat_, mu_norm,
                                            sharp_residual_.residual);
    sharp_residual_.count = count_;
  }
  return sharp_residual_;
}

template <int Fixed>
RidgeEstimate::DirectionNorms RidgeEstimate::norms_of(const Direction& z) {
  return {.high = norm_upper(fixed_view<Fixed>(z.high)),
          .low = z.has_low ? norm_upper_coarse(fixed_view<Fixed>(z.low)) : 0.0};
}

template <int Fixed>
void RidgeEstimate::solve_for_mu_hat() {
  const DirectionNorms norms = norms_of<Fixed>(loss_sum_);
  // What a good factor leaves is the rounding of μ̂ itself, u‖A‖‖μ̂‖; no other factor does better.
  const auto is_poor = [this] {
    sharp_residual_.count = -1;
    const Solution& known = sharp_mu_residual<Fixed>().solution;
    const double attainable =
        std::max(kRefactorAbove * ridge(), kRefactorUnits * kUnit * gram_.trace());
    return !(known.residual_norm <= attainable * known.y_norm + kTiny);
  };
  solve_with_factor(loss_sum_, norms, mu_hat_, residual_);
  if (is_poor() && gram_.refactor()) {
    solve_with_factor(loss_sum_, norms, mu_hat_, residual_);
  }
  if (!rounding::is_finite(mu_hat_)) {
    mu_hat_.setZero();  // valid with r = b, and useless: only the foothold will be certified
  }
}

// Whether ‖s‖²/λ, the part of the bound that an inexact solve is to blame for, is small.
bool RidgeEstimate::is_solved(double residual_norm, double z_dot_y) const {
  const double s_width = residual_norm * inverse_root_ridge_;
  return s_width * s_width <= kRefineAbove * std::abs(z_dot_y);
}

// y ≈ A⁻¹z by the inverse that is kept, or by the factor if that is not good enough.
template <int Fixed>
RidgeEstimate::Solution RidgeEstimate::solve(const Direction& z, const DirectionNorms& norms,
                                             Eigen::VectorXd& y, Eigen::VectorXd& residual) const {
  apply_inverse<Fixed>(z.high, y);
  const double y_norm = norm_upper_coarse(fixed_view<Fixed>(y));
  const Solution solution = judge<Fixed>(z, norms, y, y_norm, residual);
  // zᵀy = ‖F⁻¹z‖² for this y. What z itself leaves open no solve can mend.
  return is_solved(solution.residual_norm - z.error, fixed_view<Fixed>(half_).squaredNorm())
             ? solution
             : solve_with_factor(z, norms, y, residual);
}

// y ≈ A⁻¹z by two triangular solves, improved by the residual while that pays.
RidgeEstimate::Solution RidgeEstimate::solve_with_factor(const Direction& z,
                                                         const DirectionNorms& norms,
                                                         Eigen::VectorXd& y,
                                                         Eigen::VectorXd& residual) const {
  const auto lower = gram_.factor().triangularView<Eigen::Lower>();
  const auto upper = gram_.factor().transpose().triangularView<Eigen::Upper>();
  y = z.high;
  lower.solveInPlace(y);
  upper.solveInPlace(y);
  for (int round = 0;; ++round) {
    const Solution solution = judge(z, norms, y, norm_upper_coarse(y), residual);
    if (is_solved(solution.residual_norm - z.error, z.high.dot(y)) || round == kMaxRefinements ||
        !std::isfinite(solution.residual_norm)) {
      return solution;
    }
    correction_ = residual;
    lower.solveInPlace(correction_);
    upper.solveInPlace(correction_);
    y += correction_;
  }
}

// residual ← z − A y, accumulated in doubled precision, and what is known of it.
template <int Fixed>
RidgeEstimate::Solution RidgeEstimate::judge(const Direction& z, const DirectionNorms& norms,
                                             const Eigen::VectorXd& y, double y_norm,
                                             Eigen::VectorXd& residual) const {
  auto sum = fixed_view<Fixed>(residual);
  auto errors = fixed_view<Fixed>(errors_);
  sum = fixed_view<Fixed>(z.high);
  if (z.has_low) {
    errors = fixed_view<Fixed>(z.low);
  } else {
    errors.setZero();
  }
  fixed_view<Fixed>(negated_) = -fixed_view<Fixed>(y);
  add_product<Fixed>(gram_.matrix(), gram_.matrix_low(), negated_, residual, errors_);
  sum += errors;

  // ‖|A||y|‖ ≤ ‖A‖_F ‖y‖ ≤ tr(A) ‖y‖ for A ⪰ 0. What `add_product` leaves, with a tenth of its
  // bound to spare for the rounding of A; the error of A itself; and the last sum.
  const auto size = static_cast<double>(dim());
  const double computed_norm = norm_upper(sum);
  const double error =
      inflate(1.1 * compensated_error(dim()) * (gram_.trace() * y_norm + norms.high) +
                  (2.0 * size + 2.0) * kUnit * norms.low +
                  size * gram_.representation_error() * y_norm + 2.0 * kUnit * computed_norm +
                  z.error,
              16.0) +
      size * kTiny;
  return {
      .residual_norm = inflate(computed_norm + error), .residual_error = error, .y_norm = y_norm};
}

// An upper bound on ‖v‖_{A⁻¹} for ‖v‖ ≤ norm, since A ⪰ λI; also where the quotient underflows,
// since it may be multiplied by something large.
double RidgeEstimate::width_without_data(double norm) const {
  return inflate(norm * inverse_root_ridge_);
}

// An upper bound on ‖z‖_{A⁻¹}; leaves y ≈ A⁻¹z and its residual in the workspaces.
template <int Fixed>
double RidgeEstimate::bound_width(const Direction& z, const DirectionNorms& norms,
                                  Solution& solution) const {
  const double z_norm = inflate(norms.high + norms.low + z.error);
  // Always true, whatever became of the factor, since A ⪰ λI.
  const double prior_width = inflate(z_norm * inverse_root_ridge_, 8.0);

  solution = solve<Fixed>(z, norms, y_, residual_);
  const double s_norm = solution.residual_norm;
  const double y_norm = solution.y_norm;
  const double s_error =
      inflate(s_norm * (static_cast<double>(dim()) + 4.0) * kUnit + solution.residual_error);

  // With s = z − A y:  zᵀA⁻¹z = zᵀy + yᵀs + sᵀA⁻¹s ≤ zᵀy + yᵀs + ‖s‖²/λ. The norm is divided
  // before it is squared: ‖s‖² may underflow where ‖s‖²/λ does not.
  const double s_width = s_norm * inverse_root_ridge_;
  const double z_dot_y = dot<Fixed>(z, y_);
  const double y_dot_s = fixed_view<Fixed>(y_).dot(fixed_view<Fixed>(residual_));
  const double quadratic = z_dot_y + y_dot_s + s_width * s_width;
  const double quadratic_error = dot_error(z, norms.high, norms.low, y_norm) + y_norm * s_error +
                                 8.0 * kUnit * (std::abs(z_dot_y) + s_width * s_width);
  const double width_sq = up(quadratic + inflate(quadratic_error, 16.0), 8.0);
  const double data_width = inflate(std::sqrt(width_sq), 8.0);
  // In this order `min` passes over a width that is NaN.
  return std::min(prior_width, data_width);
}

DirectionBounds RidgeEstimate::bounds(const Direction& z, Arithmetic arithmetic) const {
  return with_fixed_dim(dim(), [&](auto fixed) {
    return arithmetic == Arithmetic::Plain ? plain_bounds<fixed.value>(z)
                                           : bounds_of<fixed.value>(z);
  });
}

// As `bounds_of`; of rᵀA⁻¹z = rᵀy + rᵀA⁻¹s only the norms are looked at, since r is hardly larger
// than what its computation errs by.
template <int Fixed>
DirectionBounds RidgeEstimate::plain_bounds(const Direction& z) const {
  FOOTHOLD_ASSERT(!z.has_low);
  const double z_norm = norm_upper(fixed_view<Fixed>(z.high));
  const PlainWidth plain = bound_width_plainly<Fixed>(z, z_norm);
  const double r_norm = mu_solution_.residual_norm;
  const double r_width = width_without_data(r_norm);
  return {.estimate = fixed_view<Fixed>(mu_hat_).dot(fixed_view<Fixed>(z.high)),
          .allowance = inflate(
              plain.z_error * mu_solution_.y_norm + r_norm * plain.y_norm + r_width * plain.s_width,
              16.0),
          .width = plain.width};
}

template DirectionBounds RidgeEstimate::plain_bounds<2>(const Direction& z) const;
template DirectionBounds RidgeEstimate::plain_bounds<4>(const Direction& z) const;
template DirectionBounds RidgeEstimate::plain_bounds<8>(const Direction& z) const;
template DirectionBounds RidgeEstimate::plain_bounds<16>(const Direction& z) const;
template DirectionBounds RidgeEstimate::plain_bounds<Eigen::Dynamic>(const Direction& z) const;

template <int Fixed>
DirectionBounds RidgeEstimate::bounds_of(const Direction& z) const {
  const DirectionNorms norms = norms_of<Fixed>(z);
  Solution solution;
  DirectionBounds result;
  result.width = bound_width<Fixed>(z, norms, solution);

  // With r = b − A μ̂:  (A⁻¹b)ᵀz = μ̂ᵀz + rᵀA⁻¹z = μ̂ᵀz + rᵀy + rᵀA⁻¹s; and |rᵀA⁻¹z| ≤ ‖r‖ width/√λ.
  const double s_width = width_without_data(solution.residual_norm);
  const SharpResidual& r = sharp_mu_residual<Fixed>();
  const double r_norm = r.solution.residual_norm;
  const double r_width = width_without_data(r_norm);
  const double mu_dot_z = dot<Fixed>(z, mu_hat_);
  const double rounding_error = inflate(
      dot_error(z, norms.high, norms.low, r.solution.y_norm) + 4.0 * kUnit * std::abs(mu_dot_z),
      8.0);
  const double r_dot_y = fixed_view<Fixed>(r.residual).dot(fixed_view<Fixed>(y_));
  const double sharp =
      inflate(std::abs(r_dot_y) +
                  solution.y_norm * (r.solution.residual_error +
                                     r_norm * (static_cast<double>(dim()) + 4.0) * kUnit) +
                  r_width * s_width,
              16.0);
  const double crude = inflate(r_width * result.width, 8.0);
  result.estimate = mu_dot_z;
  result.allowance = inflate(rounding_error + std::min(crude, sharp), 8.0);
  return result;
}

ExplainedBounds RidgeEstimate::explained() const {
  const DirectionBounds b = bounds(loss_sum_);  // (A⁻¹b)ᵀz at z = b
  const double slack = inflate(b.allowance + 2.0 * kUnit * std::abs(b.estimate), 4.0);
  return {.lower = b.estimate - slack, .upper = b.estimate + slack};
}

double RidgeEstimate::log_det_ratio() const {
  const auto n = static_cast<double>(count_);
  // Each sum in doubled precision errs by ≤ 2u²; every term was rounded up before.
  return inflate(log_det_ratio_.value() * (1.0 + 4.0 * n * kUnit * kUnit), 8.0);
}

double RidgeEstimate::radius(RadiusForm form) const {
  if (radius_memo_.count != count_ || radius_memo_.form != form) {
    radius_memo_ = {.count = count_, .form = form, .radius = compute_radius(form)};
  }
  return radius_memo_.radius;
}

double RidgeEstimate::compute_radius(RadiusForm form) const {
  const double R = assumptions_.noise_scale;
  const double prior = root_ridge_ * assumptions_.norm_bound;
  double log_term = 2.0 * log_inverse_delta_ + log_det_ratio();
  if (form == RadiusForm::Paper && dim() > 1) {
    // Divided first: L² may leave the range where L²/λ does not.
    const double length = *assumptions_.action_bound / root_ridge_;
    const double growth = std::log1p(static_cast<double>(count_) * length * length);
    log_term = static_cast<double>(dim()) * (growth + log_inverse_delta_);
  }
  if (form == RadiusForm::Mixture) {
    const double sum = R * R * log_term + prior * prior;
    if (sum > 0x1p-900 && sum < 0x1p900) {
      return inflate(std::sqrt(sum), 32.0);
    }
    return inflate(std::hypot(R * std::sqrt(log_term), prior), 32.0);
  }
  return inflate(R * std::sqrt(log_term) + prior, 32.0);
}

bool RidgeEstimate::region_contains(const Eigen::VectorXd& v, double radius) const {
  correction_ = v - mu_hat_;
  half_.noalias() = gram_.factor().transpose() * correction_;
  return half_.norm() <= radius;
}

void RidgeEstimate::judge() {
  with_fixed_dim(dim(), [this](auto fixed) { judge_mu_hat<fixed.value>(); });
}

}  // namespace foothold::estimation
