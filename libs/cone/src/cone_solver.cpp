#include "foothold/cone/cone_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "foothold/base/error.hpp"
#include "foothold/base/infinity.hpp"
#include "foothold/base/invariant.hpp"
#include "foothold/cone/active_set/box_active_set.hpp"
#include "foothold/cone/active_set/row_active_set.hpp"
#include "foothold/cone/tolerances.hpp"
#include "foothold/geometry/dense_lp.hpp"

#include "dual/dual_correction.hpp"
#include "interior_point/interior_point.hpp"
#include "newton/kkt_newton.hpp"
#include "warm_start.hpp"

namespace foothold::cone {
namespace {

// Gaps up to this size may be an error of the multipliers alone, and are worth correcting them.
constexpr double kCorrectable = 1e-3;
constexpr int kCorrections = 3;

constexpr int kPolishSteps = 4;
constexpr int kWarmSteps = 6;

}  // namespace

class ConeSolver::Impl {
 public:
  explicit Impl(std::size_t slots) : warm_(slots) {}

  void load(const ConeProgram& program);
  const ConeSolution& solve(const Eigen::Ref<const Eigen::VectorXd>& v, std::size_t slot);
  double remembered_bound(const Eigen::Ref<const Eigen::VectorXd>& v, std::size_t slot);
  double transferred_bound(const Eigen::Ref<const Eigen::VectorXd>& v,
                           const ConeMultipliers& multipliers) {
    return dual_bound(*program_, v, multipliers, gradient_);
  }
  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

 private:
  void reshape(const ConeProgram& program);
  // Scales the trial point to feasibility, proves a bound, and keeps it if it beats the best so
  // far. True if its gap is small enough to stop. `is_final` says that no better point is to come,
  // so that it is worth correcting the multipliers.
  bool accept_trial(const Eigen::Ref<const Eigen::VectorXd>& v, SolvePath path,
                    bool is_final = true);
  void correct_multipliers(const Eigen::Ref<const Eigen::VectorXd>& v, double scale);
  bool try_corner(const Eigen::Ref<const Eigen::VectorXd>& v);
  bool try_rows(const Eigen::Ref<const Eigen::VectorXd>& v, const WarmStart& warm);
  bool try_ball(const Eigen::Ref<const Eigen::VectorXd>& v);
  bool try_active_set(const Eigen::Ref<const Eigen::VectorXd>& v, WarmStart& warm);
  bool try_box(const Eigen::Ref<const Eigen::VectorXd>& v, WarmStart& warm);
  bool try_rows_with_cone(const Eigen::Ref<const Eigen::VectorXd>& v, WarmStart& warm);
  bool try_newton(const Eigen::Ref<const Eigen::VectorXd>& v, const WarmStart& warm);
  void solve_generally(const Eigen::Ref<const Eigen::VectorXd>& v, WarmStart& warm);
  void remember(const Eigen::Ref<const Eigen::VectorXd>& v, WarmStart& warm);
  [[nodiscard]] double range(const Eigen::Ref<const Eigen::VectorXd>& v) const;
  [[nodiscard]] bool has_single_cone() const {
    return program_->cones.size() == 1 && program_->cones.front().is_centred &&
           (program_->box_is_constraint != (program_->G.rows() > 0));
  }

  const ConeProgram* program_ = nullptr;
  std::vector<WarmStart> warm_;
  std::optional<BoxActiveSet> box_;
  std::optional<RowActiveSet> rows_;
  std::optional<RowBasis> basis_;
  InteriorPoint interior_point_;
  KktNewton newton_;
  DualCorrection correction_;
  geometry::DenseLp lp_;
  QuadraticCone quadratic_;  // the single cone, once it is asked for
  bool interior_point_is_loaded_ = false;
  bool quadratic_is_loaded_ = false;
  Eigen::VectorXd zero_;
  Eigen::VectorXd objective_;
  Eigen::VectorXd gradient_;
  ConeMultipliers corrected_;
  ConeSolution trial_;
  ConeSolution best_;
  double best_gap_ = 0.0;
};

void ConeSolver::Impl::reshape(const ConeProgram& program) {
  const Eigen::Index d = program.dim();
  const auto cones = static_cast<Eigen::Index>(program.cones.size());
  Eigen::Index tail = 0;
  for (const Cone& cone : program.cones) {
    tail = std::max(tail, cone.M.rows());
  }
  for (ConeSolution* solution : {&trial_, &best_}) {
    solution->u.setZero(d);
    solution->multipliers.eta.setZero(program.G.rows());
    solution->multipliers.tau.setZero(cones);
    solution->multipliers.w.setZero(tail, cones);
  }
  for (WarmStart& warm : warm_) {
    warm.is_set = false;
    warm.side.assign(static_cast<std::size_t>(d), 0);
    warm.rows.clear();
    warm.rows.reserve(static_cast<std::size_t>(d) + 1);
    warm.u.setZero(d);
    warm.multipliers = trial_.multipliers;
  }
  zero_.setZero(d);
  gradient_.setZero(d);
  objective_.setZero(d);
  quadratic_.a.setZero(d);
  quadratic_.Q.setZero(d, d);
  box_.emplace(d);
  rows_.emplace(d);
  rows_->load(program.G);
  basis_.emplace(d);
  corrected_ = trial_.multipliers;
  newton_.reshape(program);
  correction_.reshape(program);
  interior_point_.load(program);
}

void ConeSolver::Impl::load(const ConeProgram& program) {
  program_ = &program;
  const bool has_same_shape =
      zero_.size() == program.dim() && trial_.multipliers.eta.size() == program.G.rows() &&
      trial_.multipliers.tau.size() == static_cast<Eigen::Index>(program.cones.size());
  if (!has_same_shape) {
    reshape(program);
  }
  interior_point_is_loaded_ = false;
  quadratic_is_loaded_ = false;
}

double ConeSolver::Impl::range(const Eigen::Ref<const Eigen::VectorXd>& v) const {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    sum += std::abs(v(i)) * std::max(program_->upper(i), -program_->lower(i));
  }
  return sum;
}

