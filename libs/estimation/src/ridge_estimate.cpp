#include "foothold/estimation/ridge_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "foothold/base/check.hpp"
#include "foothold/base/rounding.hpp"

namespace foothold::estimation {
namespace {

using rounding::kTiny;
using rounding::kUnit;
using rounding::norm_upper;
using rounding::up;

// Relative excess over L that rounding can produce when a caller scales an
// action to norm L; far below any effect on the radii.
constexpr double kNormTolerance = 1e-12;

// A solve is improved while ‖s‖²/λ, the part of the bound that the factor is to blame for,
// exceeds this share of zᵀA⁻¹z; beyond `kMaxRefinements` the factor has nothing left to give.
constexpr double kRefineAbove = 1e-14;
constexpr int kMaxRefinements = 3;

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
DoubleDouble dot(const Direction& z, const Eigen::VectorXd& y) {
  DoubleDouble sum;
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    const DoubleDouble product = two_product(z.high(i), y(i));
    sum = sum + DoubleDouble{product.high, product.low + z.low(i) * y(i)};
  }
  return sum;
}

// What `dot` can err by, for vectors of these norms: (4d + 4)u² of Σ|zᵢyᵢ| ≤ ‖z‖‖y‖, doubled for
// ease, and underflow; and the part of z that high + low leave out. The norms are multiplied
// first: u²‖z‖ alone may underflow where u²‖z‖‖y‖ does not.
double dot_error(const Direction& z, double z_norm, double y_norm) {
  const auto d = static_cast<double>(z.high.size());
  return up(z_norm * y_norm * ((8.0 * d + 8.0) * kUnit * kUnit) + z.error * y_norm, 8.0) +
         d * kTiny;
}

}  // namespace

RidgeEstimate::RidgeEstimate(Eigen::Index dim, const Assumptions& assumptions)
    : assumptions_(validated(dim, assumptions)),
      gram_(dim, ridge_or_default(assumptions)),
      loss_sum_(zero_direction(dim)),
      mu_hat_(Eigen::VectorXd::Zero(dim)),
      mu_residual_(Eigen::VectorXd::Zero(dim)),
      last_change_{.y = Eigen::VectorXd::Zero(dim)},
      action_(zero_direction(dim)),
      y_(Eigen::VectorXd::Zero(dim)),
      residual_(Eigen::VectorXd::Zero(dim)),
      correction_(Eigen::VectorXd::Zero(dim)) {}

void RidgeEstimate::require_acceptable(const Eigen::Ref<const Eigen::VectorXd>& action,
                                       double loss) const {
  check::size_is(action.size(), dim(), "action");
  check::all_finite(action, "action");
  check::finite(loss, "loss");
  const double norm = norm_upper(action);
  if (!(norm <= *assumptions_.action_bound * (1.0 + kNormTolerance))) {
    throw Error(ErrorCode::InvalidArgument, "action",
                fmt::format("must have norm at most action_bound = {}, got {}",
                            *assumptions_.action_bound, norm));
  }
  // The sums must stay finite; half the range leaves room for what is computed from them.
  constexpr double kLimit = 0x1p1022;
  if (!(gram_.matrix().diagonal().maxCoeff() + norm * norm < kLimit)) {
    throw Error(ErrorCode::InvalidArgument, "action",
                fmt::format("must keep the Gram matrix finite, got norm {}", norm));
  }
  if (!(loss_sum_.high.cwiseAbs().maxCoeff() + std::abs(loss) * norm < kLimit)) {
    throw Error(ErrorCode::InvalidArgument, "loss",
                fmt::format("must keep the sum of losses finite, got {}", loss));
  }
}

void RidgeEstimate::observe(const Eigen::Ref<const Eigen::VectorXd>& action, double loss) {
  require_acceptable(action, loss);
  action_.high = action;
  const double width = bounds(action_).width;
  log_det_ratio_ = log_det_ratio_ + up(std::log1p(up(width * width)), 4.0);
  last_change_.y = y_;  // the solve behind the width
  last_change_.growth = 1.0 + action.dot(y_);
  last_change_.from = digest_.value();

  gram_.update(action);
  for (Eigen::Index i = 0; i < dim(); ++i) {
    const DoubleDouble sum =
        DoubleDouble{loss_sum_.high(i), loss_sum_.low(i)} + two_product(loss, action(i));
    loss_sum_.high(i) = sum.high;
    loss_sum_.low(i) = sum.low;
  }
  const double magnitude =
      loss_sum_.high.cwiseAbs().maxCoeff() + std::abs(loss) * norm_upper(action);
  loss_sum_.error +=
      up(std::sqrt(static_cast<double>(dim())) * 8.0 * kUnit * kUnit * magnitude) + kTiny;
  ++count_;
  digest_.add(action_.high);
  digest_.add(loss);
  update_mu_hat();
}

