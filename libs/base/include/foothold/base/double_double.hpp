#pragma once

#include <cmath>

// Error-free transformations and sums in doubled precision [ORO05]. Arithmetic that carries
// about 106 bits: residuals and dot products that decide safety are computed with it.
namespace foothold {

/// The unevaluated sum high + low, |low| ≤ u|high| after each operation below.
struct DoubleDouble {
  double high = 0.0;
  double low = 0.0;

  [[nodiscard]] double value() const noexcept { return high + low; }
};

/// a + b exactly [ORO05, Alg. 3.1], barring overflow.
[[nodiscard]] inline DoubleDouble two_sum(double a, double b) noexcept {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

/// a + b exactly if |a| ≥ |b| or a = 0.
[[nodiscard]] inline DoubleDouble fast_two_sum(double a, double b) noexcept {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// a · b exactly [ORO05, Alg. 3.5], barring overflow and an error term below 2⁻¹⁰⁷⁴.
[[nodiscard]] inline DoubleDouble two_product(double a, double b) noexcept {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

/// Adds a number; relative error ≤ 2u² of the result's parts.
[[nodiscard]] inline DoubleDouble operator+(DoubleDouble a, double b) noexcept {
  const DoubleDouble sum = two_sum(a.high, b);
  return fast_two_sum(sum.high, sum.low + a.low);
}

/// Adds two pairs; error ≤ 4u²(|a| + |b|).
[[nodiscard]] inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) noexcept {
  const DoubleDouble high = two_sum(a.high, b.high);
  const DoubleDouble low = two_sum(a.low, b.low);
  const DoubleDouble partial = fast_two_sum(high.high, high.low + low.high);
  return fast_two_sum(partial.high, partial.low + low.low);
}

[[nodiscard]] inline DoubleDouble operator-(DoubleDouble a) noexcept {
  return {-a.high, -a.low};
}

/// Multiplies by a number; relative error ≤ 4u².
[[nodiscard]] inline DoubleDouble operator*(DoubleDouble a, double b) noexcept {
  const DoubleDouble product = two_product(a.high, b);
  return fast_two_sum(product.high, std::fma(a.low, b, product.low));
}

}  // namespace foothold
