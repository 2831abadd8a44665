#include "single_cone_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "foothold/base/error.hpp"
#include "foothold/base/infinity.hpp"
#include "foothold/cone/tolerances.hpp"

namespace foothold::optimism {
namespace {

// Q is computed anew from the factor after so many observations, or when they have made det A grow
// by so much: subtracting outer products keeps the absolute error, while Q itself shrinks.
constexpr int kMaxAge = 128;
constexpr double kMaxGrowth = 1e4;

// Q ← Q − share·wwᵀ.
void subtract_square(const Eigen::VectorXd& w, double share, Eigen::MatrixXd& Q) {
  with_fixed_dim(Q.rows(), [&](auto fixed) {
    const auto vector = fixed_view<fixed.value>(w);
    auto columns = fixed_view<fixed.value>(Q);
    for (Eigen::Index j = 0; j < vector.size(); ++j) {
      columns.col(j) -= (vector(j) * share) * vector;
    }
  });
}

// Distance to a side, in widths of the box, at which the general solver's point sits there.
constexpr double kAtBoxSide = 1e-9;

}  // namespace

bool SingleConeSearch::applies(const safety::Problem& problem, const safety::SafetyRule& rule) {
  return problem.constraints.size() == 1 && rule.caution != safety::Caution::L1Exact &&
         !std::holds_alternative<geometry::Ball>(problem.decision_set);
}

SingleConeSearch::SingleConeSearch(const safety::Problem& problem, const safety::SafetyRule& rule,
                                   safety::CertifiedPrograms& general)
    : safe_set_(problem, rule),
      general_(&general),
      domain_(&general.program(safety::CertifiedPrograms::kRegion)),
      B_transposed_(problem.constraints.front().matrix.transpose()),
      centre_(problem.centre()),
      has_centre_(!centre_.isZero(0.0)),
      box_(problem.dim()),
      rows_(problem.dim()),
      V_(2 * problem.dim(), problem.dim()),
      offsets_(Eigen::VectorXd::Zero(2 * problem.dim())),
      v_(problem.dim()),
      u_(problem.dim()),
      Q_u_(problem.dim()),
      w_(problem.dim()),
      r_(problem.dim()),
      M_(problem.dim(), problem.dim()) {
  const Eigen::Index d = problem.dim();
  rows_.load(domain_->G);
  const Eigen::MatrixXd& B = safe_set_.matrix(0);
  const cone::QuadraticCone cone{.a = Eigen::VectorXd::Zero(d),
                                 .Q = B.transpose() * B,
                                 .rho = safe_set_.norm_bound(0),
                                 .c = safe_set_.room(0)};
  for (std::size_t set = 0; set < general.count(); ++set) {
    sets_.push_back({.cone = cone,
                     .memory = VertexMemory(d, !domain_->box_is_constraint),
                     .bounds = Eigen::VectorXd::Zero(2 * d),
                     .progress = std::vector<Progress>(static_cast<std::size_t>(2 * d))});
  }
}

void SingleConeSearch::rebuild(const estimation::ConfidenceRegion& region) {
  Set& set = sets_[safety::CertifiedPrograms::kRegion];
  // As `SafeSet::whiten`, at half the work.
  M_.noalias() = region.factor_inverse().triangularView<Eigen::Lower>() * safe_set_.matrix(0);
  set.cone.Q.noalias() = M_.transpose() * M_;
  set.memory.rebuild(set.cone.Q);
  age_ = 0;
  growth_ = 1.0;
}

// Brings the cone of D_t^s to the state of `region`.
void SingleConeSearch::follow(const estimation::ConfidenceRegion& region) {
  Set& set = sets_[safety::CertifiedPrograms::kRegion];
  const estimation::RankOneChange& change = region.last_change();
  const bool is_next = has_seen_ && change.from == seen_ && region.digest() != seen_;
  if (is_next && age_ < kMaxAge && growth_ * change.growth < kMaxGrowth) {
    ++age_;
    growth_ *= change.growth;
    multiply(B_transposed_, change.y, w_);
    const double share = 1.0 / change.growth;
    subtract_square(w_, share, set.cone.Q);
    set.memory.follow(w_, share);
  } else if (!has_seen_ || region.digest() != seen_) {
    rebuild(region);
  }
  seen_ = region.digest();
  has_seen_ = true;
  multiply(B_transposed_, region.mu_hat(), set.cone.a);
  safe_set_.update(region);
  set.cone.rho = safe_set_.reach(0);
}

// Row k < d is μ̂ + √dβH⁻¹e_k, row d + k is μ̂ − √dβH⁻¹e_k: column i of V is made of row i of H⁻¹,
// which is column i of F⁻¹ for the Cholesky root, and of H⁻¹ itself for the symmetric one.
void SingleConeSearch::place_vertices(const estimation::ConfidenceRegion& region) {
  const Eigen::MatrixXd& steps = safe_set_.rule().root == estimation::RootForm::Cholesky
                                     ? region.factor_inverse()
                                     : region.root_inverse();
  const double radius = region.l1_radius();
  with_fixed_dim(v_.size(), [&](auto fixed) {
    using Half = Eigen::Map<Eigen::Array<double, fixed.value, 1>>;
    const Eigen::Index d = fixed_or<fixed.value>(v_.size());
    const auto columns = fixed_view<fixed.value>(steps);
    for (Eigen::Index i = 0; i < d; ++i) {
      const double mu = region.mu_hat()(i);
      const auto step = columns.col(i).array();
      Half(V_.data() + 2 * d * i, d) = mu + radius * step;
      Half(V_.data() + 2 * d * i + d, d) = mu - radius * step;
    }
  });
  if (has_centre_) {
    offsets_.noalias() = V_ * centre_;
  }
}

// The open candidate with the lowest bound; among equals the first in the order of the region's
// vertices, + before −, D_t^s before D^w.
SingleConeSearch::Candidate SingleConeSearch::most_promising() const {
  Candidate best;
  double lowest = kInfinity;
  const Eigen::Index d = v_.size();
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    const double* bounds = sets_[s].bounds.data();
    for (Eigen::Index i = 0; i < d; ++i) {
      if (bounds[i] < lowest) {
        lowest = bounds[i];
        best = {s, i};
      }
      if (bounds[d + i] < lowest) {
        lowest = bounds[d + i];
        best = {s, d + i};
      }
    }
  }
  return best;
}

