#include "foothold/selection/ellipsoid_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "foothold/base/check.hpp"
#include "foothold/selection/certified_programs.hpp"

#include "cut_model.hpp"
#include "direction_cell.hpp"

namespace foothold::selection {
namespace {

// The inner solver's bounds are this far below its values, relative to the objective's size: a
// smaller gap cannot be proved.
constexpr double kSmallestGap = 1e-9;

// Multipliers tried for one cell. Most cells are settled, one way or the other, by the first two.
constexpr int kCuts = 15;

// A cut that could still raise the bound by this share of what is missing is worth its solve.
constexpr double kWorthwhile = 0.5;

// Splits stay this share of the width away from the sides, so that all cells become small.
constexpr double kSplitMargin = 0.1;

// Solutions that the solvers remember per dimension, and how far apart, relative to their length,
// two objectives are that may not share one: from further away a warm start is a waste of time.
constexpr Eigen::Index kSlots = 16;
constexpr double kFar = 0.3;

// Steps of the local improvement, and the relative decrease that makes one more worth while.
constexpr int kLocalSteps = 30;
constexpr double kLocalDecrease = 1e-10;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

void validate(const SearchLimits& limits) {
  check::non_negative(limits.gap, "gap");
  if (limits.nodes < 1) {
    throw Error(ErrorCode::InvalidArgument, "nodes",
                fmt::format("must be at least 1, got {}", limits.nodes));
  }
}

class EllipsoidSearch::Impl {
 public:
  Impl(const safety::Problem& problem, const safety::SafetyRule& rule, const SearchLimits& limits);

  const OptimisticChoice& choose(const estimation::ConfidenceRegion& region);
  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

 private:
  // A cell of one program with a proved lower bound, in a pool: those in the queue are open.
  struct Node {
    DirectionCell cell{};
    std::size_t program = 0;
    double bound = 0.0;
    std::vector<int> points{};  // what its last model rested on, by number
  };
  struct Entry {
    double bound = 0.0;
    std::size_t node = 0;
    // The smallest bound comes first; the order among equals is fixed, too.
    bool operator<(const Entry& other) const {
      return bound != other.bound ? bound > other.bound : node > other.node;
    }
  };

  void start_round(const estimation::ConfidenceRegion& region);
  void add_roots();
  void branch(std::size_t parent);
  [[nodiscard]] double split_point(const Node& node, Eigen::Index j) const;
  void bound_cell(std::size_t index);
  void load_model(const Node& node);
  double try_multipliers(const Node& node);
  void hand_on_points(Node& node) const;
  void keep_or_close(std::size_t index);
  std::size_t take_node();

  int add_point(const Eigen::VectorXd& y, double estimate);
  void consider(std::size_t program, const Eigen::VectorXd& u);
  void improve(std::size_t program);
  [[nodiscard]] double threshold() const { return choice_.optimistic_loss - tolerance_; }
  [[nodiscard]] std::size_t nearest_slot(std::size_t program) const;
  const ConeSolution& solve(std::size_t program, std::size_t slot);

