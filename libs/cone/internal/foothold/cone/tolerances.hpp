#pragma once

namespace foothold::cone {

// A bound this close to the incumbent cannot lead to a better action worth having: it is the
// rounding of the incumbent's own value.
inline constexpr double kPruneTolerance = 1e-12;

// Gap at which a solution is accepted, relative to max(|value|, kRangeShare of the objective's
// range over the box): a tenth of what is promised to callers.
inline constexpr double kAccept = 1e-10;
inline constexpr double kPromised = 1e-9;
inline constexpr double kRangeShare = 1e-3;

}  // namespace foothold::cone
