#include "foothold/selection/optimistic_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace foothold::selection {
namespace {

// A bound this close to the incumbent cannot lead to a better action worth having: it is the
// rounding of the incumbent's own value.
constexpr double kPruneTolerance = 1e-12;

}  // namespace

OptimisticSearch::OptimisticSearch(const safety::Problem& problem, const safety::SafetyRule& rule)
    : problem_(&problem), rule_(rule), centre_(problem.centre()) {
  const Eigen::Index d = problem.dim();
  const auto vertex_count = static_cast<std::size_t>(2 * d);
  const bool has_foothold = rule.certified == safety::CertifiedSet::Union;
  programs_.resize(has_foothold ? 2 : 1);
  for (ConeProgram& program : programs_) {
    build_domain(program);
    solvers_.emplace_back(vertex_count);
  }
  if (has_foothold) {
    // { S‖B_k u‖ ≤ m_k }: the same problem with cones that need no data.
    std::vector<Cone>& cones = programs_[1].cones;
    for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
      const auto position = cones.begin() + static_cast<std::ptrdiff_t>(k);
      cones.insert(position, Cone{.a = Eigen::VectorXd::Zero(d),
                                  .M = problem.constraints[k].matrix,
                                  .e = Eigen::VectorXd::Zero(d),
                                  .rho = problem.assumptions.norm_bound,
                                  .c = problem.room(k),
                                  .is_centred = true});
    }
    solvers_[1].load(programs_[1]);
  }
  vertices_.resize(d, 2 * d);
  choice_.action.setZero(d);
  for (std::size_t program = 0; program < programs_.size(); ++program) {
    for (Eigen::Index vertex = 0; vertex < 2 * d; ++vertex) {
      candidates_.push_back({.program = program, .vertex = vertex});
    }
  }
  // Shapes are fixed here, with the bounds of no data.
  const estimation::RidgeEstimate estimate(d, problem.assumptions);
  estimation::ConfidenceRegion region(d);
  region.update(estimate, rule.radius, rule.root);
  update_region_program(region);
}

// D₀ − x₀, and for the ball its cone, which stays the last.
void OptimisticSearch::build_domain(ConeProgram& program) const {
  const Eigen::Index d = problem_->dim();
  program.G.resize(0, d);
  program.h.resize(0);
  if (const auto* box = std::get_if<geometry::Box>(&problem_->decision_set)) {
    program.lower = box->lower() - centre_;
    program.upper = box->upper() - centre_;
    program.box_is_constraint = true;
  } else if (const auto* ball = std::get_if<geometry::Ball>(&problem_->decision_set)) {
    program.lower = (-centre_).array() - ball->radius();
    program.upper = (-centre_).array() + ball->radius();
    program.cones.push_back(Cone{.a = Eigen::VectorXd::Zero(d),
                                 .M = Eigen::MatrixXd::Identity(d, d),
                                 .e = centre_,
                                 .rho = 1.0,
                                 .c = ball->radius(),
                                 .is_centred = centre_.isZero(0.0)});
  } else {
    const auto& polytope = std::get<geometry::Polytope>(problem_->decision_set);
    program.lower = polytope.lower() - centre_;
    program.upper = polytope.upper() - centre_;
    program.G = polytope.normals();
    program.h = polytope.offsets() - polytope.normals() * centre_;
  }
}

// The caution's bounds of this state: cones for the ellipsoid and for [AAT19, (in1)], rows for ℓ₁.
void OptimisticSearch::update_region_program(const estimation::ConfidenceRegion& region) {
  for (Eigen::Index vertex = 0; vertex < vertices_.cols(); ++vertex) {
    region.vertex(vertex, vertices_.col(vertex));
  }
  if (rule_.caution == safety::Caution::L1Exact) {
    update_caution_rows();
  } else {
    update_caution_cones(region);
  }
  solvers_[0].load(programs_[0]);
}

void OptimisticSearch::update_caution_cones(const estimation::ConfidenceRegion& region) {
  std::vector<Cone>& cones = programs_[0].cones;
  const Eigen::Index d = problem_->dim();
  const std::size_t constraints = problem_->constraints.size();
  const bool is_ball = std::holds_alternative<geometry::Ball>(problem_->decision_set);
  while (cones.size() < constraints + (is_ball ? 1 : 0)) {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(d);
    cones.insert(cones.begin(), Cone{.a = zero, .M = Eigen::MatrixXd::Zero(d, d), .e = zero});
  }
  const double kappa = safety::caution_factor(rule_.caution, d);
  for (std::size_t k = 0; k < constraints; ++k) {
    const Eigen::MatrixXd& B = problem_->constraints[k].matrix;
    Cone& cone = cones[k];
    cone.a.noalias() = B.transpose() * region.mu_hat();
    cone.M.noalias() = region.factor_inverse() * B;
    cone.rho = kappa * region.radius();
    cone.c = problem_->room(k);
  }
}

