#include "checks/safe_set_border.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace foothold::reproduction {
namespace {

constexpr double kTolerance = 1e-6;
// Twice the half diagonal of any box that is drawn.
constexpr double kFar = 4.0;

}  // namespace

void PlaneCurve::add(const Eigen::Vector2d& point) {
  x.push_back(point(0));
  y.push_back(point(1));
}

Eigen::Vector2d certified_point(const policy::Learner& policy, double angle) {
  const Eigen::Vector2d centre = policy.problem().centre();
  const Eigen::Vector2d direction(std::cos(angle), std::sin(angle));
  double inside = 0.0;
  double outside = kFar;
  while (outside - inside > kTolerance) {
    const double middle = 0.5 * (inside + outside);
    const Eigen::VectorXd point = centre + middle * direction;
    (policy.certify(point).is_safe() ? inside : outside) = middle;
  }
  return centre + inside * direction;
}

PlaneCurve certified_border(const policy::Learner& policy, int rays) {
  PlaneCurve curve;
  for (int ray = 0; ray <= rays; ++ray) {
    // The last ray is the first again, to the last bit. The corners of the square are on rays if
    // their number is a multiple of eight.
    curve.add(certified_point(policy, 2.0 * std::numbers::pi * (ray % rays) / rays));
  }
  return curve;
}

PlaneCurve cut_square(const Eigen::Vector2d& q, double c) {
  // Sutherland and Hodgman: keep corners on the safe side, add where edges cross the line.
  static const std::array<Eigen::Vector2d, 4> corners{
      Eigen::Vector2d(-1.0, -1.0), Eigen::Vector2d(1.0, -1.0), Eigen::Vector2d(1.0, 1.0),
      Eigen::Vector2d(-1.0, 1.0)};
  PlaneCurve curve;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Eigen::Vector2d& from = corners.at(i);
    const Eigen::Vector2d& to = corners.at((i + 1) % corners.size());
    const double room_from = c - q.dot(from);
    const double room_to = c - q.dot(to);
    if (room_from >= 0.0) {
      curve.add(from);
    }
    if ((room_from < 0.0) != (room_to < 0.0)) {
      curve.add(from + room_from / (room_from - room_to) * (to - from));
    }
  }
  curve.add({curve.x.front(), curve.y.front()});
  return curve;
}

}  // namespace foothold::reproduction
