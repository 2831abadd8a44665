#include "arm_screen.hpp"

#include <algorithm>
#include <cmath>

#include "foothold/base/fixed_dim.hpp"
#include "foothold/base/infinity.hpp"
#include "foothold/base/rounding.hpp"

namespace foothold::selection {
namespace {

using rounding::kUnit;

// Of a computed width, what A⁻¹ itself owes it at least.
constexpr double kFaithfulShare = 1.0 - 2.0 * FactorFidelity::kFidelity;

// Roundings of a form on an arm, of its coefficients and of what is made of it, generously.
double rounding_share(Eigen::Index dim) {
  return 64.0 * (static_cast<double>(dim) + 4.0) * kUnit;
}

}  // namespace

ArmScreen::ArmScreen(const safety::Problem& problem)
    : problem_(&problem),
      centre_(problem.centre()),
      matrix_norms_(static_cast<Eigen::Index>(problem.constraints.size())),
      fidelity_(problem.dim()),
      difference_(problem.dim()),
      z_(problem.dim()),
      image_(problem.dim()) {
  const Eigen::Index d = problem.dim();
  for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
    matrix_norms_(static_cast<Eigen::Index>(k)) = problem.constraints[k].matrix.norm();
  }
  forms_.linear.setZero(d);
  forms_.forms.setZero(d, d);
  forms_.offsets.setZero(d);
  forms_.count = d;
}

void ArmScreen::reserve(Eigen::Index count) {
  const Eigen::Index room = padded<double>(count);
  for (Eigen::VectorXd* values : {&estimates_, &spreads_, &norms_}) {
    if (values->size() < room) {
      values->resize(room);
    }
  }
}

void ArmScreen::begin(const estimation::RidgeEstimate& estimate,
                      const estimation::ConfidenceRegion& region,
                      const safety::Certifier& certifier) {
  estimate_ = &estimate;
  region_ = &region;
  certifier_ = &certifier;
  has_looked_ = false;
}

void ArmScreen::look() {
  if (has_looked_) {
    return;
  }
  fidelity_.look(*estimate_, *region_);
  const safety::Caution caution = certifier_->rule().caution;
  kappa_ = safety::caution_factor(caution, region_->dim());
  width_norm_ = caution == safety::Caution::L1Exact ? region_->root_inverse().norm()
                                                    : std::sqrt(fidelity_.inverse().trace());
  has_looked_ = true;
}

const Eigen::MatrixXd& ArmScreen::inverse() {
  look();
  return fidelity_.inverse();
}

bool ArmScreen::can_refuse() {
  look();
  // The members of a family have regions of their own, which may certify what this one does not.
  return !certifier_->uses_family() && fidelity_.holds();
}

// The bound on μᵀz of a certificate is never below its exact value, and that not below what is
// computed here less the roundings of this.
double ArmScreen::data_limit(std::size_t constraint, double length) const {
  const double z_norm = matrix_norms_(static_cast<Eigen::Index>(constraint)) * length;
  return problem_->room(constraint) +
         rounding_share(region_->dim()) * z_norm *
             (region_->mu_hat().norm() + kappa_ * region_->radius() * width_norm_);
}

double ArmScreen::prior_limit(std::size_t constraint, double length) const {
  return problem_->room(constraint) +
         rounding_share(region_->dim()) * problem_->assumptions.norm_bound *
             matrix_norms_(static_cast<Eigen::Index>(constraint)) * length;
}

bool ArmScreen::refuses(const Eigen::VectorXd& x) {
  const safety::SafetyRule& rule = certifier_->rule();
  const double length = x.norm() + centre_.norm();
  difference_ = x - centre_;
  for (std::size_t k = 0; k < problem_->constraints.size(); ++k) {
    z_.noalias() = problem_->constraints[k].matrix * difference_;
    if (rule.certified == safety::CertifiedSet::Union &&
        !(problem_->assumptions.norm_bound * z_.norm() > prior_limit(k, length))) {
      continue;
    }
    double width = 0.0;
    if (rule.caution == safety::Caution::L1Exact) {
      image_.noalias() = region_->root_inverse().transpose() * z_;
      width = image_.cwiseAbs().maxCoeff();
    } else {
      image_.noalias() = region_->factor_inverse().triangularView<Eigen::Lower>() * z_;
      width = image_.norm();
    }
    if (region_->mu_hat().dot(z_) + kappa_ * region_->radius() * kFaithfulShare * width >
        data_limit(k, length)) {
      return true;
    }
  }
  return false;
}

