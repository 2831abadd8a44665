#pragma once

#include <optional>
#include <string>

#include <Eigen/Core>

namespace foothold::estimation {

/// What is assumed of a problem, and the two constants the learner may choose.
/// Every guarantee of the library is conditional on these.
struct Assumptions {
  double noise_scale = 1.0;  ///< R: the noise of the loss is conditionally R-sub-Gaussian.
  double norm_bound = 1.0;   ///< S: ‖μ‖₂ ≤ S.
  /// L: ‖x‖₂ ≤ L for every action. Left out, a proved bound of the decision set.
  std::optional<double> action_bound{};
  /// λ: regularisation of the estimate. Left out, R²/S² (or 1 if R = 0), the value that suits
  /// the mixture radius; [AAT19] takes 1.
  std::optional<double> ridge{};
  double failure_prob = 0.01;  ///< δ: the regions fail, at any round, w.p. ≤ δ.
};

/// Throws `Error{InvalidArgument}` naming the field unless failure_prob ∈ (0, 1),
/// noise_scale ≥ 0 and the others, where given, are positive; all finite.
void validate(const Assumptions& assumptions);

/// λ as given, or its default.
[[nodiscard]] double ridge_or_default(const Assumptions& assumptions);

}  // namespace foothold::estimation
