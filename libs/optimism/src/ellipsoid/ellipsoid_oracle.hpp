#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "foothold/base/byte_stream.hpp"
#include "foothold/estimation/confidence_region.hpp"
#include "foothold/optimism/optimistic_search.hpp"
#include "foothold/safety/certified_programs.hpp"
#include "foothold/safety/problem.hpp"
#include "foothold/safety/safety_rule.hpp"

namespace foothold::optimism {

// What a branch and bound asks about the objective  φ(x) = μ̂ᵀx − β‖y‖₂,  y = H⁻ᵀx,  of a round:
// the minima of its linear minorants over the certified sets. It collects the certified points
// that it meets, and the best of them, the incumbent.
class EllipsoidOracle {
 public:
  struct Answer {
    double bound = 0.0;  // proved: no certified x of the program has a smaller μ̂ᵀx − βpᵀy
    int point = -1;      // number of the minimiser; −1 if the bound came without a solve
  };

  // `gap`: the relative gap of `SearchLimits`.
  EllipsoidOracle(const safety::Problem& problem, const safety::SafetyRule& rule, double gap);

  // Begins a round with the last round's action, moved into this round's sets and improved: it is
  // nearly always nearly right, so that most cells are closed at once. `region` must outlive the
  // round.
  void start(const estimation::ConfidenceRegion& region);

  // min { μ̂ᵀx − βpᵀy } over a program; without a solve if a bound at hand is above the threshold.
  Answer minimise(std::size_t program, const Eigen::VectorXd& p);

  [[nodiscard]] std::size_t program_count() const noexcept { return programs_.count(); }
  [[nodiscard]] double radius() const { return region_->radius(); }
  // The incumbent; `dual_bound` and `nodes` are the caller's.
  [[nodiscard]] OptimisticChoice& choice() noexcept { return choice_; }
  // What reaches this need not be searched: the incumbent's loss less the tolerance.
  [[nodiscard]] double threshold() const { return choice_.optimistic_loss - tolerance_; }
  // Number of the best point of a program.
  [[nodiscard]] int incumbent(std::size_t program) const { return incumbent_[program]; }
  [[nodiscard]] auto point(int number) const { return points_.col(number).head(y_.size()); }  // y
  [[nodiscard]] double estimate(int number) const { return points_(y_.size(), number); }  // μ̂ᵀx

  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

 private:
  void consider(std::size_t program, const Eigen::VectorXd& u);
  void improve(std::size_t program);
  int add_point();
  [[nodiscard]] std::size_t nearest_slot(std::size_t program) const;
  const cone::ConeSolution& solve(std::size_t program, std::size_t slot);

  double gap_;
  safety::CertifiedPrograms programs_;
  const estimation::ConfidenceRegion* region_ = nullptr;
  OptimisticChoice choice_;
  double tolerance_ = 0.0;
  std::vector<int> incumbent_;
  std::vector<double> values_;  // φ at the incumbents
  Eigen::MatrixXd points_;      // y, then μ̂ᵀx, one point per column
  int point_count_ = 0;
  std::vector<Eigen::MatrixXd> objectives_;  // per program what each slot of its solver solved
  std::vector<Eigen::Index> used_;           // the slots that did
  Eigen::VectorXd last_;
  Eigen::VectorXd v_;
  Eigen::VectorXd u_;
  Eigen::VectorXd x_;
  Eigen::VectorXd y_;
  double estimate_ = 0.0;
};

}  // namespace foothold::optimism
