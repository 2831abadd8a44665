#include "foothold/safety/certified_programs.hpp"

namespace foothold::safety {

cone::ConeProgram domain_program(const safety::Problem& problem, Eigen::Index spare_rows) {
  const Eigen::Index d = problem.dim();
  const Eigen::VectorXd centre = problem.centre();
  const Eigen::Index sides = spare_rows > 0 ? 2 * d : 0;
  cone::ConeProgram program;
  if (const auto* box = std::get_if<geometry::Box>(&problem.decision_set)) {
    program.lower = box->lower() - centre;
    program.upper = box->upper() - centre;
    program.box_is_constraint = spare_rows == 0;
    program.G = Eigen::MatrixXd::Zero(sides + spare_rows, d);
    program.h = Eigen::VectorXd::Ones(sides + spare_rows);
    if (spare_rows > 0) {  // with other rows beside them, the sides become rows too
      program.G.topRows(d).setIdentity();
      program.G.middleRows(d, d) = -Eigen::MatrixXd::Identity(d, d);
      program.h.head(d) = program.upper;
      program.h.segment(d, d) = -program.lower;
    }
  } else if (const auto* ball = std::get_if<geometry::Ball>(&problem.decision_set)) {
    program.lower = (-centre).array() - ball->radius();
    program.upper = (-centre).array() + ball->radius();
    program.G = Eigen::MatrixXd::Zero(spare_rows, d);
    program.h = Eigen::VectorXd::Ones(spare_rows);
    program.cones.push_back(cone::Cone{.a = Eigen::VectorXd::Zero(d),
                                       .M = Eigen::MatrixXd::Identity(d, d),
                                       .e = centre,
                                       .rho = 1.0,
                                       .c = ball->radius(),
                                       .is_centred = centre.isZero(0.0)});
  } else {
    const auto& polytope = std::get<geometry::Polytope>(problem.decision_set);
    const Eigen::Index rows = polytope.normals().rows();
    program.lower = polytope.lower() - centre;
    program.upper = polytope.upper() - centre;
    program.G = Eigen::MatrixXd::Zero(rows + spare_rows, d);
    program.h = Eigen::VectorXd::Ones(rows + spare_rows);
    program.G.topRows(rows) = polytope.normals();
    program.h.head(rows) = polytope.offsets() - polytope.normals() * centre;
  }
  return program;
}

CertifiedPrograms::CertifiedPrograms(const safety::Problem& problem, const safety::SafetyRule& rule,
                                     std::size_t slots)
    : problem_(&problem), safe_set_(problem, rule), centre_(problem.centre()) {
  const Eigen::Index d = problem.dim();
  const bool has_foothold = safe_set_.counts_prior();
  const bool has_rows = rule.caution == safety::Caution::L1Exact;
  const auto constraints = static_cast<Eigen::Index>(problem.constraints.size());
  programs_.push_back(domain_program(problem, has_rows ? 2 * d * constraints : 0));
  solvers_.emplace_back(slots);
  if (has_foothold) {
    programs_.push_back(domain_program(problem, 0));
    solvers_.emplace_back(slots);
    // { S‖B_k u‖ ≤ m_k }: the same problem with cones that need no data.
    std::vector<cone::Cone>& cones = programs_[kFoothold].cones;
    for (std::size_t k = 0; k < problem.constraints.size(); ++k) {
      const auto position = cones.begin() + static_cast<std::ptrdiff_t>(k);
      cones.insert(position, safe_set_.prior_cone(k));
    }
    solvers_[kFoothold].load(programs_[kFoothold]);
  }
  vertices_.resize(d, 2 * d);
  // Shapes are fixed here, with the bounds of no data.
  const estimation::RidgeEstimate estimate(d, problem.assumptions);
  estimation::ConfidenceRegion region(d);
  region.update(estimate, rule.radius, rule.root);
  update(region);
  safe_set_.release();  // the region ends here
}

// The caution's bounds of this state: cones for the ellipsoid and for [AAT19, (in1)], rows for ℓ₁.
void CertifiedPrograms::update(const estimation::ConfidenceRegion& region) {
  for (Eigen::Index vertex = 0; vertex < vertices_.cols(); ++vertex) {
    region.vertex(vertex, vertices_.col(vertex));
  }
  safe_set_.update(region);
  if (safe_set_.rule().caution == safety::Caution::L1Exact) {
    update_caution_rows();
  } else {
    update_caution_cones();
  }
  solvers_[kRegion].load(programs_[kRegion]);
}

void CertifiedPrograms::update_caution_cones() {
  std::vector<cone::Cone>& cones = programs_[kRegion].cones;
  const Eigen::Index d = problem_->dim();
  const std::size_t constraints = problem_->constraints.size();
  const bool is_ball = std::holds_alternative<geometry::Ball>(problem_->decision_set);
  while (cones.size() < constraints + (is_ball ? 1 : 0)) {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(d);
    cones.insert(cones.begin(), cone::Cone{.a = zero, .M = Eigen::MatrixXd::Zero(d, d), .e = zero});
  }
  for (std::size_t k = 0; k < constraints; ++k) {
    safe_set_.set_cone(k, cones[k]);
  }
}

void CertifiedPrograms::update_caution_rows() {
  cone::ConeProgram& program = programs_[kRegion];
  const Eigen::Index d = problem_->dim();
  const auto constraints = static_cast<Eigen::Index>(problem_->constraints.size());
  const Eigen::Index first = program.G.rows() - 2 * d * constraints;
  for (Eigen::Index k = 0; k < constraints; ++k) {
    safe_set_.set_rows(static_cast<std::size_t>(k), program, first + 2 * d * k);
  }
}

void CertifiedPrograms::save(ByteWriter& out) const {
  for (const cone::ConeSolver& solver : solvers_) {
    solver.save(out);
  }
}

void CertifiedPrograms::restore(ByteReader& in) {
  for (cone::ConeSolver& solver : solvers_) {
    solver.restore(in);
  }
}

}  // namespace foothold::safety