void SingleConeSearch::choose(const estimation::ConfidenceRegion& region,
                              OptimisticChoice& choice) {
  general_is_current_ = false;
  follow(region);
  inset_ = Inset(region, sets_[safety::CertifiedPrograms::kRegion].cone.rho);
  place_vertices(region);
  for (Set& set : sets_) {
    set.memory.bound_all(set.cone, *domain_, V_, set.bounds);
    if (has_centre_) {
      set.bounds += offsets_;
    }
    std::fill(set.progress.begin(), set.progress.end(), Progress::Bounded);
  }
  choice.optimistic_loss = kInfinity;
  choice.dual_bound = kInfinity;
  choice.solves = 0;
  Candidate solved;              // whose multipliers have not been tried on the others
  double threshold = kInfinity;  // bounds from here on are no better than the best action found
  for (Candidate next = most_promising(); next.vertex >= 0; next = most_promising()) {
    Set& set = sets_[next.set];
    double& bound = set.bounds(next.vertex);
    Progress& progress = set.progress[static_cast<std::size_t>(next.vertex)];
    if (bound >= threshold) {
      choice.dual_bound = std::min(choice.dual_bound, bound);
      break;  // all that are still open have larger bounds
    }
    if (solved.vertex >= 0) {  // only now that another vertex is in question is this worth it
      raise_bounds(sets_[solved.set], solved.vertex);
      solved.vertex = -1;
      continue;
    }
    set_objective(next.vertex);
    const double offset = offsets_(next.vertex);
    if (progress == Progress::Bounded && choice.solves > 0) {
      progress = Progress::BoundedWell;
      bound = std::max(bound, offset + set.memory.best_bound(set.cone, *domain_, v_, next.vertex));
      continue;
    }
    const Outcome outcome = solve(next, threshold - offset, region);
    progress = Progress::Closed;
    bound = kInfinity;
    solved = next;
    ++choice.solves;
    choice.dual_bound = std::min(choice.dual_bound, offset + outcome.dual_bound);
    if (!outcome.is_cut_off && offset + outcome.value < choice.optimistic_loss) {
      choice.optimistic_loss = offset + outcome.value;
      threshold = choice.optimistic_loss - cone::kPruneTolerance * std::abs(choice.optimistic_loss);
      if (has_centre_) {
        choice.action = centre_ + u_;
      } else {
        choice.action.swap(u_);  // which the next solve fills anew
      }
      choice.is_foothold = next.set == safety::CertifiedPrograms::kFoothold;
    }
  }
}

