#include "foothold/geometry/norm_extent.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>
#include <utility>

#include "foothold/base/infinity.hpp"
#include "foothold/base/rounding.hpp"
#include "foothold/geometry/decision_set.hpp"
#include "foothold/geometry/dense_lp.hpp"

#include "bounded_sum.hpp"

namespace foothold::geometry {
namespace {

// The effort: iterations of linear programs times what one costs, some tenths of a second, and
// never more programs than this.
constexpr double kMaxWork = 5e8;
constexpr int kMaxPrograms = 20'000;

struct Node {
  Eigen::VectorXd lower;
  Eigen::VectorXd upper;
  Eigen::VectorXd point;     // maximises the linear bound, up to rounding
  double bound = kInfinity;  // ≥ ‖x‖² on the part of P in the box

  bool operator<(const Node& other) const { return bound < other.bound; }
};

class Search {
 public:
  Search(const Polytope& polytope, double target)
      : polytope_(polytope),
        set_(polytope),
        target_(target),
        d_(polytope.dim()),
        m_(polytope.normals().rows()),
        width_(polytope.upper() - polytope.lower()) {
    // Variables (x, t): Gx ≤ h; l − t ≤ x ≤ u + t; t ≥ 0. The penalty on t lets the program start
    // at the interior point, wherever the box lies.
    rows_.setZero(m_ + 2 * d_ + 1, d_ + 1);
    rows_.topLeftCorner(m_, d_) = polytope.normals();
    rows_.block(m_, 0, d_, d_).setIdentity();
    rows_.block(m_ + d_, 0, d_, d_) = -Eigen::MatrixXd::Identity(d_, d_);
    rows_.col(d_).tail(2 * d_ + 1).setConstant(-1.0);
    offsets_.setZero(rows_.rows());
    offsets_.head(m_) = polytope.offsets();
    start_.resize(d_ + 1);
    start_.head(d_) = polytope.interior_point();
    objective_.resize(d_ + 1);
  }

  NormExtent run() {
    std::priority_queue<Node> open;
    open.push(bounded({.lower = polytope_.lower(), .upper = polytope_.upper(), .point = {}}));
    while (!is_within(open.top().bound) && extent_.found <= target_ && has_effort_left_) {
      const Node node = open.top();
      open.pop();
      for (Node& half : halves(node)) {
        half = bounded(std::move(half));
        half.bound = std::min(half.bound, node.bound);
        open.push(std::move(half));
      }
    }
    // The bounding box alone says that much.
    extent_.proved = std::min(root_up(open.top().bound), *norm_bound(set_));
    return extent_;
  }

 private:
  [[nodiscard]] static double root_up(double square) {
    return rounding::up(std::sqrt(std::max(square, 0.0)));
  }

  [[nodiscard]] bool is_within(double square) const { return root_up(square) <= target_; }

  // The gap of the linear bound at the point is Σ (xᵢ − lᵢ)(uᵢ − xᵢ): split the largest term there.
  // On a grid far below the tolerance: a box as thin as rounding would spoil the program's scales.
  [[nodiscard]] std::array<Node, 2> halves(const Node& node) const {
    Eigen::Index widest = 0;
    ((node.point - node.lower).array() * (node.upper - node.point).array()).maxCoeff(&widest);
    const double grid = std::ldexp(1.0, std::ilogb(width_(widest)) - 44);
    double at = grid * std::round(node.point(widest) / grid);
    if (!(node.lower(widest) < at && at < node.upper(widest))) {
      (node.upper - node.lower).maxCoeff(&widest);
      at = 0.5 * (node.lower(widest) + node.upper(widest));
    }
    std::array<Node, 2> halves{node, node};
    halves[0].upper(widest) = at;
    halves[1].lower(widest) = at;
    return halves;
  }