bool ConeSolver::Impl::accept_trial(const Eigen::Ref<const Eigen::VectorXd>& v, SolvePath path,
                                    bool is_final) {
  if (!trial_.u.allFinite()) {
    return false;
  }
  trial_.u *= feasible_scale(*program_, trial_.u);
  trial_.value = v.dot(trial_.u);
  trial_.dual_bound = dual_bound(*program_, v, trial_.multipliers, gradient_);
  trial_.path = path;
  // A zero objective has no scale of its own; its value and bound are 0.
  const double scale = std::max(
      {std::abs(trial_.value), kRangeShare * range(v), std::numeric_limits<double>::min()});
  if (is_final) {
    correct_multipliers(v, scale);
  }
  const double gap = (trial_.value - trial_.dual_bound) / scale;
  if (!(gap < best_gap_)) {
    return best_gap_ <= kAccept;
  }
  best_gap_ = gap;
  trial_.status = gap <= kPromised ? SolveStatus::Optimal : SolveStatus::Inaccurate;
  std::swap(best_, trial_);
  return gap <= kAccept;
}

// Tightens the trial's bound if it is close but not close enough.
void ConeSolver::Impl::correct_multipliers(const Eigen::Ref<const Eigen::VectorXd>& v,
                                           double scale) {
  for (int round = 0; round < kCorrections; ++round) {
    const double gap = (trial_.value - trial_.dual_bound) / scale;
    if (!(gap > kAccept && gap < kCorrectable)) {
      return;
    }
    corrected_ = trial_.multipliers;
    if (!correction_.improve(*program_, v, trial_.u, corrected_)) {
      return;
    }
    const double bound = dual_bound(*program_, v, corrected_, gradient_);
    if (!(bound > trial_.dual_bound)) {
      return;
    }
    trial_.dual_bound = bound;
    std::swap(trial_.multipliers, corrected_);
  }
}

// The minimiser over the box, if the box is the decision set.
bool ConeSolver::Impl::try_corner(const Eigen::Ref<const Eigen::VectorXd>& v) {
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    trial_.u(i) = 0.0;
    if (v(i) != 0.0) {
      trial_.u(i) = v(i) > 0.0 ? program_->lower(i) : program_->upper(i);
    }
  }
  for (const Cone& cone : program_->cones) {
    if (!(cone.value(trial_.u) <= cone.c)) {
      return false;
    }
  }
  trial_.multipliers.eta.setZero();
  trial_.multipliers.tau.setZero();
  trial_.multipliers.w.setZero();
  trial_.iterations = 0;
  return accept_trial(v, SolvePath::Corner);
}

// The minimiser over the rows; the whole answer if there are no cones. Rows that stand for a
// cone change every round, so only a polytope's own rows can start from the last vertex.
bool ConeSolver::Impl::try_rows(const Eigen::Ref<const Eigen::VectorXd>& v, const WarmStart& warm) {
  const bool has_start = warm.is_set && !program_->cones.empty();
  const geometry::LpResult& result =
      lp_.solve(program_->G, program_->h, v, has_start ? warm.u : zero_);
  if (result.status != geometry::LpStatus::Optimal) {
    return false;
  }
  trial_.u = lp_.point();
  for (const Cone& cone : program_->cones) {
    if (!(cone.value(trial_.u) <= cone.c)) {
      return false;
    }
  }
  trial_.multipliers.eta = lp_.multipliers().cwiseMax(0.0);
  trial_.multipliers.tau.setZero();
  trial_.multipliers.w.setZero();
  trial_.iterations = result.iterations;
  return accept_trial(v, SolvePath::LinearProgram);
}

