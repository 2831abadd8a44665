#include "arm_gap.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>

#include "foothold/base/infinity.hpp"

namespace foothold::gap {
namespace {

bool is_same(const RegionForm& first, const RegionForm& second) {
  return first.centre == second.centre && first.slope == second.slope;
}

}  // namespace

GapEstimate ArmGap::bound(const Eigen::Ref<const Eigen::MatrixXd>& arms) {
  describe(arms);
  // The lowest first: the rest is settled as soon as the bounds exceed the smallest gap. Among
  // equals the arm that looks best, whose rows are likely to have a point in common.
  std::vector<std::size_t> order(arms_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [this](std::size_t i, std::size_t j) {
    const Arm& first = arms_[i];
    const Arm& second = arms_[j];
    return first.lowest_gap != second.lowest_gap ? first.lowest_gap < second.lowest_gap
                                                 : first.loss.centre < second.loss.centre;
  });
  GapEstimate estimate;
  double smallest = kInfinity;
  for (const std::size_t i : order) {
    if (arms_[i].lowest_gap >= smallest) {
      break;
    }
    ++estimate.vertices;
    smallest = std::min(smallest, gap_of(i, smallest));
    if (smallest <= 0.0) {
      break;
    }
  }
  estimate.value = smallest < kInfinity ? std::max(0.0, smallest) : 0.0;
  estimate.solves = program_->solves();
  return estimate;
}

void ArmGap::describe(const Eigen::Ref<const Eigen::MatrixXd>& arms) {
  const Eigen::VectorXd x0 = problem_->centre();
  const std::size_t constraints = problem_->constraints.size();
  arms_.resize(static_cast<std::size_t>(arms.rows()));
  for (Eigen::Index i = 0; i < arms.rows(); ++i) {
    Arm& arm = arms_[static_cast<std::size_t>(i)];
    const Eigen::VectorXd y = arms.row(i).transpose();
    arm.loss = program_->form(y);
    arm.needs.resize(constraints);
    arm.spared.resize(constraints);
    arm.lowest_gap = kInfinity;
    arm.is_safe = true;
    bool is_unsafe = false;
    for (std::size_t k = 0; k < constraints; ++k) {
      const Eigen::VectorXd z = problem_->constraints[k].matrix * (y - x0);
      arm.needs[k] = program_->form(z);
      arm.spared[k] = program_->form(-z);
      const double room = problem_->room(k);
      arm.lowest_gap = std::min(arm.lowest_gap, std::max(0.0, room - arm.needs[k].highest()));
      arm.is_safe = arm.is_safe && arm.needs[k].highest() <= room;
      is_unsafe = is_unsafe || arm.needs[k].lowest() > room;
    }
    if (is_unsafe) {
      arm.lowest_gap = kInfinity;
    }
  }
}

void ArmGap::cut_by_constraints(const Arm& arm) {
  program_->clear_rows();
  for (std::size_t k = 0; k < arm.needs.size(); ++k) {
    program_->add_row(arm.needs[k], problem_->room(k));
  }
}

// y_other ∈ Y^i. The program holds C^i.
bool ArmGap::is_comparable(const Arm& arm, const Arm& other) {
  for (std::size_t k = 0; k < other.needs.size(); ++k) {
    const double room = problem_->room(k);
    // An arm with the same image is as safe as arm i, where rounding would deny it.
    const bool is_safe = other.needs[k].highest() <= room ||
                         is_same(other.needs[k], arm.needs[k]) ||
                         program_->maximum(other.needs[k]) <= room;
    if (!is_safe) {
      return false;
    }
  }
  return true;
}

double ArmGap::gap_of(std::size_t i, double incumbent) {
  const Arm& arm = arms_[i];
  // Arms that are safe for all of C are in Y^i; any of them may rule arm i out at once.
  std::vector<const Arm*> undecided;
  std::vector<RegionForm> rows;
  for (const Arm& other : arms_) {
    RegionForm advantage = program_->difference(arm.loss, other.loss);
    if (advantage.highest() <= 0.0) {
      continue;  // arm i is better everywhere in C
    }
    if (other.is_safe) {
      if (advantage.lowest() > 0.0) {
        return kInfinity;
      }
      rows.push_back(std::move(advantage));
    } else if (&other != &arm) {
      undecided.push_back(&other);
    }
  }
  cut_by_constraints(arm);
  std::vector<const Arm*> comparable;
  std::copy_if(undecided.begin(), undecided.end(), std::back_inserter(comparable),
               [&](const Arm* other) { return is_comparable(arm, *other); });
  for (const RegionForm& row : rows) {
    program_->add_row(row, 0.0);
  }
  for (const Arm* other : comparable) {
    program_->add_row(program_->difference(arm.loss, other->loss), 0.0);
  }
  double gap = kInfinity;
  for (std::size_t k = 0; k < arm.spared.size(); ++k) {
    const double room = problem_->room(k);
    if (room - arm.needs[k].highest() >= std::min(gap, incumbent)) {
      continue;  // constraint k cannot lower the minimum
    }
    gap = std::min(gap, room + program_->minimum(arm.spared[k]));
  }
  return gap;
}

}  // namespace foothold::gap
