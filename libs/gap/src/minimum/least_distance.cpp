#include "minimum/least_distance.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <Eigen/QR>

namespace foothold::gap {
namespace {

// Gradients below this are rounding: columns have norms of order 1 and the residual at most 1.
constexpr double kGradientTolerance = 1e-14;

// min { ‖Eu − f‖ : u ≥ 0 } by the method of [LH74, Ch. 23]: variables enter one by one, and
// those that would turn negative leave again.
class NonnegativeLeastSquares {
 public:
  NonnegativeLeastSquares(const Eigen::MatrixXd& E, const Eigen::VectorXd& f)
      : E_(E), f_(f), u_(Eigen::VectorXd::Zero(E.cols())), residual_(f) {}

  const Eigen::VectorXd& solve() {
    std::vector<bool> is_refused(static_cast<std::size_t>(E_.cols()), false);
    const Eigen::Index limit = 50 + 10 * (E_.rows() + E_.cols());
    for (Eigen::Index step = 0; step < limit; ++step) {
      const Eigen::Index entering = steepest(is_refused);
      if (entering < 0) {
        break;
      }
      const double before = residual_.squaredNorm();
      const Eigen::VectorXd u_before = u_;
      const std::vector<Eigen::Index> passive_before = passive_;
      passive_.push_back(entering);
      settle();
      residual_ = f_ - E_ * u_;
      if (residual_.squaredNorm() < before) {
        std::fill(is_refused.begin(), is_refused.end(), false);
        continue;
      }
      // Rounding decided the gradient: the column is as good as dependent.
      is_refused[static_cast<std::size_t>(entering)] = true;
      u_ = u_before;
      passive_ = passive_before;
      residual_ = f_ - E_ * u_;
    }
    return u_;
  }

 private:
  [[nodiscard]] Eigen::Index steepest(const std::vector<bool>& is_refused) const {
    const Eigen::VectorXd gradient = E_.transpose() * residual_;
    Eigen::Index best = -1;
    double largest = kGradientTolerance;
    for (Eigen::Index j = 0; j < gradient.size(); ++j) {
      const bool is_candidate = !is_refused[static_cast<std::size_t>(j)] &&
                                std::find(passive_.begin(), passive_.end(), j) == passive_.end();
      if (is_candidate && gradient(j) > largest) {
        best = j;
        largest = gradient(j);
      }
    }
    return best;
  }

  // The least-squares solution on the passive columns, walking back while entries are negative.
  void settle() {
    while (!passive_.empty()) {
      const Eigen::VectorXd z =
          Eigen::MatrixXd(E_(Eigen::all, passive_)).colPivHouseholderQr().solve(f_);
      if (z.minCoeff() > 0.0) {
        u_.setZero();
        u_(passive_) = z;
        return;
      }
      const Eigen::VectorXd u = u_(passive_);
      // The share of the way to z at which entry j reaches 0.
      const auto share_of = [&](Eigen::Index j) {
        return z(j) > 0.0 ? 1.0 : u(j) / std::max(u(j) - z(j), std::numeric_limits<double>::min());
      };
      double share = 1.0;
      for (Eigen::Index j = 0; j < z.size(); ++j) {
        share = std::min(share, share_of(j));
      }
      std::vector<Eigen::Index> kept;
      for (Eigen::Index j = 0; j < z.size(); ++j) {
        const Eigen::Index column = passive_[static_cast<std::size_t>(j)];
        const bool stays = z(j) > 0.0 || share_of(j) > share;
        u_(column) = stays ? std::max(u(j) + share * (z(j) - u(j)), 0.0) : 0.0;
        if (stays) {
          kept.push_back(column);
        }
      }
      passive_ = kept;
    }
    u_.setZero();
  }

  const Eigen::MatrixXd& E_;
  const Eigen::VectorXd& f_;
  Eigen::VectorXd u_;
  Eigen::VectorXd residual_;
  std::vector<Eigen::Index> passive_;
};

}  // namespace

LeastDistance least_distance(const Eigen::Ref<const Eigen::MatrixXd>& R,
                             const Eigen::Ref<const Eigen::VectorXd>& s) {
  const Eigen::Index d = R.cols();
  Eigen::MatrixXd E(d + 1, R.rows());
  E.topRows(d) = -R.transpose();
  E.bottomRows(1) = -s.transpose();
  const Eigen::VectorXd f = Eigen::VectorXd::Unit(d + 1, d);
  LeastDistance result;
  result.multipliers = NonnegativeLeastSquares(E, f).solve();
  const Eigen::VectorXd residual = E * result.multipliers - f;
  result.point = residual.head(d) / (-residual(d));
  return result;
}

}  // namespace foothold::gap