// The last cone of a ball's program is the ball { ‖u + e‖ ≤ r }; its minimiser is in closed form.
bool ConeSolver::Impl::try_ball(const Eigen::Ref<const Eigen::VectorXd>& v) {
  const Cone& ball = program_->cones.back();
  const double norm = v.norm();
  if (!(norm > 0.0)) {
    trial_.u.setZero();
  } else {
    trial_.u = -(ball.c / norm) * v - ball.e;
  }
  for (std::size_t k = 0; k + 1 < program_->cones.size(); ++k) {
    if (!(program_->cones[k].value(trial_.u) <= program_->cones[k].c)) {
      return false;
    }
  }
  const auto last = static_cast<Eigen::Index>(program_->cones.size()) - 1;
  trial_.multipliers.tau.setZero();
  trial_.multipliers.tau(last) = norm;
  trial_.multipliers.w.setZero();
  if (norm > 0.0) {
    trial_.multipliers.w.col(last).head(v.size()) = -v / norm;
  }
  trial_.iterations = 0;
  return accept_trial(v, SolvePath::SingleCone);
}

bool ConeSolver::Impl::try_active_set(const Eigen::Ref<const Eigen::VectorXd>& v, WarmStart& warm) {
  const Cone& cone = program_->cones.front();
  if (!quadratic_is_loaded_) {
    quadratic_.a = cone.a;
    quadratic_.Q.noalias() = cone.M.transpose() * cone.M;
    quadratic_.rho = cone.rho;
    quadratic_.c = cone.c;
    quadratic_is_loaded_ = true;
    if (!program_->box_is_constraint) {
      rows_->load(program_->G);
      basis_->forget();
    }
  }
  if (!(program_->box_is_constraint ? try_box(v, warm) : try_rows_with_cone(v, warm))) {
    return false;
  }
  auto w = trial_.multipliers.w.col(0);
  w.noalias() = cone.M * trial_.u;
  w /= w.norm();
  return accept_trial(v, SolvePath::ActiveSet);
}

bool ConeSolver::Impl::try_box(const Eigen::Ref<const Eigen::VectorXd>& v, WarmStart& warm) {
  objective_ = v;
  if (box_->solve(quadratic_, program_->lower, program_->upper, objective_, kInfinity,
                  warm.side.data()) != ActiveSetStatus::Optimal) {
    return false;
  }
  trial_.u = box_->u();
  trial_.multipliers.tau(0) = box_->tau();
  trial_.iterations = box_->steps();
  return true;
}

bool ConeSolver::Impl::try_rows_with_cone(const Eigen::Ref<const Eigen::VectorXd>& v,
                                          WarmStart& warm) {
  if (rows_->solve(quadratic_, *program_, v, kInfinity, warm.rows, *basis_) !=
      ActiveSetStatus::Optimal) {
    return false;
  }
  trial_.u = rows_->u();
  trial_.multipliers.eta.setZero();
  for (std::size_t j = 0; j < warm.rows.size(); ++j) {
    trial_.multipliers.eta(warm.rows[j]) = rows_->eta(j);
  }
  trial_.multipliers.tau(0) = rows_->tau();
  trial_.iterations = rows_->steps();
  return true;
}

bool ConeSolver::Impl::try_newton(const Eigen::Ref<const Eigen::VectorXd>& v,
                                  const WarmStart& warm) {
  trial_.u = warm.u;
  trial_.multipliers = warm.multipliers;
  trial_.iterations = kWarmSteps;
  return newton_.improve(*program_, v, kWarmSteps, trial_) && accept_trial(v, SolvePath::Newton);
}

void ConeSolver::Impl::solve_generally(const Eigen::Ref<const Eigen::VectorXd>& v,
                                       WarmStart& warm) {
  if (!interior_point_is_loaded_) {
    interior_point_.load(*program_);
    interior_point_is_loaded_ = true;
  }
  interior_point_.solve(v, trial_);
  if (accept_trial(v, SolvePath::InteriorPoint, /*is_final=*/false)) {
    return;
  }
  remember(v, warm);
  if (has_single_cone() && try_active_set(v, warm)) {
    return;
  }
  trial_ = best_;
  if (newton_.improve(*program_, v, kPolishSteps, trial_) &&
      accept_trial(v, SolvePath::InteriorPoint)) {
    return;
  }
  trial_ = best_;
  accept_trial(v, SolvePath::InteriorPoint);
}