void SingleConeSearch::set_objective(Eigen::Index vertex) {
  const double* entry = V_.data() + vertex;
  for (Eigen::Index i = 0; i < v_.size(); ++i, entry += V_.rows()) {
    v_(i) = *entry;
  }
}

// The multipliers of a vertex just solved bound the others of its set, too.
void SingleConeSearch::raise_bounds(Set& set, Eigen::Index source) {
  set.memory.transfer(set.cone, *domain_, V_, offsets_, source, set.bounds);
  for (Eigen::Index k = 0; k < set.bounds.size(); ++k) {
    if (set.progress[static_cast<std::size_t>(k)] == Progress::Closed) {
      set.bounds(k) = kInfinity;
    }
  }
}

// Moves the point into the cone, on or beside which it lies by rounding, and looks at the gap.
bool SingleConeSearch::accept(const Set& set, const Eigen::VectorXd& u, double width, double dual,
                              Outcome& outcome) {
  return with_fixed_dim(u_.size(), [&](auto fixed) {
    return accept_sized<fixed.value>(set, u, width, dual, outcome);
  });
}

template <int Fixed>
bool SingleConeSearch::accept_sized(const Set& set, const Eigen::VectorXd& point, double width,
                                    double dual, Outcome& outcome) {
  const cone::QuadraticCone& cone = set.cone;
  const auto u = fixed_view<Fixed>(point);
  const auto v = fixed_view<Fixed>(v_);
  const auto lower = fixed_view<Fixed>(domain_->lower);
  const auto upper = fixed_view<Fixed>(domain_->upper);
  auto moved = fixed_view<Fixed>(u_);
  const double value = fixed_view<Fixed>(cone.a).dot(u) + cone.rho * width;
  const double limit = (1.0 - inset_.share(cone.c, width)) * cone.c;
  double shrink = value > limit ? limit / value : 1.0;
  if (domain_->box_is_constraint) {
    moved = (shrink * u).cwiseMax(lower).cwiseMin(upper);
  } else {
    const Eigen::VectorXd& values = rows_.values();
    for (Eigen::Index i = 0; i < values.size(); ++i) {
      if (shrink * values(i) > domain_->h(i)) {
        shrink = domain_->h(i) / values(i);
      }
    }
    moved = shrink * u;
  }
  outcome.value = v.dot(moved);
  outcome.dual_bound = dual;
  outcome.is_cut_off = false;
  const double range = v.cwiseAbs().dot(upper.cwiseMax(-lower));  // of the objective over the box
  const double size = std::max(
      {std::abs(outcome.value), cone::kRangeShare * range, std::numeric_limits<double>::min()});
  return outcome.value - dual <= cone::kAccept * size;  // false for NaN
}

// The minimiser over the box alone, if the cone allows it.
bool SingleConeSearch::solve_corner(Set& set, Eigen::Index vertex, Outcome& outcome) {
  double bound = 0.0;
  for (Eigen::Index i = 0; i < v_.size(); ++i) {
    u_(i) = 0.0;
    if (v_(i) != 0.0) {
      u_(i) = v_(i) > 0.0 ? domain_->lower(i) : domain_->upper(i);
    }
    bound += v_(i) * u_(i);
  }
  multiply(set.cone.Q, u_, Q_u_);
  const double width = cone::QuadraticCone::width(u_, Q_u_);
  set.memory.keep(vertex, u_, Q_u_, width, /*tau=*/0.0, nullptr, 0.0);
  const double value = set.cone.value(u_, width);
  outcome = {.value = bound, .dual_bound = bound};
  return value <= set.cone.c;
}

