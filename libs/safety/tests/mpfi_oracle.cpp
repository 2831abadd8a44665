#include "mpfi_oracle.hpp"

#include <cmath>

namespace foothold::safety::testing {

void Interval::set_precision(unsigned bits) {
  mpfr_set_default_prec(static_cast<mpfr_prec_t>(bits));
}

Interval sqrt(const Interval& a) {
  Interval result;
  mpfi_sqrt(result.value_, a.value_);
  return result;
}

Interval log(const Interval& a) {
  Interval result;
  mpfi_log(result.value_, a.value_);
  return result;
}

Interval log1p(const Interval& a) {
  Interval result;
  mpfi_log1p(result.value_, a.value_);
  return result;
}

Interval abs(const Interval& a) {
  Interval result;
  mpfi_abs(result.value_, a.value_);
  return result;
}

Interval square(const Interval& a) {
  Interval result;
  mpfi_sqr(result.value_, a.value_);
  return result;
}

Interval max(const Interval& a, const Interval& b) {
  Interval result;
  mpfr_max(&result.value_->left, &a.value_->left, &b.value_->left, MPFR_RNDD);
  mpfr_max(&result.value_->right, &a.value_->right, &b.value_->right, MPFR_RNDU);
  return result;
}

Interval min(const Interval& a, const Interval& b) {
  Interval result;
  mpfr_min(&result.value_->left, &a.value_->left, &b.value_->left, MPFR_RNDD);
  mpfr_min(&result.value_->right, &a.value_->right, &b.value_->right, MPFR_RNDU);
  return result;
}

bool Interval::is_above(double number) const {
  return mpfi_nan_p(value_) == 0 && mpfr_cmp_d(&value_->left, number) > 0;
}

bool Interval::is_below(double number) const {
  return mpfi_nan_p(value_) == 0 && mpfr_cmp_d(&value_->right, number) < 0;
}

double Interval::nearest() const {
  return mpfi_get_d(value_);
}

double Interval::relative_width() const {
  mpfr_t width;
  mpfr_init(width);
  mpfi_diam(width, value_);
  const double result = mpfr_get_d(width, MPFR_RNDU);
  mpfr_clear(width);
  return result;
}

ExactEstimate::ExactEstimate(Eigen::Index dim, const estimation::Assumptions& assumptions)
    : dim_(dim),
      assumptions_(assumptions),
      ridge_(estimation::ridge_or_default(assumptions)),
      gram_(static_cast<std::size_t>(dim * dim)),
      loss_sum_(static_cast<std::size_t>(dim)) {
  for (Eigen::Index i = 0; i < dim; ++i) {
    gram(i, i) = ridge_;
  }
}

Interval& ExactEstimate::gram(Eigen::Index i, Eigen::Index j) {
  return gram_[static_cast<std::size_t>(i * dim_ + j)];
}

const Interval& ExactEstimate::lower(Eigen::Index i, Eigen::Index j) const {
  return factor_[static_cast<std::size_t>(i * dim_ + j)];
}

void ExactEstimate::observe(const Eigen::VectorXd& action, double loss, double times) {
  for (Eigen::Index i = 0; i < dim_; ++i) {
    const Interval scaled = Interval(action(i)) * times;
    for (Eigen::Index j = 0; j <= i; ++j) {
      gram(i, j) += scaled * action(j);
    }
    loss_sum_[static_cast<std::size_t>(i)] += scaled * loss;
  }
  count_ += times;
}

bool ExactEstimate::factor() {
  factor_ = gram_;
  const auto at = [this](Eigen::Index i, Eigen::Index j) -> Interval& {
    return factor_[static_cast<std::size_t>(i * dim_ + j)];
  };
  for (Eigen::Index j = 0; j < dim_; ++j) {
    for (Eigen::Index k = 0; k < j; ++k) {
      at(j, j) -= square(at(j, k));
    }
    if (!at(j, j).is_positive()) {
      return false;
    }
    at(j, j) = sqrt(at(j, j));
    for (Eigen::Index i = j + 1; i < dim_; ++i) {
      for (Eigen::Index k = 0; k < j; ++k) {
        at(i, j) -= at(i, k) * at(j, k);
      }
      at(i, j) /= at(j, j);
    }
  }
  mu_hat_ = solve_lower(loss_sum_);
  for (Eigen::Index i = dim_ - 1; i >= 0; --i) {
    Interval& entry = mu_hat_[static_cast<std::size_t>(i)];
    for (Eigen::Index k = i + 1; k < dim_; ++k) {
      entry -= at(k, i) * mu_hat_[static_cast<std::size_t>(k)];
    }
    entry /= at(i, i);
  }
  return true;
}

std::vector<Interval> ExactEstimate::solve_lower(std::vector<Interval> v) const {
  for (Eigen::Index i = 0; i < dim_; ++i) {
    Interval& entry = v[static_cast<std::size_t>(i)];
    for (Eigen::Index k = 0; k < i; ++k) {
      entry -= lower(i, k) * v[static_cast<std::size_t>(k)];
    }
    entry /= lower(i, i);
  }
  return v;
}

Interval ExactEstimate::log_det_ratio() const {
  Interval sum;
  for (Eigen::Index i = 0; i < dim_; ++i) {
    sum += log(square(lower(i, i)) / ridge_);
  }
  return sum;
}

Interval ExactEstimate::radius(estimation::RadiusForm form) const {
  const Interval R = assumptions_.noise_scale;
  const Interval S = assumptions_.norm_bound;
  const Interval L = assumptions_.action_bound.value();
  const Interval d = static_cast<double>(dim_);
  const Interval log_inverse_delta = Interval(0.0) - log(Interval(assumptions_.failure_prob));
  const Interval prior = sqrt(Interval(ridge_)) * S;
  if (form == estimation::RadiusForm::Paper && dim_ > 1) {
    const Interval growth = log1p(Interval(count_) * square(L) / ridge_);
    return R * sqrt(d * (growth + log_inverse_delta)) + prior;
  }
  const Interval log_term = Interval(2.0) * log_inverse_delta + log_det_ratio();
  if (form == estimation::RadiusForm::Mixture) {
    return sqrt(square(R) * log_term + square(prior));
  }
  return R * sqrt(log_term) + prior;
}

ExactBounds ExactEstimate::bounds(const Eigen::MatrixXd& B, const Eigen::VectorXd& x,
                                  const Eigen::VectorXd& centre, const Interval& radius) const {
  const auto size = static_cast<std::size_t>(dim_);
  std::vector<Interval> z(size);
  Interval norm_sq;
  Interval estimate;
  for (Eigen::Index i = 0; i < dim_; ++i) {
    Interval& entry = z[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < dim_; ++j) {
      entry += Interval(B(i, j)) * (Interval(x(j)) - centre(j));
    }
    norm_sq += square(entry);
    estimate += mu_hat_[static_cast<std::size_t>(i)] * entry;
  }
  Interval width_sq;
  Interval largest;
  for (const Interval& entry : solve_lower(z)) {
    width_sq += square(entry);
    largest = max(largest, abs(entry));
  }
  const Interval root_d = sqrt(Interval(static_cast<double>(dim_)));
  const Interval spread = radius * sqrt(width_sq);
  return {.estimate = estimate,
          .prior = Interval(assumptions_.norm_bound) * sqrt(norm_sq),
          .ellipsoid = estimate + spread,
          .l1_exact = estimate + root_d * radius * largest,
          .l1_paper = estimate + root_d * spread};
}

}  // namespace foothold::safety::testing