// vᵀB_k u ≤ m_k for every vertex v of the region: the ℓ₁ bound, exactly.
void OptimisticSearch::update_caution_rows() {
  ConeProgram& program = programs_[0];
  const Eigen::Index d = problem_->dim();
  const auto constraints = static_cast<Eigen::Index>(problem_->constraints.size());
  const auto* polytope = std::get_if<geometry::Polytope>(&problem_->decision_set);
  const bool is_box = std::holds_alternative<geometry::Box>(problem_->decision_set);
  const Eigen::Index domain_rows = polytope == nullptr ? 0 : polytope->normals().rows();
  const Eigen::Index first = domain_rows + (is_box ? 2 * d : 0);
  const Eigen::Index rows = first + 2 * d * constraints;
  if (program.G.rows() != rows) {
    program.G.conservativeResize(rows, d);
    program.h.conservativeResize(rows);
    if (is_box) {  // with other rows beside them, the sides become rows too
      program.G.topRows(d).setIdentity();
      program.G.middleRows(d, d) = -Eigen::MatrixXd::Identity(d, d);
      program.h.head(d) = program.upper;
      program.h.segment(d, d) = -program.lower;
      program.box_is_constraint = false;
    }
  }
  for (Eigen::Index k = 0; k < constraints; ++k) {
    const auto index = static_cast<std::size_t>(k);
    const Eigen::Index start = first + 2 * d * k;
    program.G.middleRows(start, 2 * d).noalias() =
        vertices_.transpose() * problem_->constraints[index].matrix;
    program.h.segment(start, 2 * d).setConstant(problem_->room(index));
  }
}

void OptimisticSearch::bound_candidates(const estimation::ConfidenceRegion& region) {
  update_region_program(region);
  for (Candidate& candidate : candidates_) {
    const auto v = vertices_.col(candidate.vertex);
    candidate.bound = v.dot(centre_) + solvers_[candidate.program].remembered_bound(
                                           v, static_cast<std::size_t>(candidate.vertex));
    candidate.is_open = true;
  }
}

OptimisticSearch::Candidate* OptimisticSearch::most_promising() {
  Candidate* best = nullptr;
  for (Candidate& candidate : candidates_) {
    if (candidate.is_open && (best == nullptr || candidate.bound < best->bound)) {
      best = &candidate;
    }
  }
  return best;
}

const OptimisticChoice& OptimisticSearch::choose(const estimation::ConfidenceRegion& region) {
  bound_candidates(region);
  choice_.optimistic_loss = std::numeric_limits<double>::infinity();
  choice_.dual_bound = std::numeric_limits<double>::infinity();
  choice_.solves = 0;
  for (Candidate* next = most_promising(); next != nullptr; next = most_promising()) {
    next->is_open = false;
    const double threshold =
        choice_.optimistic_loss - kPruneTolerance * std::abs(choice_.optimistic_loss);
    if (choice_.solves > 0 && next->bound >= threshold) {
      choice_.dual_bound = std::min(choice_.dual_bound, next->bound);
      break;  // all that are still open have larger bounds
    }
    const auto v = vertices_.col(next->vertex);
    const double offset = v.dot(centre_);
    const ConeSolution& solution =
        solvers_[next->program].solve(v, static_cast<std::size_t>(next->vertex));
    ++choice_.solves;
    choice_.dual_bound = std::min(choice_.dual_bound, offset + solution.dual_bound);
    if (offset + solution.value < choice_.optimistic_loss) {
      choice_.optimistic_loss = offset + solution.value;
      choice_.action = centre_ + solution.u;
      choice_.is_foothold = next->program == 1;
    }
    // The multipliers of this vertex bound the others of the same program, too.
    for (Candidate& other : candidates_) {
      if (other.is_open && other.program == next->program &&
          other.bound < choice_.optimistic_loss) {
        const auto w = vertices_.col(other.vertex);
        const double bound =
            w.dot(centre_) + solvers_[other.program].transferred_bound(w, solution.multipliers);
        other.bound = std::max(other.bound, bound);
      }
    }
  }
  return choice_;
}

void OptimisticSearch::save(ByteWriter& out) const {
  for (const ConeSolver& solver : solvers_) {
    solver.save(out);
  }
}

void OptimisticSearch::restore(ByteReader& in) {
  for (ConeSolver& solver : solvers_) {
    solver.restore(in);
  }
}

}  // namespace foothold::selection
