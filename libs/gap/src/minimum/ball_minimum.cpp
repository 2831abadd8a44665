#include "minimum/ball_minimum.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <Eigen/QR>

#include "minimum/least_distance.hpp"

namespace foothold::gap {
namespace {

// Rows and the objective have norm 1 here. A rate along a unit direction below this is rounding.
constexpr double kSmallestRate = 1e-12;
// A face on which the objective has a slope below this is taken for one on which it is constant.
constexpr double kFlat = 1e-13;
// A face touches the ball in a point; its multipliers are then unbounded, and this caps them.
constexpr double kSmallestFace = 1e-7;
// Negative multipliers of this size are rounding.
constexpr double kMultiplierTolerance = 1e-12;
// Steps without progress after which rows leave by their number: then no sequence repeats.
constexpr int kStallLimit = 8;

class ActiveSet {
 public:
  ActiveSet(const Eigen::VectorXd& p, const Eigen::Ref<const Eigen::MatrixXd>& R,
            const Eigen::Ref<const Eigen::VectorXd>& s, Eigen::VectorXd start)
      : p_(p), R_(R), s_(s), omega_(std::move(start)), radius_(std::max(1.0, omega_.norm())) {
    best_.setZero(R.rows());
    best_bound_ = -p.norm();
  }

  Eigen::VectorXd solve() {
    const Eigen::Index limit = 50 + 10 * (R_.rows() + R_.cols());
    for (Eigen::Index step = 0; step < limit; ++step) {
      solve_face();
      const Eigen::Index blocking = move_to_target();
      if (blocking >= 0) {
        working_.push_back(blocking);
        continue;
      }
      const Eigen::Index leaving = price();
      if (leaving < 0) {
        break;
      }
      working_.erase(working_.begin() + leaving);
    }
    return best_;
  }

 private:
  // The minimiser on { R_W ω = s_W } ∩ ball: from the face's point of least norm against the
  // objective's slope in the face, as far as the ball goes.
  void solve_face() {
    const auto held = static_cast<Eigen::Index>(working_.size());
    const Eigen::Index d = R_.cols();
    Eigen::VectorXd least = Eigen::VectorXd::Zero(d);
    Eigen::VectorXd slope = p_;
    if (held > 0) {
      qr_.compute(Eigen::MatrixXd(R_(working_, Eigen::all).transpose()));
      triangle_ = qr_.matrixQR().topRows(held);
      least.head(held) =
          triangle_.transpose().triangularView<Eigen::Lower>().solve(Eigen::VectorXd(s_(working_)));
      least.applyOnTheLeft(qr_.householderQ());
      slope.applyOnTheLeft(qr_.householderQ().adjoint());
      slope.head(held).setZero();
      slope.applyOnTheLeft(qr_.householderQ());
    }
    const double steepness = held < d ? slope.norm() : 0.0;
    if (!(steepness > kFlat)) {
      target_ = omega_;
      ball_multiplier_ = 0.0;
      return;
    }
    const double room_sq = radius_ * radius_ - least.squaredNorm();
    const double room = std::sqrt(std::max(room_sq, kSmallestFace * kSmallestFace));
    target_ = least - (room_sq > 0.0 ? std::sqrt(room_sq) / steepness : 0.0) * slope;
    ball_multiplier_ = steepness / room;
  }

  // Goes towards the target; the row that stops it, or −1.
  Eigen::Index move_to_target() {
    const Eigen::VectorXd direction = target_ - omega_;
    const double length = direction.norm();
    const Eigen::VectorXd rate = R_ * direction;
    const Eigen::VectorXd slack = (s_ - R_ * omega_).cwiseMax(0.0);
    Eigen::Index blocking = -1;
    double share = 1.0;
    for (Eigen::Index i = 0; i < rate.size(); ++i) {
      const bool is_working = std::find(working_.begin(), working_.end(), i) != working_.end();
      if (is_working || !(rate(i) > kSmallestRate * length) || !(rate(i) > kRounding)) {
        continue;
      }
      const double ratio = slack(i) / rate(i);
      const bool is_tie = blocking >= 0 && ratio <= share + kRounding && rate(i) > rate(blocking);
      if (ratio < share - kRounding || is_tie) {
        share = std::min(share, ratio);
        blocking = i;
      }
    }
    stalled_ = share * length > kRounding ? 0 : stalled_ + 1;
    omega_ += share * direction;
    return blocking;
  }

