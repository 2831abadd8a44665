#include "foothold/optimism/ellipsoid_search.hpp"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "foothold/base/check.hpp"
#include "foothold/base/infinity.hpp"

#include "ellipsoid/cut_model.hpp"
#include "ellipsoid/direction_cell.hpp"
#include "ellipsoid/ellipsoid_oracle.hpp"

namespace foothold::optimism {
namespace {

// Multipliers tried for one cell. Most cells are settled, one way or the other, by the first two.
constexpr int kCuts = 15;

// A cut that could still raise the bound by this share of what is missing is worth its solve.
constexpr double kWorthwhile = 0.5;

// Splits stay this share of the width away from the sides, so that all cells become small.
constexpr double kSplitMargin = 0.1;

}  // namespace

void validate(const SearchLimits& limits) {
  check::non_negative(limits.gap, "search.gap");
  if (limits.nodes < 1) {
    throw Error(ErrorCode::InvalidArgument, "search.nodes",
                fmt::format("must be at least 1, got {}", limits.nodes));
  }
}

class EllipsoidSearch::Impl {
 public:
  Impl(const safety::Problem& problem, const safety::SafetyRule& rule, const SearchLimits& limits);

  const OptimisticChoice& choose(const estimation::ConfidenceRegion& region);
  void save(ByteWriter& out) const { oracle_.save(out); }
  void restore(ByteReader& in) { oracle_.restore(in); }

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

  Eigen::Index dim_;
  std::int64_t node_limit_;
  EllipsoidOracle oracle_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> free_;
  std::vector<Entry> queue_;   // a heap
  double closed_bound_ = 0.0;  // smallest bound of the cells that were closed
  CutModel model_;
  Eigen::VectorXd nu_;
  Eigen::VectorXd p_;
};

EllipsoidSearch::Impl::Impl(const safety::Problem& problem, const safety::SafetyRule& rule,
                            const SearchLimits& limits)
    : dim_(problem.dim()),
      node_limit_(limits.nodes),
      oracle_(problem, rule, limits.gap),
      model_(dim_),
      nu_(Eigen::VectorXd::Zero(2 * (dim_ - 1))),
      p_(Eigen::VectorXd::Zero(dim_)) {}

const OptimisticChoice& EllipsoidSearch::Impl::choose(const estimation::ConfidenceRegion& region) {
  start_round(region);
  add_roots();
  OptimisticChoice& choice = oracle_.choice();
  while (!queue_.empty() && queue_.front().bound < oracle_.threshold() &&
         choice.nodes < node_limit_) {
    const std::size_t parent = queue_.front().node;
    std::pop_heap(queue_.begin(), queue_.end());
    queue_.pop_back();
    branch(parent);
    free_.push_back(parent);
  }
  choice.dual_bound = std::min(choice.optimistic_loss, closed_bound_);
  if (!queue_.empty()) {
    choice.dual_bound = std::min(choice.dual_bound, queue_.front().bound);
  }
  return choice;
}

void EllipsoidSearch::Impl::start_round(const estimation::ConfidenceRegion& region) {
  oracle_.start(region);
  closed_bound_ = kInfinity;
  queue_.clear();
  free_.clear();
  for (std::size_t i = nodes_.size(); i > 0; --i) {
    free_.push_back(i - 1);
  }
}

void EllipsoidSearch::Impl::add_roots() {
  for (std::size_t program = 0; program < oracle_.program_count(); ++program) {
    for (Eigen::Index k = 0; k < 2 * dim_; ++k) {
      const std::size_t index = take_node();
      Node& node = nodes_[index];
      node.cell.set_root(dim_, k);
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
  const auto y = oracle_.point(oracle_.incumbent(node.program));
  const double height = cell.sign * y(cell.axis);
  if (height > 0.0 && low * height < y(j) && y(j) < high * height) {
    return y(j) / height;
  }
  return std::clamp(cell.point(j), low, high);
}

// Raises the cell's bound until it is above the threshold, or the model says that it never will be.
void EllipsoidSearch::Impl::bound_cell(std::size_t index) {
  Node& node = nodes_[index];
  ++oracle_.choice().nodes;
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
    if (node.bound >= oracle_.threshold()) {
      return;
    }
    has_model = model_.solve();
    if (!has_model ||
        (model_.value() < oracle_.threshold() &&
         model_.value() < node.bound + kWorthwhile * (oracle_.threshold() - node.bound))) {
      break;
    }
  }
  if (has_model) {
    node.cell.set_point(model_.combination());
    hand_on_points(node);
  }
}

void EllipsoidSearch::Impl::load_model(const Node& node) {
  model_.start(node.cell, oracle_.radius());
  const int incumbent = oracle_.incumbent(node.program);
  model_.add(oracle_.point(incumbent), oracle_.estimate(incumbent), incumbent);
  for (const int number : node.points) {
    if (number != incumbent) {
      model_.add(oracle_.point(number), oracle_.estimate(number), number);
    }
  }
}

// θ(ν): the bound that these multipliers prove. Its minimiser joins the model.
double EllipsoidSearch::Impl::try_multipliers(const Node& node) {
  node.cell.majorant(nu_, p_);
  const EllipsoidOracle::Answer answer = oracle_.minimise(node.program, p_);
  if (answer.point >= 0) {
    model_.add(oracle_.point(answer.point), oracle_.estimate(answer.point), answer.point);
  }
  return answer.bound;
}

void EllipsoidSearch::Impl::hand_on_points(Node& node) const {
  node.points.clear();
  model_.collect_active(node.points);
}

void EllipsoidSearch::Impl::keep_or_close(std::size_t index) {
  const double bound = nodes_[index].bound;
  if (bound >= oracle_.threshold()) {
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
    nodes_.back().points.reserve(static_cast<std::size_t>(2 * dim_));
    return nodes_.size() - 1;
  }
  const std::size_t index = free_.back();
  free_.pop_back();
  return index;
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

}  // namespace foothold::optimism
