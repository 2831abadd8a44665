#pragma once

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include "foothold/base/infinity.hpp"

// Arithmetic of the second-order cone { (s₀, s₁) : ‖s₁‖ ≤ s₀ }, as interior-point methods need it:
// the Nesterov–Todd scaling and the Jordan product [Van10, §4].
namespace foothold::cone::soc {

using Vector = Eigen::Ref<Eigen::VectorXd>;
using ConstVector = Eigen::Ref<const Eigen::VectorXd>;

// sᵀJs = s₀² − ‖s₁‖², without the cancellation of the squares.
inline double determinant(const ConstVector& s) {
  const double tail = s.tail(s.size() - 1).norm();
  return (s(0) - tail) * (s(0) + tail);
}

// The symmetric W with W z = W⁻¹ s = λ, for s and z inside the cone.
struct Scaling {
  double eta = 1.0;
  Eigen::VectorXd w{};

  void compute(const ConstVector& s, const ConstVector& z) {
    const double s_root = std::sqrt(determinant(s));
    const double z_root = std::sqrt(determinant(z));
    const Eigen::Index tail = s.size() - 1;
    const double product = s.dot(z) / (s_root * z_root);
    const double gamma = std::sqrt(0.5 * (1.0 + product));
    w(0) = (s(0) / s_root + z(0) / z_root) / (2.0 * gamma);
    w.tail(tail) = (s.tail(tail) / s_root - z.tail(tail) / z_root) / (2.0 * gamma);
    eta = std::sqrt(s_root / z_root);
  }

  // x ← W x, or W⁻¹ x with `inverse`.
  void apply(Vector x, bool inverse) const {
    const Eigen::Index tail = x.size() - 1;
    const double sign = inverse ? -1.0 : 1.0;
    const double inner = w.tail(tail).dot(x.tail(tail));
    const double head = w(0) * x(0) + sign * inner;
    x.tail(tail) += (sign * x(0) + inner / (1.0 + w(0))) * w.tail(tail);
    x(0) = head;
    x *= inverse ? 1.0 / eta : eta;
  }
};

// out ← x ∘ y.
inline void multiply(const ConstVector& x, const ConstVector& y, Vector out) {
  const Eigen::Index tail = x.size() - 1;
  const double head = x.dot(y);
  out.tail(tail) = x(0) * y.tail(tail) + y(0) * x.tail(tail);
  out(0) = head;
}

// b ← the x with λ ∘ x = b.
inline void divide(const ConstVector& lambda, Vector b) {
  const Eigen::Index tail = b.size() - 1;
  const double head =
      (lambda(0) * b(0) - lambda.tail(tail).dot(b.tail(tail))) / determinant(lambda);
  b.tail(tail) = (b.tail(tail) - head * lambda.tail(tail)) / lambda(0);
  b(0) = head;
}

// The largest α with λ + α·step in the cone.
inline double max_step(const ConstVector& lambda, const ConstVector& step) {
  const Eigen::Index tail = lambda.size() - 1;
  const double a = step(0) * step(0) - step.tail(tail).squaredNorm();
  const double b = lambda(0) * step(0) - lambda.tail(tail).dot(step.tail(tail));
  const double c = determinant(lambda);
  if (a >= 0.0 && b >= 0.0) {
    return kInfinity;  // the step itself lies in the cone
  }
  // First positive root of c + 2bα + aα². It exists: a step along −λ has a double one, at the tip,
  // whose discriminant rounding may make negative.
  const double root = std::sqrt(std::max(b * b - a * c, 0.0));
  return b <= 0.0 ? c / (root - b) : -(b + root) / a;
}

}  // namespace foothold::cone::soc
