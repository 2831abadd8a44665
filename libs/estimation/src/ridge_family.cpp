#include "foothold/estimation/ridge_family.hpp"

#include <cmath>

#include "foothold/base/infinity.hpp"
#include "foothold/base/rounding.hpp"

namespace foothold::estimation {

using rounding::up;

RidgeFamily::RidgeFamily(Eigen::Index dim, const Assumptions& assumptions,
                         const Digest128& origin) {
  for (const double factor : kFactors) {
    Assumptions scaled = assumptions;
    scaled.ridge = factor * ridge_or_default(assumptions);
    members_.emplace_back(dim, scaled, origin);
  }
}

void RidgeFamily::require_acceptable(const Eigen::Ref<const Eigen::VectorXd>& action,
                                     double loss) const {
  for (const RidgeEstimate& member : members_) {
    member.require_acceptable(action, loss);
  }
}

void RidgeFamily::observe(const Eigen::Ref<const Eigen::VectorXd>& action, double loss) {
  require_acceptable(action, loss);
  for (RidgeEstimate& member : members_) {
    member.observe(action, loss);
  }
}

double RidgeFamily::radius(std::size_t index, const RidgeEstimate& base) const {
  const RidgeEstimate& member = members_[index];
  if (member.digest() != base.digest()) {
    return kNaN;  // the one event that covers both is that of the same observations
  }
  const Assumptions& assumptions = base.assumptions();
  const double R = assumptions.noise_scale;
  const double S = assumptions.norm_bound;
  const double noise =
      up(R * R * (base.log_det_ratio() - 2.0 * std::log(assumptions.failure_prob)), 16.0);
  const double prior = up(member.ridge() * S * S, 8.0);
  const ExplainedBounds ours = member.explained();
  const ExplainedBounds theirs = base.explained();
  // The difference cancels; its parts are bounds already, and one rounding is left.
  const double difference = ours.upper - theirs.lower;
  const double radius_sq = up(noise + prior + difference, 4.0) +
                           4.0 * rounding::kUnit * (noise + prior + std::abs(difference));
  return radius_sq >= 0.0 ? up(std::sqrt(radius_sq), 8.0) : kNaN;
}

void RidgeFamily::save(ByteWriter& out) const {
  for (const RidgeEstimate& member : members_) {
    member.save(out);
  }
}

void RidgeFamily::load(ByteReader& in) {
  for (RidgeEstimate& member : members_) {
    member.load(in);
  }
}

}  // namespace foothold::estimation
