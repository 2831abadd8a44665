#include "foothold/cone/dual/cut_dual.hpp"

#include <cmath>

#include "foothold/base/infinity.hpp"

namespace foothold::cone {

double CutDual::next_kink(double direction) {
  double nearest = tau_;
  if (direction > 0.0) {
    nearest = kInfinity;
  }
  kink_ = -1;
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    const double value = p(i) + tau_ * g(i);
    const double speed = direction * g(i);
    const double distance = -value / speed;
    // Only a coordinate on its way to 0 has its kink ahead.
    if (value * speed < 0.0 && distance < nearest) {
      nearest = distance;
      kink_ = i;
    }
  }
  return nearest;
}

double CutDual::maximise(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, double start) {
  tau_ = start;
  kink_ = -1;
  double best = -tau_ * c;
  double slope = -c;
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    const double value = p(i) + tau_ * g(i);
    const double u = value > 0.0 ? lower(i) : upper(i);
    best += value * u;
    slope += g(i) * u;
  }
  const double direction = slope > 0.0 ? 1.0 : -1.0;
  slope *= direction;
  for (Eigen::Index passed = 0; passed <= p.size() && slope > 0.0; ++passed) {
    const double distance = next_kink(direction);
    if (!(distance < kInfinity)) {
      break;  // no multiplier is too large: nothing satisfies the cut
    }
    best += slope * distance;
    tau_ += direction * distance;
    if (kink_ < 0) {
      tau_ = 0.0;
      break;
    }
    slope -= std::abs(g(kink_)) * (upper(kink_) - lower(kink_));
    p(kink_) = -tau_ * g(kink_);  // exactly at its kink, so that it is not met again
  }
  return best;
}

void CutDual::read_sides(signed char* side) const {
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    side[i] = static_cast<signed char>(p(i) + tau_ * g(i) > 0.0 ? -1 : 1);
  }
  if (kink_ >= 0) {
    side[kink_] = 0;
  }
}

}  // namespace foothold::cone