bool SingleConeSearch::solve_box(Set& set, Eigen::Index vertex, double cutoff, Outcome& outcome) {
  VertexMemory& memory = set.memory;
  signed char* side = memory.side(vertex);
  if (!memory.is_set(vertex) || !(memory.tau(vertex) > 0.0)) {
    if (solve_corner(set, vertex, outcome)) {
      return true;
    }
    // The corner's own cut says where the cone will be met.
    static_cast<void>(memory.best_bound(set.cone, *domain_, v_, vertex, side));
  }
  cone::ActiveSetStatus status =
      box_.solve(set.cone, domain_->lower, domain_->upper, v_, cutoff, side);
  if (status == cone::ActiveSetStatus::Failed) {
    if (solve_corner(set, vertex, outcome)) {  // the cone has let go of this vertex
      return true;
    }
    status = box_.descend(set.cone, domain_->lower, domain_->upper, v_, cutoff, side);
  }
  if (status == cone::ActiveSetStatus::Failed) {
    return false;
  }
  memory.keep(vertex, box_.u(), box_.image(), box_.norm(), box_.tau(), nullptr, 0.0);
  if (status == cone::ActiveSetStatus::CutOff) {
    outcome = {.value = kNaN, .dual_bound = box_.dual_bound(), .is_cut_off = true};
    return true;
  }
  return accept(set, box_.u(), box_.norm(), box_.dual_bound(), outcome);
}

bool SingleConeSearch::solve_rows(Set& set, Eigen::Index vertex, double cutoff, Outcome& outcome) {
  VertexMemory& memory = set.memory;
  if (!memory.is_set(vertex)) {
    return false;
  }
  std::vector<Eigen::Index>& rows = memory.rows(vertex);
  cone::RowBasis& basis = memory.basis(vertex);
  if (!(memory.tau(vertex) > 0.0)) {
    if (!rows_.solve_vertex(*domain_, v_, rows, basis)) {
      return false;
    }
    multiply(set.cone.Q, rows_.u(), Q_u_);
    const double width = cone::QuadraticCone::width(rows_.u(), Q_u_);
    if (set.cone.value(rows_.u(), width) <= set.cone.c) {
      keep_rows(set, vertex, Q_u_, width);
      return accept(set, rows_.u(), width, rows_.dual_bound(), outcome);
    }
    rows_.release_row(set.cone, rows, basis);
  }
  const cone::ActiveSetStatus status = rows_.solve(set.cone, *domain_, v_, cutoff, rows, basis);
  if (status == cone::ActiveSetStatus::Failed) {
    return false;
  }
  if (status == cone::ActiveSetStatus::CutOff) {
    outcome = {.value = kNaN, .dual_bound = rows_.dual_bound(), .is_cut_off = true};
  }
  const double width = cone::QuadraticCone::width(rows_.u(), rows_.image());
  keep_rows(set, vertex, rows_.image(), width);
  return status == cone::ActiveSetStatus::CutOff ||
         accept(set, rows_.u(), width, rows_.dual_bound(), outcome);
}

// The last iterate of `rows_` with its multipliers.
void SingleConeSearch::keep_rows(Set& set, Eigen::Index vertex, const Eigen::VectorXd& Q_u,
                                 double width) {
  const std::vector<Eigen::Index>& rows = set.memory.rows(vertex);
  double h_eta = 0.0;
  r_.setZero();
  for (std::size_t j = 0; j < rows.size(); ++j) {
    r_ += rows_.eta(j) * rows_.row(rows[j]);
    h_eta += rows_.eta(j) * domain_->h(rows[j]);
  }
  set.memory.keep(vertex, rows_.u(), Q_u, width, rows_.tau(), &r_, h_eta);
}

