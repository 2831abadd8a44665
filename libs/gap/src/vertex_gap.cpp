#include "vertex_gap.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <variant>

#include "foothold/base/infinity.hpp"
#include "foothold/geometry/box.hpp"
#include "foothold/geometry/polytope.hpp"

namespace foothold::gap {
namespace {

NormalFan fan_of(const geometry::DecisionSet& set) {
  if (const auto* polytope = std::get_if<geometry::Polytope>(&set)) {
    return {polytope->normals(), polytope->offsets(), polytope->interior_point()};
  }
  const auto& box = std::get<geometry::Box>(set);
  const Eigen::Index d = box.dim();
  Eigen::MatrixXd normals(2 * d, d);
  normals << Eigen::MatrixXd::Identity(d, d), -Eigen::MatrixXd::Identity(d, d);
  Eigen::VectorXd offsets(2 * d);
  offsets << box.upper(), -box.lower();
  return {normals, offsets, 0.5 * box.lower() + 0.5 * box.upper()};
}

}  // namespace

VertexGap::VertexGap(const safety::Problem& problem, RegionProgram& program,
                     Eigen::Index max_vertices)
    : problem_(&problem),
      program_(&program),
      max_vertices_(max_vertices),
      fan_(fan_of(problem.decision_set)),
      centre_(problem.centre()) {}

GapEstimate VertexGap::bound() {
  GapEstimate estimate;
  const std::optional<NormalFan::Basis> first = fan_.locate(program_->mu_hat());
  if (!first) {
    estimate.is_complete = false;
    return estimate;
  }
  if (is_refuted()) {
    return estimate;
  }
  std::set<NormalFan::Basis> seen{*first};
  std::deque<NormalFan::Basis> open{*first};
  double smallest = kInfinity;
  while (!open.empty()) {
    if (estimate.vertices == max_vertices_ || !fan_.visit(open.front())) {
      estimate.is_complete = false;
      break;
    }
    open.pop_front();
    ++estimate.vertices;
    const double gap = gap_in_cone();
    if (gap == kInfinity && estimate.vertices > 1) {
      continue;
    }
    smallest = std::min(smallest, gap);
    if (smallest <= 0.0) {
      break;
    }
    for (Eigen::Index position = 0; position < program_->dim(); ++position) {
      const std::optional<NormalFan::Basis> next = fan_.neighbour(position);
      if (!next) {
        estimate.is_complete = false;
      } else if (seen.insert(*next).second) {
        open.push_back(*next);
      }
    }
  }
  const bool is_valid = estimate.is_complete && smallest < kInfinity;
  estimate.value = is_valid ? std::max(0.0, smallest) : 0.0;
  estimate.is_complete = is_valid || smallest <= 0.0;
  estimate.solves = program_->solves();
  return estimate;
}

double VertexGap::gap_in_cone() {
  program_->clear_rows();
  for (Eigen::Index j = 0; j < program_->dim(); ++j) {
    program_->add_row(program_->form(fan_.inverse().col(j)), 0.0);
  }
  if (program_->is_empty()) {
    return kInfinity;
  }
  double gap = kInfinity;
  for (std::size_t k = 0; k < problem_->constraints.size(); ++k) {
    const Eigen::VectorXd z = problem_->constraints[k].matrix * (fan_.vertex() - centre_);
    gap = std::min(gap, problem_->room(k) + program_->minimum(program_->form(-z)));
  }
  return gap;
}

bool VertexGap::is_refuted() {
  const Eigen::Index d = program_->dim();
  for (Eigen::Index j = -1; j < 2 * d; ++j) {
    Eigen::VectorXd v = program_->mu_hat();
    if (j >= 0) {
      v += (j % 2 == 0 ? 1.0 : -1.0) * program_->transform().col(j / 2);
    }
    const Eigen::VectorXd y = geometry::minimize_linear(problem_->decision_set, v).point;
    for (std::size_t k = 0; k < problem_->constraints.size(); ++k) {
      if (problem_->room(k) <= v.dot(problem_->constraints[k].matrix * (y - centre_))) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace foothold::gap