  // R_Wᵀη = −p − τω gives the multipliers of the face. Keeps the best bound they prove; the
  // position of the row to leave, or −1 at the optimum.
  Eigen::Index price() {
    const auto held = static_cast<Eigen::Index>(working_.size());
    if (held == 0) {
      return -1;
    }
    Eigen::VectorXd eta = -p_ - ball_multiplier_ * omega_;
    eta.applyOnTheLeft(qr_.householderQ().adjoint());
    eta = Eigen::VectorXd(triangle_.triangularView<Eigen::Upper>().solve(eta.head(held)));
    keep_bound(eta);
    const double tolerance = kMultiplierTolerance * (1.0 + eta.cwiseAbs().maxCoeff());
    Eigen::Index leaving = -1;
    for (Eigen::Index j = 0; j < held; ++j) {
      if (!(eta(j) < -tolerance)) {
        continue;
      }
      const bool is_better =
          leaving < 0 || (stalled_ > kStallLimit ? working_[static_cast<std::size_t>(j)] <
                                                       working_[static_cast<std::size_t>(leaving)]
                                                 : eta(j) < eta(leaving));
      leaving = is_better ? j : leaving;
    }
    return leaving;
  }

  void keep_bound(const Eigen::VectorXd& eta) {
    Eigen::VectorXd full = Eigen::VectorXd::Zero(R_.rows());
    full(working_) = eta.cwiseMax(0.0);
    const double bound = -(p_ + R_.transpose() * full).norm() - s_.dot(full);
    if (bound > best_bound_) {
      best_bound_ = bound;
      best_ = full;
    }
  }

  static constexpr double kRounding = 1e-15;

  const Eigen::VectorXd& p_;
  const Eigen::Ref<const Eigen::MatrixXd>& R_;
  const Eigen::Ref<const Eigen::VectorXd>& s_;
  Eigen::VectorXd omega_;
  double radius_;  // 1, or a little more if only rounding keeps the rows and the ball apart
  std::vector<Eigen::Index> working_;
  Eigen::HouseholderQR<Eigen::MatrixXd> qr_;  // R_Wᵀ = Q[U; 0]
  Eigen::MatrixXd triangle_;                  // U
  Eigen::VectorXd target_;
  double ball_multiplier_ = 0.0;  // τ
  int stalled_ = 0;
  Eigen::VectorXd best_;
  double best_bound_ = 0.0;
};

}  // namespace

CutMinimum ball_minimum(const Eigen::VectorXd& p, const Eigen::Ref<const Eigen::MatrixXd>& R,
                        const Eigen::Ref<const Eigen::VectorXd>& s) {
  CutMinimum result;
  LeastDistance nearest = least_distance(R, s);
  if (!nearest.point.allFinite() || nearest.point.norm() > 1.0) {
    const Eigen::VectorXd& ray = nearest.multipliers;
    if (-(R.transpose() * ray).norm() - s.dot(ray) > 0.0) {
      return {.multipliers = ray, .is_empty = true};
    }
  }
  const double size = p.norm();
  if (!(size > 0.0) || !nearest.point.allFinite()) {
    result.multipliers.setZero(R.rows());
    return result;
  }
  const Eigen::VectorXd unit = p / size;
  result.multipliers = size * ActiveSet(unit, R, s, std::move(nearest.point)).solve();
  return result;
}

}  // namespace foothold::gap