SingleConeSearch::Outcome SingleConeSearch::solve(Candidate candidate, double cutoff,
                                                  const estimation::ConfidenceRegion& region) {
  Set& set = sets_[candidate.set];
  Outcome outcome;
  const bool is_solved = domain_->box_is_constraint
                             ? solve_box(set, candidate.vertex, cutoff, outcome)
                             : solve_rows(set, candidate.vertex, cutoff, outcome);
  if (!is_solved) {
    solve_generally(candidate, region, outcome);
  }
  return outcome;
}

void SingleConeSearch::solve_generally(Candidate candidate,
                                       const estimation::ConfidenceRegion& region,
                                       Outcome& outcome) {
  if (!general_is_current_) {
    general_->update(region);
    general_is_current_ = true;
  }
  const cone::ConeSolution& solution =
      general_->solver(candidate.set).solve(v_, static_cast<std::size_t>(candidate.vertex));
  outcome = {.value = solution.value, .dual_bound = solution.dual_bound};
  u_ = solution.u;
  keep_general(sets_[candidate.set], candidate.vertex, solution);
}

void SingleConeSearch::keep_general(Set& set, Eigen::Index vertex,
                                    const cone::ConeSolution& solution) {
  multiply(set.cone.Q, u_, Q_u_);
  const double width = cone::QuadraticCone::width(u_, Q_u_);
  const double tau = solution.multipliers.tau(0);
  if (domain_->box_is_constraint) {
    guess_sides(set.memory.side(vertex));
    set.memory.keep(vertex, u_, Q_u_, width, tau, nullptr, 0.0);
  } else {
    const double h_eta = guess_rows(solution.multipliers.eta, set.memory.rows(vertex));
    set.memory.keep(vertex, u_, Q_u_, width, tau, &r_, h_eta);
  }
}

// The sides of the box that u_ sits at.
void SingleConeSearch::guess_sides(signed char* side) const {
  for (Eigen::Index i = 0; i < u_.size(); ++i) {
    const double close = kAtBoxSide * (domain_->upper(i) - domain_->lower(i));
    side[i] = 0;
    if (domain_->upper(i) - u_(i) <= close) {
      side[i] = 1;
    } else if (u_(i) - domain_->lower(i) <= close) {
      side[i] = -1;
    }
  }
}

// The rows that u_ sits at and that have a multiplier; r_ ← Gᵀη, returns hᵀη.
double SingleConeSearch::guess_rows(const Eigen::VectorXd& eta, std::vector<Eigen::Index>& rows) {
  rows.clear();
  r_.setZero();
  double h_eta = 0.0;
  for (Eigen::Index i = 0; i < eta.size(); ++i) {
    if (!(eta(i) > 0.0)) {
      continue;
    }
    r_ += eta(i) * rows_.row(i);
    h_eta += eta(i) * domain_->h(i);
    const double slack = domain_->h(i) - rows_.row(i).dot(u_);
    if (slack <= kAtBoxSide * domain_->h(i) && static_cast<Eigen::Index>(rows.size()) < u_.size()) {
      rows.push_back(i);
    }
  }
  return h_eta;
}

void SingleConeSearch::save(ByteWriter& out) const {
  out.write(static_cast<std::uint64_t>(has_seen_ ? 1 : 0));
  out.write(seen_);
  out.write(static_cast<std::int64_t>(age_));
  out.write(growth_);
  for (const Set& set : sets_) {
    out.write(set.cone.Q);
    set.memory.save(out);
  }
}

void SingleConeSearch::restore(ByteReader& in) {
  has_seen_ = in.read_word() != 0;
  seen_ = in.read_digest();
  age_ = static_cast<int>(in.read_integer());
  growth_ = in.read_double();
  for (Set& set : sets_) {
    set.cone.Q = in.read_matrix(v_.size(), v_.size());
    set.memory.restore(in, domain_->G.rows());
  }
}

}  // namespace foothold::optimism
