#include "screen/factor_fidelity.hpp"

#include "foothold/base/rounding.hpp"
#include "foothold/base/simd/fixed_dim.hpp"

namespace foothold::arms {
namespace {

using rounding::kUnit;

// Up to this dimension two small products are no more work than what follows from a change.
constexpr Eigen::Index kSmallDim = 16;

// Where squares of entries cannot vanish beside traces.
constexpr double kLeastTrace = 0x1p-400;
constexpr double kLargestTrace = 0x1p400;

bool is_moderate(double trace) {
  return trace > kLeastTrace && trace < kLargestTrace;
}

}  // namespace

// AG is similar to A^{1/2}GA^{1/2}, whose eigenvalues are therefore within η = ‖AG − I‖ of 1:
// (1 − η)A⁻¹ ⪯ G ⪯ (1 + η)A⁻¹.
void FactorFidelity::look(const estimation::RidgeEstimate& estimate,
                          const estimation::ConfidenceRegion& region) {
  const bool is_followed = can_follow(estimate, region);
  if (is_followed) {
    follow(estimate.gram());
  }
  if (!is_followed || !holds_) {
    compute(estimate.gram(), region);
  }
  digest_ = region.digest();
  has_looked_ = region.digest() == estimate.digest();
}

bool FactorFidelity::can_follow(const estimation::RidgeEstimate& estimate,
                                const estimation::ConfidenceRegion& region) const {
  const estimation::GramMatrix& gram = estimate.gram();
  return gram.dim() > kSmallDim && has_looked_ && holds_ && gram.has_rotated() &&
         estimate.last_change().from == digest_ && region.digest() == estimate.digest() &&
         is_moderate(gram.trace()) && is_moderate(inverse_.trace());
}

// With A' = A + xxᵀ and G' = G − vvᵀ + E:  A'G' − I = AG − I + x(Gx)ᵀ − (A'v)vᵀ + A'E. The error of
// G costs ‖x‖² times as much, and E tr(A') times. Gx errs by (d + 2)u tr(G)‖x‖, A'v by
// (d + 4)u tr(A')‖v‖ with ‖x‖² ≤ tr(A') and ‖v‖² ≤ tr(G), and the sums by some 12u tr(A')tr(G).
void FactorFidelity::follow(const estimation::GramMatrix& gram) {
  const auto d = static_cast<double>(gram.dim());
  const Eigen::VectorXd& x = gram.added();
  const Eigen::VectorXd& v = gram.removed();
  const double inverse_trace = inverse_.trace();
  const double rotation_error = gram.rotation_share();
  inverse_image_.noalias() = inverse_ * x;
  image_.noalias() = gram.matrix() * v;
  product_.noalias() += x * inverse_image_.transpose();
  product_.noalias() -= image_ * v.transpose();
  inverse_.noalias() -= v * v.transpose();
  product_error_ +=
      1.01 * (x.squaredNorm() * inverse_error_ +
              (rotation_error + (2.0 * d + 24.0) * kUnit) * gram.trace() * inverse_trace);
  inverse_error_ += 1.01 * (rotation_error + 6.0 * kUnit) * inverse_trace;
  judge(product_.squaredNorm());
}

void FactorFidelity::compute(const estimation::GramMatrix& gram,
                             const estimation::ConfidenceRegion& region) {
  const double terms = static_cast<double>(region.dim()) + 4.0;
  ++computations_;
  with_fixed_dim(region.dim(), [&](auto fixed) {
    using Square = Eigen::Matrix<double, fixed.value, fixed.value>;
    const auto factor_inverse = fixed_view<fixed.value>(region.factor_inverse());
    Eigen::Map<Square> inverse(inverse_.data(), inverse_.rows(), inverse_.cols());
    Eigen::Map<Square> product(product_.data(), product_.rows(), product_.cols());
    const auto A = fixed_view<fixed.value>(gram.matrix());
    if constexpr (fixed.value > 0) {  // a library's product costs more in its preparations
      const Square root_inverse = factor_inverse.transpose();
      inverse = root_inverse.lazyProduct(factor_inverse);
      product = A.lazyProduct(inverse);
    } else {
      inverse.noalias() = factor_inverse.transpose() * factor_inverse;
      product.noalias() = A * inverse;
    }
    product.diagonal().array() -= 1.0;
    // An entry of G errs by γ times the norms of two columns of F⁻¹, all by γ‖F⁻¹‖² = γ tr(G).
    // Roundings of both products, of sizes tr(G) and tr(A)tr(G) in the norm of Frobenius, and of A.
    const double inverse_trace = inverse.trace();
    inverse_error_ = 1.5 * terms * kUnit * inverse_trace;
    product_error_ = 8.0 * terms * kUnit * gram.trace() * inverse_trace;
    judge(product.squaredNorm());
  });
}

void FactorFidelity::judge(double product_norm_sq) {
  const double limit = kFidelity - product_error_;
  holds_ = limit > 0.0 && product_norm_sq <= limit * limit;  // false for NaN
}

}  // namespace foothold::arms
