#pragma once

namespace foothold::selection {

// A bound this close to the incumbent cannot lead to a better action worth having: it is the
// rounding of the incumbent's own value.
inline constexpr double kPruneTolerance = 1e-12;

// Gap at which a solution is accepted, relative to max(|value|, kRangeShare of the objective's
// range over the box): a tenth of what is promised to callers.
inline constexpr double kAccept = 1e-10;
inline constexpr double kPromised = 1e-9;
inline constexpr double kRangeShare = 1e-3;

// An optimum lies on its cone, where the allowances of a certificate decide against it: some 20 to
// 80 roundings (2⁻⁵³) in rounds of d = 2 to 64. So much inside it is usually certified at once.
inline constexpr double kInset = 0x1p-46;

}  // namespace foothold::selection