  Node bounded(Node node) {
    const Eigen::VectorXd c = node.lower + node.upper;
    offsets_.segment(m_, d_) = node.upper;
    offsets_.segment(m_ + d_, d_) = -node.lower;
    const auto x = start_.head(d_);
    // Well inside the relaxed box, so that no slack is of the size of rounding.
    start_(d_) = 2.0 * width_.maxCoeff() +
                 std::max({0.0, (x - node.upper).maxCoeff(), (node.lower - x).maxCoeff()});
    objective_.head(d_) = -c;
    // An exact penalty exceeds the sum of the box's multipliers. Any other is valid, but weaker.
    constexpr double kPenalty = 1e4;
    objective_(d_) = kPenalty * (node.lower.cwiseAbs() + node.upper.cwiseAbs()).sum();
    const LpResult& result = lp_.solve(rows_, offsets_, objective_, start_);
    ++extent_.programs;
    const auto d = static_cast<double>(d_);
    work_ += (result.iterations + 1.0) * d * (static_cast<double>(rows_.rows()) + d * d);
    has_effort_left_ = extent_.programs < kMaxPrograms && work_ < kMaxWork;
    if (result.status == LpStatus::Optimal) {
      node.point = lp_.point().head(d_).cwiseMax(node.lower).cwiseMin(node.upper);
      node.bound = dual_bound(node);
      look_at(lp_.point().head(d_));
    } else {  // rounding can do that; the bound of the box itself stands
      node.point = 0.5 * (node.lower + node.upper);
    }
    return node;
  }

  // The bound of the header for the multipliers of the rows of P.
  [[nodiscard]] double dual_bound(const Node& node) const {
    BoundedSum sum;
    for (Eigen::Index k = 0; k < m_; ++k) {
      if (lp_.multipliers()(k) > 0.0) {
        sum.add_product(polytope_.offsets()(k), lp_.multipliers()(k));
      }
    }
    for (Eigen::Index i = 0; i < d_; ++i) {
      BoundedSum slope;
      slope.add(node.lower(i));
      slope.add(node.upper(i));
      for (Eigen::Index k = 0; k < m_; ++k) {
        if (lp_.multipliers()(k) > 0.0) {
          slope.add_product(-polytope_.normals()(k, i), lp_.multipliers()(k));
        }
      }
      double largest = -kInfinity;
      for (const double s : {slope.lower(), slope.upper()}) {
        for (const double x : {node.lower(i), node.upper(i)}) {
          largest = std::max(largest, rounding::up(s * x));
        }
      }
      sum.add(largest);
      sum.add_product(-node.lower(i), node.upper(i));
    }
    const double bound = sum.upper();
    if (std::isnan(bound)) {
      return kInfinity;
    }
    return bound;
  }

  // A vertex may miss P by rounding; a little towards the interior it does not.
  void look_at(const Eigen::VectorXd& vertex) {
    for (const double pull : {0.0, 1e-14, 1e-12}) {
      const Eigen::VectorXd x = vertex + pull * (polytope_.interior_point() - vertex);
      const double norm =
          rounding::norm_upper(x) * (1.0 - 4.0 * (static_cast<double>(d_) + 8.0) * rounding::kUnit);
      if (norm > extent_.found && contains(set_, x)) {
        extent_.found = norm;
        return;
      }
    }
  }

  const Polytope& polytope_;
  DecisionSet set_;  // the same, for `contains`
  double target_;
  Eigen::Index d_;
  Eigen::Index m_;
  Eigen::VectorXd width_;  // of the bounding box
  Eigen::MatrixXd rows_;
  Eigen::VectorXd offsets_;
  Eigen::VectorXd start_;
  Eigen::VectorXd objective_;
  DenseLp lp_;
  NormExtent extent_;
  double work_ = 0.0;
  bool has_effort_left_ = true;
};

}  // namespace

NormExtent norm_extent(const Polytope& polytope, double target) {
  return Search(polytope, target).run();
}

}  // namespace foothold::geometry