void RidgeEstimate::update_mu_hat() {
  // What a good factor leaves is the rounding of μ̂ itself, u‖A‖‖μ̂‖; no other factor does better.
  const auto is_poor = [this](const Solution& solution) {
    const double attainable =
        std::max(kRefactorAbove * ridge(), kRefactorUnits * kUnit * gram_.matrix().trace());
    return !(solution.residual_norm <= attainable * solution.y_norm + kTiny);
  };
  if (is_poor(solve(loss_sum_, mu_hat_, mu_residual_)) && gram_.refactor()) {
    solve(loss_sum_, mu_hat_, mu_residual_);
  }
  if (!mu_hat_.allFinite()) {
    mu_hat_.setZero();  // valid with r = b, and useless: only the foothold will be certified
  }
  bound_mu_residual();
}

void RidgeEstimate::bound_mu_residual() {
  mu_residual_error_ = residual_of(loss_sum_, mu_hat_, mu_residual_);
  mu_residual_norm_ = up(norm_upper(mu_residual_) + mu_residual_error_);
}

// y ≈ A⁻¹z by two triangular solves, improved by the residual while that pays.
RidgeEstimate::Solution RidgeEstimate::solve(const Direction& z, Eigen::VectorXd& y,
                                             Eigen::VectorXd& residual) const {
  const auto lower = gram_.factor().triangularView<Eigen::Lower>();
  const auto upper = gram_.factor().transpose().triangularView<Eigen::Upper>();
  y = z.high;
  lower.solveInPlace(y);
  upper.solveInPlace(y);
  Solution solution;
  for (int round = 0;; ++round) {
    const double error = residual_of(z, y, residual);
    solution.residual_norm = up(norm_upper(residual) + error);
    solution.y_norm = norm_upper(y);
    const double s_width = solution.residual_norm / std::sqrt(ridge());
    const double share = s_width * s_width;
    const double target = kRefineAbove * std::abs(z.high.dot(y));
    if (share <= target || round == kMaxRefinements || !std::isfinite(share)) {
      return solution;
    }
    correction_ = residual;
    lower.solveInPlace(correction_);
    upper.solveInPlace(correction_);
    y += correction_;
  }
}

// residual ← z − A y, accumulated in doubled precision; returns a bound on its error.
double RidgeEstimate::residual_of(const Direction& z, const Eigen::VectorXd& y,
                                  Eigen::VectorXd& residual) const {
  const Eigen::Index d = dim();
  const Eigen::MatrixXd& high = gram_.matrix();
  const Eigen::MatrixXd& low = gram_.matrix_low();
  for (Eigen::Index i = 0; i < d; ++i) {
    // A is symmetric: column i read instead of row i, for contiguous access.
    DoubleDouble sum{z.high(i), z.low(i)};
    for (Eigen::Index j = 0; j < d; ++j) {
      const DoubleDouble product = two_product(-high(j, i), y(j));
      sum = sum + DoubleDouble{product.high, product.low - low(j, i) * y(j)};
    }
    residual(i) = sum.value();
  }
  // ‖|A||y|‖ ≤ ‖A‖_F ‖y‖ ≤ tr(A) ‖y‖ for A ⪰ 0, and 4u² per addition, doubled for ease.
  const auto size = static_cast<double>(d);
  const double trace = high.trace();
  const double y_norm = norm_upper(y);
  const double z_norm = norm_upper(z.high);
  return up((8.0 * size + 16.0) * kUnit * kUnit * (trace * y_norm + z_norm) +
                size * gram_.representation_error() * y_norm + 2.0 * kUnit * norm_upper(residual) +
                z.error,
            16.0) +
         size * kTiny;
}

