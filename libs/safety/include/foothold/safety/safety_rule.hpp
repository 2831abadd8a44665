#pragma once

#include <Eigen/Core>

#include "foothold/estimation/confidence_region.hpp"
#include "foothold/estimation/ridge_estimate.hpp"
#include "foothold/safety/certificate.hpp"

namespace foothold::safety {

/// Which data-driven bound keeps actions safe; formulas at `BoundKind`.
enum class Caution { Ellipsoid, L1Exact, L1Paper };

/// What counts as certified: the data-driven safe set D_t^s alone, as [AAT19], or together
/// with the foothold D^w, which it need not contain in early rounds.
enum class CertifiedSet { Region, Union };

/// How safety is judged.
struct SafetyRule {
  Caution caution = Caution::Ellipsoid;
  CertifiedSet certified = CertifiedSet::Union;
  estimation::RadiusForm radius = estimation::RadiusForm::Mixture;
  estimation::RootForm root = estimation::RootForm::Cholesky;  ///< For `Caution::L1Exact`.
};

/// Which bounds a certificate may rest on.
enum class Evidence {
  Prior,   ///< only S‖B(x − x₀)‖: the foothold
  Region,  ///< only the data
  Either   ///< per constraint whichever is smaller
};

/// κ: how much wider than the ellipsoid the caution's region is, 1 or √d.
[[nodiscard]] double caution_factor(Caution caution, Eigen::Index dim);

/// The bound μ̂ᵀz + √dβ‖H⁻ᵀz‖_∞ of `L1Exact` lies between two bounds of the form
/// μ̂ᵀz + κβ‖z‖_{A⁻¹}, which are cones: the ellipsoid's below it and that of [AAT19, (in1)] above
/// it. The other cautions are of that form themselves, so each is its own inner and outer one.
[[nodiscard]] constexpr Caution inner_caution(Caution caution) noexcept {
  return caution == Caution::L1Exact ? Caution::Ellipsoid : caution;
}
[[nodiscard]] constexpr Caution outer_caution(Caution caution) noexcept {
  return caution == Caution::L1Exact ? Caution::L1Paper : caution;
}

/// The kind of bound that a caution issues.
[[nodiscard]] constexpr BoundKind bound_kind(Caution caution) noexcept {
  return caution == Caution::L1Exact   ? BoundKind::L1Exact
         : caution == Caution::L1Paper ? BoundKind::L1Paper
                                       : BoundKind::Ellipsoid;
}

/// All the evidence that a rule admits.
[[nodiscard]] constexpr Evidence admitted_evidence(CertifiedSet certified) noexcept {
  return certified == CertifiedSet::Union ? Evidence::Either : Evidence::Region;
}

}  // namespace foothold::safety