  SearchLimits limits_;
  CertifiedPrograms programs_;
  const estimation::ConfidenceRegion* region_ = nullptr;  // during `choose` only
  OptimisticChoice choice_;
  double tolerance_ = 0.0;       // of the incumbent
  double closed_bound_ = 0.0;    // smallest bound of the cells that were closed
  std::vector<int> incumbent_;   // number of each program's best point
  std::vector<double> values_;   // and the objective there
  std::vector<Node> nodes_;
  std::vector<std::size_t> free_;
  std::vector<Entry> queue_;
  Eigen::MatrixXd points_;  // y and μ̂ᵀx of certified points; those that models may use
  int point_count_ = 0;
  std::vector<Eigen::MatrixXd> objectives_;  // per program what each slot of its solver solved
  std::vector<Eigen::Index> used_;           // the slots that did
  CutModel model_;
  Eigen::VectorXd nu_;
  Eigen::VectorXd p_;
  Eigen::VectorXd v_;
  Eigen::VectorXd x_;
  Eigen::VectorXd y_;
  Eigen::VectorXd u_;
  Eigen::VectorXd last_;   // the last round's action, around the centre
  double estimate_ = 0.0;  // μ̂ᵀx of the last point
};

EllipsoidSearch::Impl::Impl(const safety::Problem& problem, const safety::SafetyRule& rule,
                            const SearchLimits& limits)
    : limits_(limits),
      programs_(problem, rule, static_cast<std::size_t>(kSlots * problem.dim())),
      model_(problem.dim()) {
  const Eigen::Index d = problem.dim();
  choice_.action = programs_.centre();
  objectives_.assign(programs_.count(), Eigen::MatrixXd::Zero(d, kSlots * d));
  used_.assign(programs_.count(), 0);
  points_.setZero(d + 1, 64);
  nu_.setZero(2 * (d - 1));
  for (Eigen::VectorXd* vector : {&p_, &v_, &x_, &y_, &u_, &last_}) {
    vector->setZero(d);
  }
}

const OptimisticChoice& EllipsoidSearch::Impl::choose(const estimation::ConfidenceRegion& region) {
  start_round(region);
  add_roots();
  while (!queue_.empty() && queue_.front().bound < threshold() && choice_.nodes < limits_.nodes) {
    const std::size_t parent = queue_.front().node;
    std::pop_heap(queue_.begin(), queue_.end());
    queue_.pop_back();
    branch(parent);
    free_.push_back(parent);
  }
  choice_.dual_bound = std::min(choice_.optimistic_loss, closed_bound_);
  if (!queue_.empty()) {
    choice_.dual_bound = std::min(choice_.dual_bound, queue_.front().bound);
  }
  region_ = nullptr;
  return choice_;
}

// The last action, moved into this round's certified sets, is where the search starts: it is
// nearly always nearly right, so that most cells are closed at once.
void EllipsoidSearch::Impl::start_round(const estimation::ConfidenceRegion& region) {
  region_ = &region;
  programs_.update(region);
  queue_.clear();
  free_.clear();
  for (std::size_t i = nodes_.size(); i > 0; --i) {
    free_.push_back(i - 1);
  }
  point_count_ = 0;
  closed_bound_ = kInfinity;
  choice_.optimistic_loss = kInfinity;
  choice_.solves = 0;
  choice_.nodes = 0;
  incumbent_.assign(programs_.count(), -1);
  values_.assign(programs_.count(), kInfinity);
  last_ = choice_.action - programs_.centre();
  for (std::size_t program = 0; program < programs_.count(); ++program) {
    u_ = last_;
    u_ *= feasible_scale(programs_.program(program), last_);
    consider(program, u_);
    improve(program);
  }
}

void EllipsoidSearch::Impl::add_roots() {
  const Eigen::Index d = y_.size();
  for (std::size_t program = 0; program < programs_.count(); ++program) {
    for (Eigen::Index k = 0; k < 2 * d; ++k) {
      const std::size_t index = take_node();
      Node& node = nodes_[index];
      node.cell.set_root(d, k);
      node.program = program;
      node.bound = -kInfinity;
      node.points.clear();
      bound_cell(index);
      keep_or_close(index);
    }
  }
}

// Splits where the relaxation overestimates the norm most: at the incumbent if it passes through
// the cell there, because the relaxation is exact at the corners of a cell.
void EllipsoidSearch::Impl::branch(std::size_t parent) {
  const Eigen::Index j = nodes_[parent].cell.widest_chord();
  if (j < 0) {
    closed_bound_ = std::min(closed_bound_, nodes_[parent].bound);
    return;
  }
  const std::size_t first = take_node();
  const std::size_t second = take_node();
  nodes_[first] = nodes_[parent];
  nodes_[second] = nodes_[parent];
  const double split = split_point(nodes_[parent], j);
  nodes_[first].cell.upper(j) = split;
  nodes_[second].cell.lower(j) = split;
  for (const std::size_t child : {first, second}) {
    DirectionCell& cell = nodes_[child].cell;
    cell.point(j) = std::clamp(cell.point(j), cell.lower(j), cell.upper(j));
    bound_cell(child);
    keep_or_close(child);
  }
}

double EllipsoidSearch::Impl::split_point(const Node& node, Eigen::Index j) const {
  const DirectionCell& cell = node.cell;
  const double margin = kSplitMargin * (cell.upper(j) - cell.lower(j));
  const double low = cell.lower(j) + margin;
  const double high = cell.upper(j) - margin;
  const int best = incumbent_[node.program];
  const double height = cell.sign * points_(cell.axis, best);
  if (height > 0.0) {
    const double z = points_(j, best) / height;
    if (low < z && z < high) {
      return z;
    }
  }
  return std::clamp(cell.point(j), low, high);
}

// Raises the cell's bound until it is above the threshold, or the model says that it never will be.
void EllipsoidSearch::Impl::bound_cell(std::size_t index) {
  Node& node = nodes_[index];
  ++choice_.nodes;
  load_model(node);
  bool has_model = !node.points.empty() && model_.solve();
  nu_.setZero();
  for (int cut = 0; cut < kCuts; ++cut) {
    if (has_model) {
      node.cell.set_point(model_.combination());
      nu_ = model_.nu();
    }
    const double bound = try_multipliers(node);
    node.bound = std::max(node.bound, bound);
    if (node.bound >= threshold()) {
      return;
    }
    has_model = model_.solve();
    if (!has_model || (model_.value() < threshold() &&
                       model_.value() < node.bound + kWorthwhile * (threshold() - node.bound))) {
      break;
    }
  }
  if (has_model) {
    node.cell.set_point(model_.combination());
    hand_on_points(node);
  }
}

void EllipsoidSearch::Impl::load_model(const Node& node) {
  model_.start(node.cell, region_->radius());
  const auto d = y_.size();
  const auto add = [&](int id) { model_.add(points_.col(id).head(d), points_(d, id), id); };
  add(incumbent_[node.program]);
  for (const int id : node.points) {
    if (id != incumbent_[node.program]) {
      add(id);
    }
  }
}

// θ(ν): the bound that these multipliers prove. Its minimiser joins the model, and may be better
// than the incumbent.
double EllipsoidSearch::Impl::try_multipliers(const Node& node) {
  node.cell.majorant(nu_, p_);
  v_ = region_->mu_hat();
  v_.noalias() -= region_->radius() * (region_->root_inverse() * p_);
  const double offset = v_.dot(programs_.centre());
  ConeSolver& solver = programs_.solver(node.program);
  const std::size_t slot = nearest_slot(node.program);
  const double known = offset + solver.remembered_bound(v_, slot);
  if (known >= threshold()) {
    return known;
  }
  const ConeSolution& solution = solve(node.program, slot);
  const double bound = std::max(known, offset + solution.dual_bound);
  const double last_loss = choice_.optimistic_loss;
  u_ = solution.u;
  consider(node.program, u_);
  const int id = add_point(y_, estimate_);
  model_.add(y_, estimate_, id);
  if (choice_.optimistic_loss < last_loss) {
    improve(node.program);
  }
  return bound;
}

// The slot that solved the objective nearest to `v_`, or a new one if all are far.
std::size_t EllipsoidSearch::Impl::nearest_slot(std::size_t program) const {
  const Eigen::MatrixXd& objectives = objectives_[program];
  const Eigen::Index used = used_[program];
  Eigen::Index nearest = 0;
  double smallest = kInfinity;
  for (Eigen::Index slot = 0; slot < used; ++slot) {
    const double distance = (objectives.col(slot) - v_).squaredNorm();
    if (distance < smallest) {
      smallest = distance;
      nearest = slot;
    }
  }
  const bool is_far = !(smallest < kFar * kFar * v_.squaredNorm());
  return static_cast<std::size_t>(is_far && used < objectives.cols() ? used : nearest);
}

const ConeSolution& EllipsoidSearch::Impl::solve(std::size_t program, std::size_t slot) {
  const auto index = static_cast<Eigen::Index>(slot);
  objectives_[program].col(index) = v_;
  used_[program] = std::max(used_[program], index + 1);
  ++choice_.solves;
  return programs_.solver(program).solve(v_, slot);
}

void EllipsoidSearch::Impl::hand_on_points(Node& node) const {
  node.points.clear();
  model_.collect_active(node.points);
}

void EllipsoidSearch::Impl::keep_or_close(std::size_t index) {
  const double bound = nodes_[index].bound;
  if (bound >= threshold()) {
    closed_bound_ = std::min(closed_bound_, bound);
    free_.push_back(index);
    return;
  }
  queue_.push_back({.bound = bound, .node = index});
  std::push_heap(queue_.begin(), queue_.end());
}

std::size_t EllipsoidSearch::Impl::take_node() {
  if (free_.empty()) {
    nodes_.emplace_back();
    nodes_.back().points.reserve(static_cast<std::size_t>(2 * y_.size()));
    return nodes_.size() - 1;
  }
  const std::size_t index = free_.back();
  free_.pop_back();
  return index;
}

int EllipsoidSearch::Impl::add_point(const Eigen::VectorXd& y, double estimate) {
  if (point_count_ == points_.cols()) {
    points_.conservativeResize(Eigen::NoChange, 2 * points_.cols());
  }
  points_.col(point_count_).head(y.size()) = y;
  points_(y.size(), point_count_) = estimate;
  return point_count_++;
}

// Evaluates the objective at x₀ + u, leaving y and μ̂ᵀx behind.
void EllipsoidSearch::Impl::consider(std::size_t program, const Eigen::VectorXd& u) {
  x_ = programs_.centre() + u;
  y_.noalias() = region_->root_inverse().transpose() * x_;
  estimate_ = region_->mu_hat().dot(x_);
  const double width = region_->radius() * y_.norm();
  const double value = estimate_ - width;
  if (value < values_[program]) {
    values_[program] = value;
    incumbent_[program] = add_point(y_, estimate_);
  }
  if (value < choice_.optimistic_loss) {
    choice_.optimistic_loss = value;
    choice_.action = x_;
    choice_.is_foothold = program == CertifiedPrograms::kFoothold;
    tolerance_ = std::max(limits_.gap, kSmallestGap) * (std::abs(estimate_) + width);
  }
}

// x ← argmin { (μ̂ − βH⁻¹ω)ᵀx } with ω = y/‖y‖: the objective is concave, so that its linearisation
// is above it, and the step never goes up.
void EllipsoidSearch::Impl::improve(std::size_t program) {
  for (int step = 0; step < kLocalSteps; ++step) {
    const double value = values_[program];
    p_ = points_.col(incumbent_[program]).head(y_.size());
    const double norm = p_.norm();
    if (!(norm > 0.0)) {
      return;
    }
    v_ = region_->mu_hat();
    v_.noalias() -= (region_->radius() / norm) * (region_->root_inverse() * p_);
    u_ = solve(program, nearest_slot(program)).u;
    consider(program, u_);
    if (!(values_[program] < value - kLocalDecrease * std::abs(value))) {
      return;
    }
  }
}

void EllipsoidSearch::Impl::save(ByteWriter& out) const {
  programs_.save(out);
  for (std::size_t program = 0; program < programs_.count(); ++program) {
    out.write(static_cast<std::int64_t>(used_[program]));
    out.write(objectives_[program]);
  }
  out.write(choice_.action);
}

void EllipsoidSearch::Impl::restore(ByteReader& in) {
  programs_.restore(in);
  for (std::size_t program = 0; program < programs_.count(); ++program) {
    Eigen::MatrixXd& objectives = objectives_[program];
    const std::int64_t used = in.read_integer();
    if (!(used >= 0 && used <= objectives.cols())) {
      throw Error(ErrorCode::InvalidArgument, "snapshot", "must hold a search of this problem");
    }
    used_[program] = used;
    objectives = in.read_matrix(objectives.rows(), objectives.cols());
  }
  const Eigen::VectorXd action = in.read_matrix(choice_.action.size(), 1);
  check::all_finite(action, "snapshot");
  choice_.action = action;
}

EllipsoidSearch::EllipsoidSearch(const safety::Problem& problem, const safety::SafetyRule& rule,
                                 const SearchLimits& limits) {
  validate(limits);
  impl_ = std::make_unique<Impl>(problem, rule, limits);
}
EllipsoidSearch::~EllipsoidSearch() = default;
EllipsoidSearch::EllipsoidSearch(EllipsoidSearch&&) noexcept = default;
EllipsoidSearch& EllipsoidSearch::operator=(EllipsoidSearch&&) noexcept = default;

const OptimisticChoice& EllipsoidSearch::choose(const estimation::ConfidenceRegion& region) {
  return impl_->choose(region);
}

void EllipsoidSearch::save(ByteWriter& out) const {
  impl_->save(out);
}

void EllipsoidSearch::restore(ByteReader& in) {
  impl_->restore(in);
}

}  // namespace foothold::selection
