#include "foothold/policy/learner.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <fmt/core.h>

#include "foothold/base/check.hpp"
#include "foothold/base/rounding.hpp"

#include "learner_core.hpp"

namespace foothold::policy {
namespace {

void require_within(const Eigen::Ref<const Eigen::MatrixXd>& arms, double L) {
  check::all_finite(arms, "arms");
  for (Eigen::Index i = 0; i < arms.rows(); ++i) {
    const double norm = rounding::norm_upper(arms.row(i).transpose());
    if (!(norm <= L * (1.0 + 1e-12))) {  // as RidgeEstimate::observe
      throw Error(ErrorCode::InvalidArgument, fmt::format("arms[{}]", i),
                  fmt::format("must have norm at most action_bound = {}, got {}", L, norm));
    }
  }
}

// Whether `require_within` has nothing to find, by sums of squares of many arms side by side: false
// also for what needs a closer look.
bool are_clearly_within(const Eigen::Ref<const Eigen::MatrixXd>& arms, double L) {
  constexpr Eigen::Index kBlock = 64;
  const double limit = L * L;
  if (!(limit > 0x1p-900 && limit < 0x1p900)) {
    return false;  // squares may leave the range
  }
  std::array<double, kBlock> squares{};
  for (Eigen::Index start = 0; start < arms.rows(); start += kBlock) {
    const Eigen::Index size = std::min(kBlock, arms.rows() - start);
    squares.fill(0.0);
    for (Eigen::Index j = 0; j < arms.cols(); ++j) {
      const double* __restrict entries = arms.data() + j * arms.outerStride() + start;
      double* __restrict sums = squares.data();
      for (Eigen::Index i = 0; i < size; ++i) {
        sums[i] += entries[i] * entries[i];
      }
    }
    std::int64_t within = 0;  // counted, since a loop that may end early is not vectorised
    for (const double square : squares) {
      within += square <= limit ? 1 : 0;  // not NaN
    }
    if (within < kBlock) {
      return false;
    }
  }
  return true;
}

}  // namespace

Learner::Learner(Algorithm algorithm, safety::Problem problem, const PolicyOptions& options)
    : core_(
          make_core(std::make_shared<const LearnerSetup>(algorithm, std::move(problem), options))) {
}

Learner::~Learner() = default;

const Decision& Learner::ask() {
  if (std::holds_alternative<geometry::ContextualArms>(core_->problem.decision_set)) {
    throw Error(ErrorCode::InvalidArgument, "arms",
                "must be given with each ask of a contextual problem, got none");
  }
  return core_->ask();
}

const Decision& Learner::ask(const Eigen::Ref<const Eigen::MatrixXd>& arms) {
  if (!std::holds_alternative<geometry::ContextualArms>(core_->problem.decision_set)) {
    throw Error(ErrorCode::InvalidArgument, "arms",
                "must be left out unless the decision set is contextual");
  }
  if (arms.rows() < 1) {
    throw Error(ErrorCode::InvalidArgument, "arms", "must have at least one row, got none");
  }
  check::size_is(arms.cols(), core_->problem.dim(), "arms");
  const double L = *core_->problem.assumptions.action_bound;
  if (!are_clearly_within(arms, L)) {
    require_within(arms, L);
  }
  return core_->ask_among(arms);
}

void Learner::tell(DecisionId id, double loss) {
  core_->tell(id, loss);
}

void Learner::abandon(DecisionId id) {
  core_->abandon(id);
}

void Learner::observe(const Eigen::VectorXd& action, double loss) {
  core_->observe(action, loss);
}

const Decision& Learner::adopt(const Decision& decision) {
  return core_->adopt(decision);
}

Bytes Learner::snapshot(WarmStarts warm) const {
  ByteWriter out;
  core_->save(out, warm);
  return out.sealed();
}

// Into a fresh core, which takes the place of this one when it is complete: whatever throws leaves
// the policy as it was.
void Learner::restore(const Bytes& snapshot, std::uint64_t epoch) {
  std::unique_ptr<LearnerCore> loaded = core_->fresh();
  ByteReader in(snapshot);
  loaded->load(in);
  in.finish();
  loaded->begin_epoch(epoch);
  core_ = std::move(loaded);
}

const safety::Problem& Learner::problem() const noexcept {
  return core_->problem;
}

const estimation::RidgeEstimate& Learner::estimate() const noexcept {
  return core_->estimate;
}

std::size_t Learner::open_rounds() const noexcept {
  return core_->pending.open_count();
}

std::uint64_t Learner::rounds() const noexcept {
  return core_->pending.count();
}

std::int64_t Learner::warmup() const noexcept {
  return core_->warmup();
}

bool Learner::is_warming_up() const noexcept {
  return core_->is_warming_up();
}

Algorithm Learner::algorithm() const noexcept {
  return core_->algorithm();
}

const PolicyOptions& Learner::options() const noexcept {
  return core_->options;
}

safety::Certificate Learner::certify(const Eigen::VectorXd& action) const {
  return core_->certify(action);
}

}  // namespace foothold::policy
