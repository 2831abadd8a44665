#pragma once

#include <vector>

#include <Eigen/Core>

#include "foothold/estimation/confidence_region.hpp"
#include "foothold/estimation/ridge_estimate.hpp"
#include "foothold/estimation/ridge_family.hpp"
#include "foothold/safety/certificate.hpp"
#include "foothold/safety/problem.hpp"
#include "foothold/safety/safe_set.hpp"
#include "foothold/safety/safety_rule.hpp"

namespace foothold::safety {

/// Issues certificates. Every quantity is bounded with its rounding errors, from the raw
/// problem and the estimate's doubled-precision state, so "safe" means safe in exact arithmetic
/// (docs/algorithms/certificates.md). What safe means is defined by `SafeSet`; only the arithmetic
/// is the certifier's own. Fails closed: what cannot be bounded is not certified.
/// O(d²) per constraint, no allocation after the first certificate. Not thread-safe.
class Certifier {
 public:
  /// Requires a resolved problem; keeps a reference to it.
  Certifier(const Problem& problem, const SafetyRule& rule);

  /// Lets certificates by `Caution::Ellipsoid` with the mixture radius rest on any member of a
  /// family, which must outlive this and have the observations of the estimates certified
  /// against.
  void use_family(const estimation::RidgeFamily& family) { family_ = &family; }

  /// Writes a certificate of x to `certificate`. `region` must be of the estimate's state; it
  /// is looked at for `Caution::L1Exact` only.
  void certify(const estimation::RidgeEstimate& estimate,
               const estimation::ConfidenceRegion& region,
               const Eigen::Ref<const Eigen::VectorXd>& x, Evidence evidence,
               Certificate& certificate);

  /// As above, but if x is not certified it is moved towards the centre by as little as is needed:
  /// an optimum lies on the limit, where rounding decides. Bounds on z = B(x − x₀) are positively
  /// homogeneous and convex sets star-shaped, so one move usually suffices. The certificate is
  /// that of the final x, issued for it as above; returns whether it is safe. Only for convex
  /// decision sets.
  bool certify_scaled(const estimation::RidgeEstimate& estimate,
                      const estimation::ConfidenceRegion& region, Eigen::Ref<Eigen::VectorXd> x,
                      Evidence evidence, Certificate& certificate);

  [[nodiscard]] const SafetyRule& rule() const noexcept { return safe_set_.rule(); }
  [[nodiscard]] bool uses_family() const noexcept { return family_ != nullptr; }

 private:
  // One state of the estimate and what is asked of it.
  struct State {
    const estimation::RidgeEstimate& estimate;
    const estimation::ConfidenceRegion& region;
    Evidence evidence;
  };
  void prepare(const State& state);
  void bound_constraints(const State& state, const Eigen::Ref<const Eigen::VectorXd>& x,
                         Certificate& certificate);
  [[nodiscard]] static double factor_to_limits(const Certificate& certificate);
  template <int Fixed>
  void set_difference(const Eigen::Ref<const Eigen::VectorXd>& x);
  template <int Fixed>
  void set_direction(std::size_t constraint);
  void sharpen_direction(std::size_t constraint);
  // That of the direction that was set.
  [[nodiscard]] estimation::Arithmetic arithmetic() const noexcept {
    return direction_.has_low ? estimation::Arithmetic::Doubled : estimation::Arithmetic::Plain;
  }
  template <int Fixed>
  void bound(std::size_t constraint, const State& state, ConstraintCertificate& entry) const;
  void set_prior_bound(std::size_t constraint, ConstraintCertificate& entry) const;
  void set_region_bound(std::size_t constraint, const State& state,
                        const estimation::DirectionBounds& bounds,
                        ConstraintCertificate& entry) const;
  void set_ellipsoid_bound(std::size_t constraint, BoundKind kind,
                           const estimation::DirectionBounds& bounds, double radius, double ridge,
                           ConstraintCertificate& entry) const;
  void widen_to_l1(std::size_t constraint, const estimation::DirectionBounds& bounds,
                   const estimation::ConfidenceRegion& region, ConstraintCertificate& entry) const;
  void improve_by_family(std::size_t constraint, ConstraintCertificate& entry) const;

  const Problem* problem_;
  const estimation::RidgeFamily* family_ = nullptr;
  SafeSet safe_set_;  // limits, rooms, κ and kinds; it has no state
  Eigen::VectorXd centre_;
  bool is_centred_;                   // whether the centre is the origin
  Eigen::VectorXd matrix_norms_;      // upper bounds on ‖B_k‖_F
  estimation::Direction difference_;  // x − x₀
  double difference_norm_ = 0.0;      // an upper bound on its norm
  estimation::Direction direction_;   // z = B(x − x₀)
  Eigen::VectorXd start_;             // what `certify_scaled` was given
  double radius_ = 0.0;               // β of the state being certified against
  std::vector<double> family_radii_;  // and those of the family's members
};

/// One certificate without a `Certifier`: for audits and single questions. `family` as in
/// `Certifier::use_family`, if not null. Throws `Error{InvalidArgument}` if the action has the
/// wrong size or is not finite.
[[nodiscard]] Certificate certify(const Problem& problem, const SafetyRule& rule,
                                  const estimation::RidgeEstimate& estimate,
                                  const Eigen::VectorXd& action,
                                  const estimation::RidgeFamily* family = nullptr);

}  // namespace foothold::safety