DirectionBounds RidgeEstimate::bounds(const Direction& z) const {
  const double root_lambda = std::sqrt(ridge());
  const double z_norm = up(norm_upper(z.high) + norm_upper(z.low) + z.error);
  // Always true, whatever became of the factor, since A ⪰ λI.
  const double prior_width = up(z_norm / root_lambda, 8.0);

  const Solution solution = solve(z, y_, residual_);
  const double s_norm = solution.residual_norm;
  const double y_norm = solution.y_norm;
  const double s_error =
      up(s_norm * (static_cast<double>(dim()) + 4.0) * kUnit + residual_of(z, y_, residual_));

  // With s = z − A y:  zᵀA⁻¹z = zᵀy + yᵀs + sᵀA⁻¹s ≤ zᵀy + yᵀs + ‖s‖²/λ. The norm is divided
  // before it is squared: ‖s‖² may underflow where ‖s‖²/λ does not.
  const double s_width = s_norm / root_lambda;
  const double z_dot_y = dot(z, y_).value();
  const double quadratic = z_dot_y + y_.dot(residual_) + s_width * s_width;
  const double quadratic_error = dot_error(z, z_norm, y_norm) + y_norm * s_error +
                                 8.0 * kUnit * (std::abs(z_dot_y) + s_width * s_width);
  const double width_sq = up(quadratic + up(quadratic_error, 16.0), 8.0);
  const double data_width = up(std::sqrt(width_sq), 8.0);

  DirectionBounds result;
  // In this order `min` passes over a width that is NaN.
  result.width = std::min(prior_width, data_width);

  // With r = b − A μ̂:  (A⁻¹b)ᵀz = μ̂ᵀz + rᵀA⁻¹z = μ̂ᵀz + rᵀy + rᵀA⁻¹s; and |rᵀA⁻¹z| ≤ ‖r‖ width/√λ.
  const double r_width = mu_residual_norm_ / root_lambda;
  const double mu_norm = norm_upper(mu_hat_);
  const double mu_dot_z = dot(z, mu_hat_).value();
  const double rounding_error =
      up(dot_error(z, z_norm, mu_norm) + 4.0 * kUnit * std::abs(mu_dot_z), 8.0);
  const double r_dot_y = mu_residual_.dot(y_);
  const double sharp =
      up(std::abs(r_dot_y) +
             y_norm * (mu_residual_error_ +
                       mu_residual_norm_ * (static_cast<double>(dim()) + 4.0) * kUnit) +
             r_width * s_width,
         16.0);
  const double crude = up(r_width * result.width, 8.0);
  result.estimate = mu_dot_z;
  result.allowance = up(rounding_error + std::min(crude, sharp), 8.0);
  return result;
}

ExplainedBounds RidgeEstimate::explained() const {
  const DirectionBounds b = bounds(loss_sum_);  // (A⁻¹b)ᵀz at z = b
  const double slack = up(b.allowance + 2.0 * kUnit * std::abs(b.estimate), 4.0);
  return {.lower = b.estimate - slack, .upper = b.estimate + slack};
}

double RidgeEstimate::log_det_ratio() const {
  const auto n = static_cast<double>(count_);
  // Each sum in doubled precision errs by ≤ 2u²; every term was rounded up before.
  return up(log_det_ratio_.value() * (1.0 + 4.0 * n * kUnit * kUnit), 8.0);
}

double RidgeEstimate::radius(RadiusForm form) const {
  const double L = *assumptions_.action_bound;
  const double R = assumptions_.noise_scale;
  const double S = assumptions_.norm_bound;
  const auto d = static_cast<double>(dim());
  const auto n = static_cast<double>(count_);
  const double log_inverse_delta = -std::log(assumptions_.failure_prob);

  const bool is_paper = form == RadiusForm::Paper && dim() > 1;
  const double root_lambda = std::sqrt(ridge());
  const double length =
      L / root_lambda;  // divided first: L² may leave the range where L²/λ does not
  const double log_term = is_paper ? d * (std::log1p(n * length * length) + log_inverse_delta)
                                   : 2.0 * log_inverse_delta + log_det_ratio();
  const double prior = root_lambda * S;
  const double noise = R * std::sqrt(log_term);
  return up(form == RadiusForm::Mixture ? std::hypot(noise, prior) : noise + prior, 32.0);
}

bool RidgeEstimate::region_contains(const Eigen::VectorXd& v, double radius) const {
  const auto upper = gram_.factor().transpose().triangularView<Eigen::Upper>();
  return (upper * (v - mu_hat_)).norm() <= radius;
}

void RidgeEstimate::save(ByteWriter& out) const {
  out.write(count_);
  out.write(digest_.value());
  out.write(log_det_ratio_.high);
  out.write(log_det_ratio_.low);
  out.write(loss_sum_.high);
  out.write(loss_sum_.low);
  out.write(loss_sum_.error);
  out.write(last_change_.y);
  out.write(last_change_.growth);
  out.write(last_change_.from);
  out.write(mu_hat_);
  gram_.save(out);
}

void RidgeEstimate::load(ByteReader& in) {
  RidgeEstimate loaded = *this;  // bytes that do not fit must leave this one unchanged
  loaded.count_ = in.read_integer();
  loaded.digest_ = Digest(in.read_word());
  loaded.log_det_ratio_.high = in.read_double();
  loaded.log_det_ratio_.low = in.read_double();
  loaded.loss_sum_.high = in.read_matrix(dim(), 1);
  loaded.loss_sum_.low = in.read_matrix(dim(), 1);
  loaded.loss_sum_.error = in.read_double();
  loaded.last_change_.y = in.read_matrix(dim(), 1);
  loaded.last_change_.growth = in.read_double();
  loaded.last_change_.from = in.read_word();
  loaded.mu_hat_ = in.read_matrix(dim(), 1);
  loaded.gram_.load(in);
  loaded.bound_mu_residual();
  *this = std::move(loaded);
}

}  // namespace foothold::estimation
