#pragma once

#include <vector>

#include <Eigen/Core>
#include <mpfi.h>

#include "foothold/estimation/assumptions.hpp"
#include "foothold/estimation/ridge_estimate.hpp"

// The bounds of a certificate in interval arithmetic of any precision (MPFI), from the raw
// observations. Shares no code with the library: sums and products are enclosed one by one, the
// factor is a textbook Cholesky factorisation of intervals.
namespace foothold::safety::testing {

// A real number known to lie in an interval. Operations enclose the exact result.
class Interval {
 public:
  // Precision in bits of every interval made after this call.
  static void set_precision(unsigned bits);

  Interval() {
    mpfi_init(value_);
    mpfi_set_ui(value_, 0);
  }
  Interval(double number) {
    mpfi_init(value_);
    mpfi_set_d(value_, number);
  }  // NOLINT: exact
  Interval(const Interval& other) {
    mpfi_init(value_);
    mpfi_set(value_, other.value_);
  }
  Interval& operator=(const Interval& other) {
    mpfi_set(value_, other.value_);
    return *this;
  }
  ~Interval() { mpfi_clear(value_); }

  Interval& operator+=(const Interval& other) {
    mpfi_add(value_, value_, other.value_);
    return *this;
  }
  Interval& operator-=(const Interval& other) {
    mpfi_sub(value_, value_, other.value_);
    return *this;
  }
  Interval& operator*=(const Interval& other) {
    mpfi_mul(value_, value_, other.value_);
    return *this;
  }
  Interval& operator/=(const Interval& other) {
    mpfi_div(value_, value_, other.value_);
    return *this;
  }
  friend Interval operator+(Interval a, const Interval& b) { return a += b; }
  friend Interval operator-(Interval a, const Interval& b) { return a -= b; }
  friend Interval operator*(Interval a, const Interval& b) { return a *= b; }
  friend Interval operator/(Interval a, const Interval& b) { return a /= b; }

  friend Interval sqrt(const Interval& a);
  friend Interval log(const Interval& a);
  friend Interval log1p(const Interval& a);
  friend Interval abs(const Interval& a);
  friend Interval square(const Interval& a);
  friend Interval max(const Interval& a, const Interval& b);
  friend Interval min(const Interval& a, const Interval& b);

  // Whether the number is proved to be above, or below, a double.
  [[nodiscard]] bool is_above(double number) const;
  [[nodiscard]] bool is_below(double number) const;
  [[nodiscard]] bool is_positive() const { return is_above(0.0); }
  // The double nearest to the midpoint; the interval is far narrower than an ulp in all tests.
  [[nodiscard]] double nearest() const;
  // Upper bound on the relative width, to check that the precision suffices.
  [[nodiscard]] double relative_width() const;

 private:
  mpfi_t value_;
};

// The four bounds on μᵀB(x − x₀), before what the centre uses up is added.
struct ExactBounds {
  Interval estimate;  // μ̂ᵀz
  Interval prior;
  Interval ellipsoid;
  Interval l1_exact;  // with the Cholesky root
  Interval l1_paper;
};

// A, b, μ̂ and the Cholesky factor of A, enclosed.
class ExactEstimate {
 public:
  ExactEstimate(Eigen::Index dim, const estimation::Assumptions& assumptions);

  // Adds the same observation `times` times.
  void observe(const Eigen::VectorXd& action, double loss, double times = 1.0);
  // To be called after the last observation. False if the precision does not suffice.
  [[nodiscard]] bool factor();

  [[nodiscard]] Interval radius(estimation::RadiusForm form) const;
  [[nodiscard]] Interval log_det_ratio() const;
  // For z = B(x − x₀), the radius being given.
  [[nodiscard]] ExactBounds bounds(const Eigen::MatrixXd& B, const Eigen::VectorXd& x,
                                   const Eigen::VectorXd& centre, const Interval& radius) const;
  [[nodiscard]] const std::vector<Interval>& mu_hat() const { return mu_hat_; }

 private:
  [[nodiscard]] Interval& gram(Eigen::Index i, Eigen::Index j);
  [[nodiscard]] const Interval& lower(Eigen::Index i, Eigen::Index j) const;
  // F⁻¹v.
  [[nodiscard]] std::vector<Interval> solve_lower(std::vector<Interval> v) const;

  Eigen::Index dim_;
  estimation::Assumptions assumptions_;
  double ridge_;
  double count_ = 0.0;
  std::vector<Interval> gram_;
  std::vector<Interval> factor_;
  std::vector<Interval> loss_sum_;
  std::vector<Interval> mu_hat_;
};

}  // namespace foothold::safety::testing
