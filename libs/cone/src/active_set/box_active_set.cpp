#include "foothold/cone/active_set/box_active_set.hpp"

#include <algorithm>
#include <cmath>

#include "foothold/base/infinity.hpp"
#include "foothold/base/simd/register_vector.hpp"

#include "warm_start.hpp"

namespace foothold::cone {
namespace {

// Steps that change all violators at once before single changes begin, and all steps.
constexpr int kBulkSteps = 8;
constexpr int kMaxBoxSteps = 40;

// aᵀb of entries that were just written one by one: of a few, several read at once would have to
// wait until all are in the cache.
template <int Fixed>
double dot_of_fresh(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  if constexpr (Fixed > 0 && Fixed <= 4) {
    double sum = a(0) * b(0);
    for (Eigen::Index i = 1; i < Fixed; ++i) {
      sum += a(i) * b(i);
    }
    return sum;
  } else {
    return fixed_view<Fixed>(a).dot(fixed_view<Fixed>(b));
  }
}

}  // namespace

BoxActiveSet::BoxActiveSet(Eigen::Index dim)
    : face_(dim),
      free_(static_cast<std::size_t>(dim)),
      fixed_(dim),
      u_(dim),
      point_(dim),
      Q_fixed_(dim),
      Q_u_(dim),
      gradient_(dim) {}

template <int Fixed>
Eigen::Index BoxActiveSet::collect(const QuadraticCone& cone, const Eigen::VectorXd& lower,
                                   const Eigen::VectorXd& upper, const Eigen::VectorXd& v,
                                   const signed char* side) {
  const Eigen::Index d = fixed_or<Fixed>(v.size());
  Eigen::Index n = 0;
  double a_fixed = 0.0;
  for (Eigen::Index i = 0; i < d; ++i) {
    double bound = 0.0;
    if (side[i] == 0) {
      free_[static_cast<std::size_t>(n++)] = i;
    } else {
      bound = side[i] > 0 ? upper(i) : lower(i);
      a_fixed += cone.a(i) * bound;
    }
    fixed_(i) = bound;
    u_(i) = bound;
  }
  multiply<Fixed>(cone.Q, fixed_, Q_fixed_);
  const auto Q = fixed_view<Fixed>(cone.Q);
  for (Eigen::Index j = 0; j < n; ++j) {
    const Eigen::Index column = free_[static_cast<std::size_t>(j)];
    for (Eigen::Index i = j; i < n; ++i) {
      face_.Q(i, j) = Q(free_[static_cast<std::size_t>(i)], column);
    }
    face_.a(j) = cone.a(column);
    face_.v(j) = v(column);
    face_.g(j) = Q_fixed_(column);
  }
  face_.r0 = dot_of_fresh<Fixed>(fixed_, Q_fixed_);
  face_.c0 = cone.c - a_fixed;
  face_.rho = cone.rho;
  return n;
}

// u and Qu from the face's solution; the other entries of u are set.
template <int Fixed>
void BoxActiveSet::set_iterate(const QuadraticCone& cone, Eigen::Index n) {
  const auto Q = fixed_view<Fixed>(cone.Q);
  if constexpr (kFitsRegister<Fixed>) {
    // In a register: whoever reads several entries at once would have to wait for single ones.
    RegisterVector<Fixed> u(fixed_.data());
    RegisterVector<Fixed> image(Q_fixed_.data());
    for (Eigen::Index j = 0; j < n; ++j) {
      const Eigen::Index i = free_[static_cast<std::size_t>(j)];
      u.set(i, face_.t(j));
      image.add(face_.t(j), Q.col(i).data());
    }
    u.store(u_.data());
    image.store(Q_u_.data());
  } else {
    auto Q_u = fixed_view<Fixed>(Q_u_);
    Q_u = fixed_view<Fixed>(Q_fixed_);
    for (Eigen::Index j = 0; j < n; ++j) {
      const Eigen::Index i = free_[static_cast<std::size_t>(j)];
      u_(i) = face_.t(j);
      Q_u += face_.t(j) * Q.col(i);
    }
  }
}

// g = v + τ∇(aᵀu + ρ‖u‖_Q): with any u, min_{box} gᵀu − τc is a lower bound, by weak duality.
template <int Fixed>
void BoxActiveSet::bound_iterate(const QuadraticCone& cone, const Eigen::VectorXd& lower,
                                 const Eigen::VectorXd& upper, const Eigen::VectorXd& v) {
  if constexpr (kFitsRegister<Fixed>) {
    norm_ = std::sqrt(RegisterVector<Fixed>(u_.data()).dot(RegisterVector<Fixed>(Q_u_.data())));
  } else {
    norm_ = std::sqrt(dot_of_fresh<Fixed>(u_, Q_u_));
  }
  const double tau = face_.tau;
  const double weight = tau * cone.rho / norm_;
  double bound = -tau * cone.c;
  const Eigen::Index d = fixed_or<Fixed>(v.size());
  for (Eigen::Index i = 0; i < d; ++i) {
    const double g = v(i) + tau * cone.a(i) + weight * Q_u_(i);
    gradient_(i) = g;
    bound += std::min(g * lower(i), g * upper(i));
  }
  dual_bound_ = bound;
}

ActiveSetStatus BoxActiveSet::solve(const QuadraticCone& cone, const Eigen::VectorXd& lower,
                                    const Eigen::VectorXd& upper, const Eigen::VectorXd& v,
                                    double cutoff, signed char* side) {
  return with_fixed_dim(u_.size(), [&](auto fixed) {
    return solve_sized<fixed.value>(cone, lower, upper, v, cutoff, side);
  });
}

template <int Fixed>
ActiveSetStatus BoxActiveSet::solve_sized(const QuadraticCone& cone, const Eigen::VectorXd& lower,
                                          const Eigen::VectorXd& upper, const Eigen::VectorXd& v,
                                          double cutoff, signed char* side) {
  const double slope = kGuessTolerance * fixed_view<Fixed>(v).cwiseAbs().maxCoeff();
  for (int step = 0; step < kMaxBoxSteps; ++step) {
    const Eigen::Index n = collect<Fixed>(cone, lower, upper, v, side);
    steps_ = step + 1;
    if (n == 0 || face_.solve(n) != FaceStatus::Optimal) {
      return ActiveSetStatus::Failed;
    }
    set_iterate<Fixed>(cone, n);
    bound_iterate<Fixed>(cone, lower, upper, v);
    if (dual_bound_ >= cutoff) {
      return ActiveSetStatus::CutOff;
    }
    const int changes = step < kBulkSteps ? correct_all<Fixed>(lower, upper, slope, side)
                                          : correct_worst(lower, upper, slope, side);
    if (changes == 0) {
      return ActiveSetStatus::Optimal;
    }
  }
  return ActiveSetStatus::Failed;
}

ActiveSetStatus BoxActiveSet::descend(const QuadraticCone& cone, const Eigen::VectorXd& lower,
                                      const Eigen::VectorXd& upper, const Eigen::VectorXd& v,
                                      double cutoff, signed char* side) {
  const Eigen::Index d = v.size();
  const double slope = kGuessTolerance * v.cwiseAbs().maxCoeff();
  point_.setZero();
  std::fill(side, side + d, static_cast<signed char>(0));
  const int max_steps = 20 + 6 * static_cast<int>(d);
  for (int step = 0; step < max_steps; ++step) {
    const Eigen::Index n = collect<Eigen::Dynamic>(cone, lower, upper, v, side);
    steps_ = step + 1;
    const Direction next = aim(cone, lower, upper, v, n);
    if (next == Direction::None) {
      return ActiveSetStatus::Failed;
    }
    if (next == Direction::Optimum && dual_bound_ >= cutoff) {
      return ActiveSetStatus::CutOff;
    }
    if (n > 0 && move(lower, upper, next == Direction::Ray, side)) {
      continue;
    }
    if (next == Direction::Ray) {
      return ActiveSetStatus::Failed;  // a box has no rays
    }
    // The optimum of the face is reached: only signs can be wrong now.
    if (correct_worst(lower, upper, slope, side) == 0) {
      return ActiveSetStatus::Optimal;
    }
  }
  return ActiveSetStatus::Failed;
}

// Puts into u_ where to go from here on the face: its optimum, or a direction.
BoxActiveSet::Direction BoxActiveSet::aim(const QuadraticCone& cone, const Eigen::VectorXd& lower,
                                          const Eigen::VectorXd& upper, const Eigen::VectorXd& v,
                                          Eigen::Index n) {
  const FaceStatus status = n == 0 ? FaceStatus::Optimal : face_.solve(n);
  if (status == FaceStatus::Unbounded) {
    u_.setZero();
    for (Eigen::Index j = 0; j < n; ++j) {
      u_(free_[static_cast<std::size_t>(j)]) = face_.t(j);
    }
    return Direction::Ray;
  }
  if (status != FaceStatus::Optimal) {
    return Direction::None;
  }
  if (n == 0) {  // a corner, inside the cone or the way would not have led here
    face_.tau = 0.0;
  }
  set_iterate<Eigen::Dynamic>(cone, n);
  bound_iterate<Eigen::Dynamic>(cone, lower, upper, v);
  return Direction::Optimum;
}

bool BoxActiveSet::move(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, bool is_ray,
                        signed char* side) {
  if (!is_ray) {
    u_ -= point_;  // the step; restored below
  }
  double length = 1.0;
  if (is_ray) {
    length = kInfinity;
  }
  Eigen::Index stop = -1;
  for (Eigen::Index i = 0; i < u_.size(); ++i) {
    const double room = u_(i) > 0.0 ? upper(i) - point_(i) : lower(i) - point_(i);
    if (side[i] == 0 && u_(i) != 0.0 && room / u_(i) < length) {
      length = std::max(room / u_(i), 0.0);
      stop = i;
    }
  }
  if (is_ray && stop < 0) {
    return false;
  }
  if (stop >= 0) {
    side[stop] = static_cast<signed char>(u_(stop) > 0.0 ? 1 : -1);
  }
  for (Eigen::Index i = 0; i < u_.size(); ++i) {
    const double step = u_(i);
    u_(i) += point_(i);
    point_(i) += length * step;
  }
  if (stop >= 0) {
    point_(stop) = side[stop] > 0 ? upper(stop) : lower(stop);
  }
  return stop >= 0;
}

// A free coordinate must lie between its bounds; at the upper one the gradient must not be
// positive, at the lower not negative.
template <int Fixed>
int BoxActiveSet::correct_all(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                              double slope, signed char* side) const {
  const Eigen::Index d = fixed_or<Fixed>(u_.size());
  int changes = 0;
  for (Eigen::Index i = 0; i < d; ++i) {
    if (side[i] == 0) {
      const double tolerance = kGuessTolerance * (upper(i) - lower(i));
      if (u_(i) - upper(i) > tolerance) {
        side[i] = 1;
        ++changes;
      } else if (lower(i) - u_(i) > tolerance) {
        side[i] = -1;
        ++changes;
      }
    } else if ((side[i] > 0 ? gradient_(i) : -gradient_(i)) > slope) {
      side[i] = 0;
      ++changes;
    }
  }
  return changes;
}

int BoxActiveSet::correct_worst(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                                double slope, signed char* side) const {
  double worst = kGuessTolerance;
  Eigen::Index worst_index = -1;
  signed char better = 0;
  for (Eigen::Index i = 0; i < u_.size(); ++i) {
    double fault = 0.0;
    signed char change = 0;
    if (side[i] == 0) {
      const double above = u_(i) - upper(i);
      const double below = lower(i) - u_(i);
      fault = std::max(above, below) / (upper(i) - lower(i));
      change = above > below ? 1 : -1;
    } else {
      fault = kGuessTolerance * (side[i] > 0 ? gradient_(i) : -gradient_(i)) / slope;
    }
    if (fault > worst) {
      worst = fault;
      worst_index = i;
      better = change;
    }
  }
  if (worst_index < 0) {
    return 0;
  }
  side[worst_index] = better;
  return 1;
}

}  // namespace foothold::cone
