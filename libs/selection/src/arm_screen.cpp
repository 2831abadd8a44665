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
      image_(problem.dim()),
      linear_(problem.dim()),
      rows_(problem.dim(), problem.dim()),
      offsets_(problem.dim()) {
  for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
    matrix_norms_(static_cast<Eigen::Index>(k)) = problem.constraints[k].matrix.norm();
  }
}

void ArmScreen::prepare(const ArmTable& arms) {
  images_.emplace(*problem_, arms);
  reserve(arms.block().count);
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

InverseError ArmScreen::inverse_error() {
  look();
  return fidelity_.inverse_error();
}

bool ArmScreen::can_refuse() {
  look();
  // The members of a family have regions of their own, which may certify what this one does not.
  return !certifier_->uses_family() && fidelity_.holds() &&
         region_->digest() == estimate_->digest();
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
  const bool is_prepared = images_ && images_->are_of(arms);
  const bool counts_prior = certifier_->rule().certified == safety::CertifiedSet::Union;
  reserve(arms.count);
  double length = is_prepared ? images_->length() : 0.0;
  if (!is_prepared) {
    double largest = 0.0;
    for (Eigen::Index j = 0; j < region_->dim(); ++j) {
      const Eigen::Map<const Eigen::VectorXd> column(arms.data + j * arms.stride, arms.count);
      largest = std::max(largest, column.cwiseAbs().maxCoeff());
    }
    length = std::sqrt(static_cast<double>(region_->dim())) * largest + centre_.norm();
  }
  for (std::size_t k = 0; k < problem_->constraints.size(); ++k) {
    if (is_prepared) {
      evaluate(images_->block(k), true, width_forms(), tail_, estimates_.data(), spreads_.data());
      rule_out(k, length, arms.count, counts_prior ? images_->prior_bounds(k).data() : nullptr,
               losses);
      continue;
    }
    if (counts_prior) {
      evaluate(arms, is_padded, norm_forms(k), tail_, estimates_.data(), norms_.data());
      auto norms = norms_.head(arms.count).array();
      norms = problem_->assumptions.norm_bound * norms.sqrt();
    }
    evaluate(arms, is_padded, width_forms_of_image(k), tail_, estimates_.data(), spreads_.data());
    rule_out(k, length, arms.count, counts_prior ? norms_.data() : nullptr, losses);
  }
}

// μ̂ᵀz and ‖F⁻¹z‖², or ‖H⁻ᵀz‖_∞, as forms on z.
ArmForms<double> ArmScreen::width_forms() const {
  const bool is_exact_l1 = certifier_->rule().caution == safety::Caution::L1Exact;
  const Eigen::MatrixXd& rows =
      is_exact_l1 ? region_->root_inverse() : estimate_->gram().root_inverse();
  return {.dim = region_->dim(),
          .linear = region_->mu_hat().data(),
          .forms = rows.data(),
          .is_triangular = !is_exact_l1,
          .gather = is_exact_l1 ? Gather::LargestMagnitude : Gather::SumOfSquares};
}

// The same as forms on x: aᵀz = (Bᵀa)ᵀ(x − x₀).
ArmForms<double> ArmScreen::width_forms_of_image(std::size_t constraint) {
  const Eigen::MatrixXd& B = problem_->constraints[constraint].matrix;
  ArmForms<double> forms = width_forms();
  rows_.noalias() =
      B.transpose() * Eigen::Map<const Eigen::MatrixXd>(forms.forms, forms.dim, forms.dim);
  linear_.noalias() = B.transpose() * region_->mu_hat();
  offsets_.noalias() = rows_.transpose() * centre_;
  forms.linear = linear_.data();
  forms.linear_offset = linear_.dot(centre_);
  forms.forms = rows_.data();
  forms.offsets = offsets_.data();
  forms.is_triangular = false;
  return forms;
}

// ‖z‖² as forms on x: the rows of B.
ArmForms<double> ArmScreen::norm_forms(std::size_t constraint) {
  const Eigen::MatrixXd& B = problem_->constraints[constraint].matrix;
  rows_ = B.transpose();
  offsets_.noalias() = B * centre_;
  linear_.setZero();
  return {.dim = region_->dim(),
          .linear = linear_.data(),
          .forms = rows_.data(),
          .offsets = offsets_.data()};
}

// Rules out the arms whose bound from the data exceeds its limit, and that without data, too, if it
// counts. μ̂ᵀz + ρw > limit is asked of squares, without a root: such roundings are in the limit.
// What leaves the range, or nearly so, rules out nothing.
void ArmScreen::rule_out(std::size_t constraint, double length, Eigen::Index count,
                         const double* prior_bounds, Eigen::VectorXd& losses) {
  constexpr double kLeastSquare = 0x1p-900;
  constexpr double kLargestSquare = 0x1p900;
  const bool is_square = certifier_->rule().caution != safety::Caution::L1Exact;
  const double limit = data_limit(constraint, length);
  const double reach = kappa_ * region_->radius() * kFaithfulShare;
  const double reach_sq = reach * reach;
  if (is_square && !(reach_sq > kLeastSquare && reach_sq < kLargestSquare)) {
    return;
  }
  const double least = prior_limit(constraint, length);
  const double* __restrict estimates = estimates_.data();
  const double* __restrict spreads = spreads_.data();
  double* __restrict result = losses.data();
  for (Eigen::Index i = 0; i < count; ++i) {
    const double room = limit - estimates[i];
    const double room_sq = std::max(room * room, kLeastSquare);
    const bool exceeds_room =
        is_square ? reach_sq * spreads[i] > room_sq : reach * spreads[i] > room;
    const bool is_refused = (room < 0.0 || exceeds_room) && spreads[i] < kLargestSquare;
    const bool is_open =
        prior_bounds == nullptr || (prior_bounds[i] > least && prior_bounds[i] < kLargestSquare);
    if (is_refused && is_open) {
      result[i] = kInfinity;
    }
  }
}

}  // namespace foothold::selection