void ArmScreen::drop(const ArmBlock<double>& arms, bool is_padded, Eigen::VectorXd& losses) {
  double largest = 0.0;
  for (Eigen::Index j = 0; j < region_->dim(); ++j) {
    const Eigen::Map<const Eigen::VectorXd> column(arms.data + j * arms.stride, arms.count);
    largest = std::max(largest, column.cwiseAbs().maxCoeff());
  }
  length_ = std::sqrt(static_cast<double>(region_->dim())) * largest + centre_.norm();
  reserve(arms.count);
  for (std::size_t k = 0; k < problem_->constraints.size(); ++k) {
    drop_by(k, arms, is_padded, losses);
  }
}

// Forms on z = B(x − x₀) are forms on x: aᵀz = (Bᵀa)ᵀ(x − x₀) for the columns a of `vectors`.
void ArmScreen::load_forms(const Eigen::MatrixXd& B, const Eigen::MatrixXd& vectors,
                           bool is_transposed) {
  with_fixed_dim(B.rows(), [&](auto fixed) {
    using Square = Eigen::Matrix<double, fixed.value, fixed.value>;
    Eigen::Map<Square> forms(forms_.forms.data(), B.rows(), B.cols());
    const auto matrix = fixed_view<fixed.value>(B);
    if (is_transposed) {
      forms.noalias() = matrix.transpose() * fixed_view<fixed.value>(vectors).transpose();
    } else {
      forms.noalias() = matrix.transpose() * fixed_view<fixed.value>(vectors);
    }
    fixed_view<fixed.value>(forms_.linear).noalias() =
        matrix.transpose() * fixed_view<fixed.value>(region_->mu_hat());
  });
  forms_.offsets.noalias() = forms_.forms.transpose() * centre_;
  forms_.linear_offset = forms_.linear.dot(centre_);
}

void ArmScreen::drop_by(std::size_t constraint, const ArmBlock<double>& arms, bool is_padded,
                        Eigen::VectorXd& losses) {
  const safety::SafetyRule& rule = certifier_->rule();
  const Eigen::MatrixXd& B = problem_->constraints[constraint].matrix;
  const bool is_exact_l1 = rule.caution == safety::Caution::L1Exact;
  if (is_exact_l1) {
    load_forms(B, region_->root_inverse(), false);
  } else {
    load_forms(B, region_->factor_inverse(), true);
  }
  forms_.gather = is_exact_l1 ? Gather::LargestMagnitude : Gather::SumOfSquares;
  evaluate(arms, is_padded, forms_, tail_, estimates_.data(), spreads_.data());
  auto widths = spreads_.head(arms.count).array();
  if (!is_exact_l1) {
    widths = widths.sqrt();
  }
  const double reach = kappa_ * region_->radius() * kFaithfulShare;
  widths = estimates_.head(arms.count).array() + reach * widths;

  const bool counts_prior = rule.certified == safety::CertifiedSet::Union;
  if (counts_prior) {
    forms_.forms = B.transpose();
    forms_.offsets.noalias() = B * centre_;
    forms_.gather = Gather::SumOfSquares;
    evaluate(arms, is_padded, forms_, tail_, estimates_.data(), norms_.data());
    auto norms = norms_.head(arms.count).array();
    norms = problem_->assumptions.norm_bound * norms.sqrt();
  }
  const double limit = data_limit(constraint, length_);
  const double least = prior_limit(constraint, length_);
  for (Eigen::Index i = 0; i < arms.count; ++i) {
    if (spreads_(i) > limit && (!counts_prior || norms_(i) > least)) {
      losses(i) = kInfinity;
    }
  }
}

}  // namespace foothold::selection