void ConeSolver::Impl::remember(const Eigen::Ref<const Eigen::VectorXd>& v, WarmStart& warm) {
  warm.is_set = true;
  warm.u = best_.u;
  warm.multipliers = best_.multipliers;
  const double objective_range = range(v);
  if (program_->box_is_constraint) {
    static_cast<void>(dual_bound(*program_, v, best_.multipliers, gradient_));
    for (Eigen::Index i = 0; i < v.size(); ++i) {
      const bool is_upper = gradient_(i) < 0.0;
      const double bound = is_upper ? program_->upper(i) : program_->lower(i);
      const double slack = 1.0 - best_.u(i) / bound;
      const bool is_active = std::abs(gradient_(i) * bound) > slack * objective_range;
      warm.side[static_cast<std::size_t>(i)] =
          static_cast<signed char>(is_active ? (is_upper ? 1 : -1) : 0);
    }
  }
  warm.rows.clear();
  for (Eigen::Index i = 0; i < program_->G.rows(); ++i) {
    const double slack = 1.0 - program_->G.row(i).dot(best_.u) / program_->h(i);
    if (best_.multipliers.eta(i) * program_->h(i) > slack * objective_range &&
        static_cast<Eigen::Index>(warm.rows.size()) < v.size()) {
      warm.rows.push_back(i);
    }
  }
}

const ConeSolution& ConeSolver::Impl::solve(const Eigen::Ref<const Eigen::VectorXd>& v,
                                            std::size_t slot) {
  FOOTHOLD_ASSERT(program_ != nullptr && slot < warm_.size() && v.allFinite());
  WarmStart& warm = warm_[slot];
  best_gap_ = kInfinity;
  const bool has_binding_memory =
      warm.is_set && warm.multipliers.tau.size() > 0 && warm.multipliers.tau.maxCoeff() > 0.0;
  const bool is_ball = program_->G.rows() == 0 && !program_->box_is_constraint;
  bool is_solved = false;
  if (program_->box_is_constraint && program_->G.rows() == 0) {
    is_solved = try_corner(v);
  } else if (is_ball) {
    is_solved = try_ball(v);
  }
  if (!is_solved && has_binding_memory) {
    // A singular form on the face defeats the closed form, but not Newton's method.
    is_solved = (has_single_cone() && try_active_set(v, warm)) || try_newton(v, warm);
  }
  if (!is_solved && !program_->box_is_constraint && program_->G.rows() > 0) {
    is_solved = try_rows(v, warm);
  }
  if (!is_solved) {
    solve_generally(v, warm);
  }
  FOOTHOLD_INVARIANT(best_gap_ < kInfinity);
  remember(v, warm);
  return best_;
}

double ConeSolver::Impl::remembered_bound(const Eigen::Ref<const Eigen::VectorXd>& v,
                                          std::size_t slot) {
  const WarmStart& warm = warm_[slot];
  if (warm.is_set) {
    return dual_bound(*program_, v, warm.multipliers, gradient_);
  }
  double bound = 0.0;
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    bound += v(i) > 0.0 ? v(i) * program_->lower(i) : v(i) * program_->upper(i);
  }
  return bound;
}

void ConeSolver::Impl::save(ByteWriter& out) const {
  out.write(static_cast<std::uint64_t>(warm_.size()));
  for (const WarmStart& warm : warm_) {
    cone::save(warm, out);
  }
}

void ConeSolver::Impl::restore(ByteReader& in) {
  if (in.read_word() != warm_.size()) {
    throw Error(ErrorCode::InvalidArgument, "snapshot", "must hold warm starts of this problem");
  }
  for (WarmStart& warm : warm_) {
    cone::restore(in, warm);
  }
}

ConeSolver::ConeSolver(std::size_t slots) : impl_(std::make_unique<Impl>(slots)) {}
ConeSolver::~ConeSolver() = default;
ConeSolver::ConeSolver(ConeSolver&&) noexcept = default;
ConeSolver& ConeSolver::operator=(ConeSolver&&) noexcept = default;

void ConeSolver::load(const ConeProgram& program) {
  impl_->load(program);
}

const ConeSolution& ConeSolver::solve(const Eigen::Ref<const Eigen::VectorXd>& v,
                                      std::size_t slot) {
  return impl_->solve(v, slot);
}

double ConeSolver::remembered_bound(const Eigen::Ref<const Eigen::VectorXd>& v,
                                    std::size_t slot) const {
  return impl_->remembered_bound(v, slot);
}

double ConeSolver::transferred_bound(const Eigen::Ref<const Eigen::VectorXd>& v,
                                     const ConeMultipliers& multipliers) const {
  return impl_->transferred_bound(v, multipliers);
}

void ConeSolver::save(ByteWriter& out) const {
  impl_->save(out);
}

void ConeSolver::restore(ByteReader& in) {
  impl_->restore(in);
}

}  // namespace foothold::cone
