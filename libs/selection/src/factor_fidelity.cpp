#include "factor_fidelity.hpp"

#include "foothold/base/fixed_dim.hpp"
#include "foothold/base/rounding.hpp"

namespace foothold::selection {

// AG is similar to A^{1/2}GA^{1/2}, whose eigenvalues are therefore within η = ‖AG − I‖ of 1:
// (1 − η)A⁻¹ ⪯ G ⪯ (1 + η)A⁻¹.
void FactorFidelity::look(const estimation::RidgeEstimate& estimate,
                          const estimation::ConfidenceRegion& region) {
  const estimation::GramMatrix& gram = estimate.gram();
  with_fixed_dim(region.dim(), [&](auto fixed) {
    using Square = Eigen::Matrix<double, fixed.value, fixed.value>;
    const auto factor_inverse = fixed_view<fixed.value>(region.factor_inverse());
    Eigen::Map<Square> inverse(inverse_.data(), inverse_.rows(), inverse_.cols());
    Eigen::Map<Square> product(product_.data(), product_.rows(), product_.cols());
    inverse.noalias() = factor_inverse.transpose() * factor_inverse;
    product.noalias() = fixed_view<fixed.value>(gram.matrix()) * inverse;
    product.diagonal().array() -= 1.0;
    // Roundings of both products, of sizes ‖F⁻¹‖² and ‖A‖‖F⁻¹‖² in the norm of Frobenius, and of A.
    const double lost = 8.0 * (static_cast<double>(region.dim()) + 4.0) * rounding::kUnit *
                        gram.trace() * inverse.trace();
    const double limit = kFidelity - lost;
    holds_ = limit > 0.0 && product.squaredNorm() <= limit * limit;  // false for NaN
  });
}

}  // namespace foothold::selection
