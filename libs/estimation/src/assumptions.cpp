#include "foothold/estimation/assumptions.hpp"

#include "foothold/base/check.hpp"

namespace foothold::estimation {

void validate(const Assumptions& assumptions) {
  check::non_negative(assumptions.noise_scale, "noise_scale");
  check::positive(assumptions.norm_bound, "norm_bound");
  if (assumptions.action_bound) {
    check::positive(*assumptions.action_bound, "action_bound");
  }
  check::positive(ridge_or_default(assumptions), "ridge");
  check::open_unit_interval(assumptions.failure_prob, "failure_prob");
}

double ridge_or_default(const Assumptions& assumptions) {
  if (assumptions.ridge) {
    return *assumptions.ridge;
  }
  const double ratio = assumptions.noise_scale / assumptions.norm_bound;
  return ratio > 0.0 ? ratio * ratio : 1.0;
}

}  // namespace foothold::estimation
