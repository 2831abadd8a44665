#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "foothold/base/hash.hpp"
#include "foothold/base/infinity.hpp"

namespace foothold::safety {

/// Which bound on μᵀBx a certificate rests on. With z = B(x − x₀), x₀ the centre of the problem
/// and u = c − m what is used up there (both 0 without a baseline):
///
///     APriori     u + S ‖z‖₂                     needs no data
///     Ellipsoid   u + μ̂ᵀz +    β ‖z‖_{A⁻¹}
///     L1Exact     u + μ̂ᵀz + √d β ‖H⁻ᵀz‖_∞        HᵀH = A
///     L1Paper     u + μ̂ᵀz + √d β ‖z‖_{A⁻¹}       [AAT19, (in1)]
enum class BoundKind { APriori, Ellipsoid, L1Exact, L1Paper };
inline constexpr BoundKind kLastBoundKind = BoundKind::L1Paper;

/// The word for it in files, on the command line and in reports.
[[nodiscard]] std::string_view name(BoundKind kind);

/// Why one constraint holds: an upper bound on μᵀBx, rounding included, beside the limit c.
struct ConstraintCertificate {
  static constexpr double kUnknown = kNaN;

  BoundKind kind = BoundKind::APriori;
  double bound = kUnknown;  ///< μᵀBx ≤ bound whenever μ lies in the region and ‖μ‖ ≤ S.
  double limit = kUnknown;      ///< c
  double excess = kUnknown;     ///< bound − u: what the action adds to what the centre uses.
  double room = kUnknown;       ///< m = c − u; safe means excess ≤ room.
  double radius = kUnknown;     ///< β; NaN for APriori, which has none.
  double ridge = kUnknown;      ///< λ of the estimate that proves it; NaN for APriori.
  double width = kUnknown;      ///< ‖z‖_{A⁻¹}, rounded up; NaN for APriori.
  double allowance = kUnknown;  ///< The part of `bound` that answers for rounding.

  [[nodiscard]] double margin() const noexcept { return room - excess; }
  [[nodiscard]] bool is_safe() const noexcept { return excess <= room; }  // false for NaN
};

/// Why an action may be played. With probability ≥ 1 − δ every action with a safe
/// certificate satisfies all constraints, at all rounds at once.
struct Certificate {
  std::vector<ConstraintCertificate> constraints{};  ///< One per constraint, in their order.
  bool is_in_decision_set = false;                   ///< x ∈ D₀ in exact arithmetic.
  std::int64_t observations = 0;                     ///< n of the state that proves it.
  /// Fingerprint of the problem, the options and all observations in their order, bit for bit.
  Digest128 digest{};

  [[nodiscard]] bool is_safe() const noexcept {
    for (const ConstraintCertificate& entry : constraints) {
      if (!entry.is_safe()) {
        return false;
      }
    }
    return is_in_decision_set && !constraints.empty();
  }
  /// The smallest margin of all constraints.
  [[nodiscard]] double margin() const noexcept;
};

}  // namespace foothold::safety
