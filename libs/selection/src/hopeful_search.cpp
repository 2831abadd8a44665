#include "foothold/selection/hopeful_search.hpp"

#include <limits>

#include "foothold/selection/certified_programs.hpp"

namespace foothold::selection {

HopefulSearch::HopefulSearch(const safety::Problem& problem)
    : problem_(&problem),
      centre_(problem.centre()),
      program_(domain_program(problem, static_cast<Eigen::Index>(problem.constraints.size()))),
      solver_(1),
      point_(Eigen::VectorXd::Zero(problem.dim())),
      v_(problem.dim()),
      w_(problem.dim()) {
  choice_.offset.setZero(problem.dim());
}

// Every solve starts cold, so that the answer does not depend on what was asked before.
const ConeSolution& HopefulSearch::minimize(const Eigen::Ref<const Eigen::VectorXd>& v) {
  solver_ = ConeSolver(1);
  solver_.load(program_);
  return solver_.solve(v, 0);
}

const Eigen::VectorXd& HopefulSearch::best_if(const Eigen::Ref<const Eigen::VectorXd>& v,
                                              const Eigen::Ref<const Eigen::VectorXd>& w) {
  const Eigen::Index first =
      program_.G.rows() - static_cast<Eigen::Index>(problem_->constraints.size());
  for (std::size_t k = 0; k < problem_->constraints.size(); ++k) {
    const Eigen::Index row = first + static_cast<Eigen::Index>(k);
    program_.G.row(row).noalias() = w.transpose() * problem_->constraints[k].matrix;
    program_.h(row) = problem_->room(k);
  }
  point_ = minimize(v).u;
  return point_;
}

// min over C₁ of vᵀz.
double HopefulSearch::least(const estimation::ConfidenceRegion& region,
                            const Eigen::Ref<const Eigen::VectorXd>& z) {
  image_.noalias() = region.root_inverse().transpose() * z;
  return region.mu_hat().dot(z) - region.l1_radius() * image_.cwiseAbs().maxCoeff();
}

// Makes a row say nothing: u₁ ≤ more than the bounding box allows.
void HopefulSearch::relax(Eigen::Index row) {
  program_.G.row(row).setZero();
  program_.G(row, 0) = 1.0;
  program_.h(row) = 2.0 * program_.upper(0) - program_.lower(0);
}

HopefulChoice HopefulSearch::best_for(std::size_t constraint,
                                      const estimation::ConfidenceRegion& region) {
  const Eigen::Index d = problem_->dim();
  const Eigen::MatrixXd& B = problem_->constraints[constraint].matrix;
  const double room = problem_->room(constraint);
  const auto spare = static_cast<Eigen::Index>(problem_->constraints.size());
  const Eigen::Index row = program_.G.rows() - 1;
  for (Eigen::Index i = program_.G.rows() - spare; i <= row; ++i) {
    relax(i);
  }
  HopefulChoice best{.offset = Eigen::VectorXd::Zero(d),
                     .optimistic_loss = std::numeric_limits<double>::infinity()};
  for (Eigen::Index i = 0; i < 2 * d; ++i) {
    region.vertex(i, v_);
    const double offset = v_.dot(centre_);
    relax(row);
    const ConeSolution& free = minimize(v_);
    if (!(offset + free.value < best.optimistic_loss)) {
      continue;  // more rows cannot make it better
    }
    point_ = B * free.u;
    if (least(region, point_) <= room) {
      best.offset = free.u;
      best.optimistic_loss = offset + free.value;
      continue;  // the best of all of D₀ may be safe: no row is needed
    }
    for (Eigen::Index j = 0; j < 2 * d; ++j) {
      region.vertex(j, w_);
      program_.G.row(row).noalias() = w_.transpose() * B;
      program_.h(row) = room;
      const ConeSolution& solution = minimize(v_);
      if (offset + solution.value < best.optimistic_loss) {
        best.offset = solution.u;
        best.optimistic_loss = offset + solution.value;
      }
    }
  }
  return best;
}

const HopefulChoice& HopefulSearch::best_hope(const estimation::ConfidenceRegion& region) {
  choice_ = best_for(0, region);
  for (std::size_t k = 1; k < problem_->constraints.size(); ++k) {
    HopefulChoice other = best_for(k, region);
    if (other.optimistic_loss > choice_.optimistic_loss) {
      choice_ = std::move(other);
    }
  }
  return choice_;
}

}  // namespace foothold::selection
