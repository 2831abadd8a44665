#include "foothold/exploration/hopeful_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "foothold/base/infinity.hpp"
#include "foothold/cone/cone_solver.hpp"
#include "foothold/safety/certified_programs.hpp"

namespace foothold::exploration {

HopefulSearch::HopefulSearch(const safety::Problem& problem)
    : problem_(&problem),
      safe_set_(problem, {.caution = safety::Caution::L1Exact}),
      centre_(problem.centre()),
      program_(
          safety::domain_program(problem, static_cast<Eigen::Index>(problem.constraints.size()))),
      point_(Eigen::VectorXd::Zero(problem.dim())),
      row_(Eigen::VectorXd::Zero(problem.dim())),
      v_(problem.dim()),
      w_(problem.dim()),
      origin_(Eigen::VectorXd::Zero(problem.dim())) {
  choice_.offset.setZero(problem.dim());
  other_.offset.setZero(problem.dim());
  const auto constraints = static_cast<Eigen::Index>(problem.constraints.size());
  for (Eigen::Index row = program_.G.rows() - constraints; row < program_.G.rows(); ++row) {
    relax(row);
  }
}

// Makes a row say nothing: u₁ ≤ more than the bounding box allows.
void HopefulSearch::relax(Eigen::Index row) {
  program_.G.row(row).setZero();
  program_.G(row, 0) = 1.0;
  program_.h(row) = 2.0 * program_.upper(0) - program_.lower(0);
}

void HopefulSearch::solve_program(const Eigen::Ref<const Eigen::VectorXd>& v) {
  if (program_.cones.empty()) {
    lp_.solve(program_.G, program_.h, v, origin_);
    point_ = lp_.point();
    return;
  }
  cone::ConeSolver solver(
      1);  // only for balls with several constraints, and only when plans are made
  solver.load(program_);
  point_ = solver.solve(v, 0).u;
}

const Eigen::VectorXd& HopefulSearch::best_if(const Eigen::Ref<const Eigen::VectorXd>& v,
                                              const Eigen::Ref<const Eigen::VectorXd>& w) {
  const std::size_t constraints = problem_->constraints.size();
  if (constraints == 1) {
    row_.noalias() = safe_set_.matrix(0).transpose() * w;
    minimize_with_row(v, safe_set_.room(0));
    return point_;
  }
  const Eigen::Index first = program_.G.rows() - static_cast<Eigen::Index>(constraints);
  for (std::size_t k = 0; k < constraints; ++k) {
    const Eigen::Index row = first + static_cast<Eigen::Index>(k);
    program_.G.row(row).noalias() = w.transpose() * safe_set_.matrix(k);
    program_.h(row) = safe_set_.room(k);
  }
  solve_program(v);
  for (Eigen::Index row = first; row < program_.G.rows(); ++row) {
    relax(row);
  }
  return point_;
}

void HopefulSearch::minimize_over_domain(const Eigen::Ref<const Eigen::VectorXd>& v) {
  row_.setZero();
  minimize_with_row(v, 1.0);
}

void HopefulSearch::minimize_with_row(const Eigen::Ref<const Eigen::VectorXd>& v, double room) {
  if (std::holds_alternative<geometry::Box>(problem_->decision_set)) {
    minimize_on_box(v, room);
  } else if (std::holds_alternative<geometry::Ball>(problem_->decision_set)) {
    minimize_on_ball(v, room);
  } else {
    const Eigen::Index last = program_.G.rows() - 1;
    if (row_.isZero(0.0)) {
      relax(last);
    } else {
      program_.G.row(last) = row_.transpose();
      program_.h(last) = room;
    }
    solve_program(v);
    relax(last);
  }
}

// A fractional knapsack: from the corner that v wants, coordinates are moved back to their other
// side in the order of what a unit of the row costs, until the row holds.
void HopefulSearch::minimize_on_box(const Eigen::Ref<const Eigen::VectorXd>& v, double room) {
  const Eigen::Index d = v.size();
  order_.clear();
  double excess = -room;
  for (Eigen::Index i = 0; i < d; ++i) {
    // A coordinate of no interest goes where the row is smallest.
    const bool is_low = v(i) > 0.0 || (!(v(i) < 0.0) && row_(i) > 0.0);
    point_(i) = is_low ? program_.lower(i) : program_.upper(i);
    excess += row_(i) * point_(i);
    if (is_low ? row_(i) < 0.0 : row_(i) > 0.0) {
      order_.push_back(i);
    }
  }
  if (!(excess > 0.0)) {
    return;
  }
  const auto is_cheaper = [&](Eigen::Index i, Eigen::Index j) {
    const double left = std::abs(v(i) * row_(j));
    const double right = std::abs(v(j) * row_(i));
    return left < right || (!(right < left) && i < j);
  };
  std::sort(order_.begin(), order_.end(), is_cheaper);
  for (const Eigen::Index i : order_) {
    const double span = program_.upper(i) - program_.lower(i);
    const double step = std::min(span, excess / std::abs(row_(i)));
    point_(i) -= row_(i) > 0.0 ? step : -step;
    excess -= std::abs(row_(i)) * step;
    if (!(excess > 0.0)) {
      return;
    }
  }
}

// On ‖x‖ ≤ r: −rv/‖v‖, or if the row forbids that, the point of the circle on its border that v
// likes best.
void HopefulSearch::minimize_on_ball(const Eigen::Ref<const Eigen::VectorXd>& v, double room) {
  const double r = std::get<geometry::Ball>(problem_->decision_set).radius();
  const double norm = v.norm();
  point_ = centre_;
  if (norm > 0.0) {
    point_ = -(r / norm) * v;
  }
  const double limit = room + row_.dot(centre_);  // aᵀx ≤ m + aᵀx₀
  const double row_sq = row_.squaredNorm();
  if (row_.dot(point_) > limit && row_sq > 0.0) {
    image_ = v - (v.dot(row_) / row_sq) * row_;
    const double along = limit / row_sq;
    const double across = std::sqrt(std::max(0.0, r * r - limit * along));
    const double length = image_.norm();
    point_ = along * row_;
    if (length > 0.0) {
      point_ -= (across / length) * image_;
    }
  }
  point_ -= centre_;
}

void HopefulSearch::search(std::size_t constraint, const estimation::ConfidenceRegion& region,
                           HopefulChoice& best) {
  const Eigen::Index d = problem_->dim();
  const Eigen::MatrixXd& B = safe_set_.matrix(constraint);
  const double room = safe_set_.room(constraint);
  best.optimistic_loss = kInfinity;
  const auto take_if_better = [&] {
    const double loss = v_.dot(centre_) + v_.dot(point_);
    if (loss < best.optimistic_loss) {
      best.optimistic_loss = loss;
      best.offset = point_;
    }
  };
  for (Eigen::Index i = 0; i < 2 * d; ++i) {
    region.vertex(i, v_);
    minimize_over_domain(v_);
    if (!(v_.dot(centre_) + v_.dot(point_) < best.optimistic_loss)) {
      continue;  // more rows cannot make it better
    }
    w_.noalias() = B * point_;
    if (safe_set_.lower_bound(constraint, w_) <= room) {
      take_if_better();
      continue;  // the best of all of D₀ may be safe: no row is needed
    }
    for (Eigen::Index j = 0; j < 2 * d; ++j) {
      safe_set_.region(constraint).vertex(j, w_);
      row_.noalias() = B.transpose() * w_;
      minimize_with_row(v_, room);
      take_if_better();
    }
  }
}

const HopefulChoice& HopefulSearch::best_hope(const estimation::ConfidenceRegion& region) {
  safe_set_.update(region);
  search(0, region, choice_);
  for (std::size_t k = 1; k < problem_->constraints.size(); ++k) {
    search(k, region, other_);
    if (other_.optimistic_loss > choice_.optimistic_loss) {
      std::swap(choice_, other_);
    }
  }
  return choice_;
}

}  // namespace foothold::exploration
