#pragma once

#include <Eigen/Core>
#include <mpfr.h>

namespace foothold::geometry::testing {

// A sum of products without rounding: MPFR at a precision that holds every bit of products of
// doubles between 2⁻³⁰⁰ and 2³⁰⁰.
class ExactSum {
 public:
  ExactSum() {
    mpfr_init2(sum_, kBits);
    mpfr_init2(product_, kBits);
    mpfr_set_zero(sum_, 1);
  }
  ~ExactSum() {
    mpfr_clear(sum_);
    mpfr_clear(product_);
  }
  ExactSum(const ExactSum&) = delete;
  ExactSum& operator=(const ExactSum&) = delete;

  void add_product(double a, double b) {
    mpfr_set_d(product_, a, MPFR_RNDN);
    mpfr_mul_d(product_, product_, b, MPFR_RNDN);
    mpfr_add(sum_, sum_, product_, MPFR_RNDN);
  }

  [[nodiscard]] int sign() const { return mpfr_sgn(sum_); }
  [[nodiscard]] int compare(double value) const { return mpfr_cmp_d(sum_, value); }
  [[nodiscard]] double value() const { return mpfr_get_d(sum_, MPFR_RNDN); }

 private:
  static constexpr mpfr_prec_t kBits = 2000;
  mpfr_t sum_;
  mpfr_t product_;
};

// h − gᵀx, exactly.
template <typename Row>
void set_slack(ExactSum& sum, double h, const Row& g, const Eigen::VectorXd& x) {
  sum.add_product(h, 1.0);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    sum.add_product(-g(i), x(i));
  }
}

}  // namespace foothold::geometry::testing
