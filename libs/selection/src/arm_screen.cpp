#include "arm_screen.hpp"

#include <cmath>

#include "foothold/base/infinity.hpp"
#include "foothold/base/rounding.hpp"

namespace foothold::selection {
namespace {

using rounding::kUnit;

// Roundings of a form on an arm, of its coefficients and of what is made of it, generously.
double rounding_share(Eigen::Index dim) {
  return 64.0 * (static_cast<double>(dim) + 4.0) * kUnit;
}

}  // namespace

// With W = F⁻¹A F⁻ᵀ and ‖W − I‖ ≤ η:  A ⪯ (1 + η)FFᵀ, so that A⁻¹ ⪰ F⁻ᵀF⁻¹/(1 + η).
bool FactorFidelity::holds(const estimation::RidgeEstimate& estimate,
                           const estimation::ConfidenceRegion& region) {
  const auto inverse = region.factor_inverse().triangularView<Eigen::Lower>();
  product_.noalias() = inverse * estimate.gram().matrix();
  gram_.noalias() = inverse * product_.transpose();
  gram_.diagonal().array() -= 1.0;
  const double share = rounding_share(region.dim());
  const double inverse_norm = region.factor_inverse().norm();
  const double lost = share * inverse_norm * inverse_norm * estimate.gram().matrix().norm();
  return gram_.norm() + lost <= kFidelity;  // false for NaN
}

ArmScreen::ArmScreen(const safety::Problem& problem)
    : problem_(&problem), centre_(problem.centre()), fidelity_(problem.dim()) {
  const Eigen::Index d = problem.dim();
  forms_.linear.setZero(d);
  forms_.forms.setZero(d, d);
  forms_.offsets.setZero(d);
  forms_.count = d;
}

bool ArmScreen::drop(const estimation::RidgeEstimate& estimate,
                     const estimation::ConfidenceRegion& region,
                     const safety::Certifier& certifier, const ArmBlock<double>& arms,
                     bool is_padded, Eigen::VectorXd& losses) {
  // The members of a family have regions of their own, which may certify what this one does not.
  if (certifier.uses_family() || !fidelity_.holds(estimate, region)) {
    return false;
  }
  double largest = 0.0;
  for (Eigen::Index j = 0; j < region.dim(); ++j) {
    const Eigen::Map<const Eigen::VectorXd> column(arms.data + j * arms.stride, arms.count);
    largest = std::max(largest, column.cwiseAbs().maxCoeff());
  }
  length_ = std::sqrt(static_cast<double>(region.dim())) * largest + centre_.norm();
  const Eigen::Index room = padded<double>(arms.count);
  for (Eigen::VectorXd* values : {&estimates_, &spreads_, &unused_, &norms_}) {
    if (values->size() < room) {
      values->resize(room);
    }
  }
  for (std::size_t k = 0; k < problem_->constraints.size(); ++k) {
    drop_by(k, region, certifier.rule(), arms, is_padded, losses);
  }
  return true;
}

// The bound on μᵀz of a certificate is never below its exact value, and that not below what is
// computed here less the roundings of this.
void ArmScreen::drop_by(std::size_t constraint, const estimation::ConfidenceRegion& region,
                        const safety::SafetyRule& rule, const ArmBlock<double>& arms,
                        bool is_padded, Eigen::VectorXd& losses) {
  const Eigen::MatrixXd& B = problem_->constraints[constraint].matrix;
  const double share = rounding_share(region.dim());
  const bool is_exact_l1 = rule.caution == safety::Caution::L1Exact;
  // Forms on z = B(x − x₀) are forms on x.
  if (is_exact_l1) {
    forms_.forms.noalias() = B.transpose() * region.root_inverse();
  } else {
    forms_.forms.noalias() = B.transpose() * region.factor_inverse().transpose();
  }
  const double forms_norm =
      B.norm() * (is_exact_l1 ? region.root_inverse() : region.factor_inverse()).norm();
  forms_.offsets.noalias() = forms_.forms.transpose() * centre_;
  forms_.gather = is_exact_l1 ? Gather::LargestMagnitude : Gather::SumOfSquares;
  forms_.linear.noalias() = B.transpose() * region.mu_hat();
  forms_.linear_offset = forms_.linear.dot(centre_);
  evaluate(arms, is_padded, forms_, tail_, estimates_.data(), spreads_.data());
  const double kappa = rule.caution == safety::Caution::Ellipsoid
                           ? 1.0
                           : std::sqrt(static_cast<double>(region.dim()));
  const double reach = kappa * region.radius() * (1.0 - 2.0 * FactorFidelity::kFidelity);
  const double limit = problem_->room(constraint) +
                       share * length_ * (B.norm() * region.mu_hat().norm() +
                                          kappa * region.radius() * forms_norm);

  const bool counts_prior = rule.certified == safety::CertifiedSet::Union;
  const double S = problem_->assumptions.norm_bound;
  if (counts_prior) {
    forms_.forms = B.transpose();
    forms_.offsets.noalias() = B * centre_;
    forms_.gather = Gather::SumOfSquares;
    evaluate(arms, is_padded, forms_, tail_, unused_.data(), norms_.data());
  }
  const double prior_limit = problem_->room(constraint) + share * S * B.norm() * length_;
  for (Eigen::Index i = 0; i < arms.count; ++i) {
    const double width = is_exact_l1 ? spreads_(i) : std::sqrt(spreads_(i));
    const bool is_refused_by_data = estimates_(i) + reach * width > limit;
    const bool is_refused_a_priori = !counts_prior || S * std::sqrt(norms_(i)) > prior_limit;
    if (is_refused_by_data && is_refused_a_priori) {
      losses(i) = kInfinity;
    }
  }
}

}  // namespace foothold::selection
