#pragma once

#include <cmath>

#include <Eigen/Core>

#include "foothold/base/double_double.hpp"
#include "foothold/base/rounding.hpp"

namespace foothold::geometry {

// A sum of numbers and products in doubled precision after [ORO05, Alg. 5.3], with a proved
// bound on its error. The sum is `high_` plus the rounding errors made on the way, which are
// known exactly; only their own sum `low_` errs, by at most γ times the sum of their sizes.
// Overflow makes both bounds NaN, which fails every comparison.
class BoundedSum {
 public:
  void add(double term) {
    const DoubleDouble sum = two_sum(high_, term);
    high_ = sum.high;
    add_error(sum.low);
  }

  void add_product(double a, double b) {
    const DoubleDouble product = two_product(a, b);
    // The error of a product below 2⁻⁹⁶⁰ need not be representable.
    if (std::abs(product.high) < 0x1p-960 && a != 0.0 && b != 0.0) {
      underflow_ += rounding::kTiny;
    }
    add(product.high);
    add_error(product.low);
  }

  // The exact sum lies in [lower(), upper()]; both are equal to it if nothing was rounded.
  [[nodiscard]] double lower() const {
    const DoubleDouble sum = two_sum(high_, low_);
    const double error = this->error();
    if (sum.low >= error) {
      return sum.high;
    }
    const double bound = sum.high - rounding::up(error - sum.low);
    return bound - (std::abs(bound) * 2.0 * rounding::kUnit + rounding::kTiny);
  }

  [[nodiscard]] double upper() const {
    BoundedSum negated = *this;
    negated.high_ = -high_;
    negated.low_ = -low_;
    return -negated.lower();
  }

  // ≥ |sum|.
  [[nodiscard]] double magnitude() const {
    const double below = std::abs(lower());
    const double above = std::abs(upper());
    return below < above ? above : below;
  }

  [[nodiscard]] double value() const { return high_ + low_; }

 private:
  void add_error(double term) {
    low_ += term;
    size_ += std::abs(term);
    operations_ += 1.0;
  }

  [[nodiscard]] double error() const {
    if (size_ == 0.0 && underflow_ == 0.0) {
      return 0.0;
    }
    return rounding::up(rounding::gamma(operations_) * size_, operations_ + 4.0) + 2.0 * underflow_;
  }

  double high_ = 0.0;
  double low_ = 0.0;
  double size_ = 0.0;  // Σ|term| over the terms of `low_`
  double underflow_ = 0.0;
  double operations_ = 0.0;
};

// Σ aᵢbᵢ.
template <typename A, typename B>
[[nodiscard]] BoundedSum bounded_dot(const A& a, const B& b) {
  BoundedSum sum;
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    sum.add_product(a(i), b(i));
  }
  return sum;
}

// offset − Σ aᵢbᵢ: what is left of an inequality.
template <typename A, typename B>
[[nodiscard]] BoundedSum bounded_slack(double offset, const A& a, const B& b) {
  BoundedSum sum;
  sum.add(offset);
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    sum.add_product(-a(i), b(i));
  }
  return sum;
}

}  // namespace foothold::geometry
