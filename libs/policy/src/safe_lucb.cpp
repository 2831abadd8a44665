#include "foothold/policy/safe_lucb.hpp"

#include <string>
#include <utility>

#include <fmt/core.h>

#include "foothold/base/check.hpp"
#include "foothold/base/digest.hpp"

#include "safe_lucb_impl.hpp"

namespace foothold::policy {
namespace {

bool is_continuous(const safety::Problem& problem) {
  return geometry::is_continuous(problem.decision_set);
}

SafeLucbOptions resolved(SafeLucbOptions options, const safety::Problem& problem) {
  validate(options, problem);
  if (!options.optimism) {
    options.optimism = is_continuous(problem) ? Optimism::L1Cholesky : Optimism::Ellipsoid;
  }
  return options;
}

}  // namespace

void validate(const SafeLucbOptions& options, const safety::Problem& problem) {
  validate(options.warmup);
  if (options.horizon && *options.horizon < 1) {
    throw Error(ErrorCode::InvalidArgument, "horizon",
                fmt::format("must be at least 1, got {}", *options.horizon));
  }
  if (options.optimism == Optimism::Ellipsoid && is_continuous(problem)) {
    throw Error(ErrorCode::InvalidArgument, "optimism",
                "must be 'l1' or 'l1-cholesky' on a box, ball or polytope, got 'ellipsoid'");
  }
  if (options.nested && std::holds_alternative<geometry::ContextualArms>(problem.decision_set)) {
    throw Error(ErrorCode::InvalidArgument, "nested",
                "must be false for contextual arms, which are new each round, got true");
  }
}

SafeLucb::SafeLucb(safety::Problem problem, const SafeLucbOptions& options) {
  safety::Problem full = safety::resolved(std::move(problem));
  const SafeLucbOptions full_options = resolved(options, full);
  impl_ = std::make_unique<Impl>(std::move(full), full_options);
}

SafeLucb::~SafeLucb() = default;

const Decision& SafeLucb::ask() {
  if (std::holds_alternative<geometry::ContextualArms>(impl_->problem.decision_set)) {
    throw Error(ErrorCode::InvalidArgument, "arms",
                "must be given with each ask of a contextual problem, got none");
  }
  return impl_->ask();
}

const Decision& SafeLucb::ask(const Eigen::Ref<const Eigen::MatrixXd>& arms) {
  if (!std::holds_alternative<geometry::ContextualArms>(impl_->problem.decision_set)) {
    throw Error(ErrorCode::InvalidArgument, "arms",
                "must be left out unless the decision set is contextual");
  }
  if (arms.rows() < 1) {
    throw Error(ErrorCode::InvalidArgument, "arms", "must have at least one row, got none");
  }
  check::size_is(arms.cols(), impl_->problem.dim(), "arms");
  check::all_finite(arms, "arms");
  const double L = *impl_->problem.assumptions.action_bound;
  for (Eigen::Index i = 0; i < arms.rows(); ++i) {
    const double norm = arms.row(i).norm();
    if (!(norm <= L * (1.0 + 1e-12))) {  // as RidgeEstimate::observe
      throw Error(ErrorCode::InvalidArgument, fmt::format("arms[{}]", i),
                  fmt::format("must have norm at most action_bound = {}, got {}", L, norm));
    }
  }
  return impl_->ask_among(arms);
}

void SafeLucb::tell(DecisionId id, double loss) {
  impl_->tell(id, loss);
}

void SafeLucb::abandon(DecisionId id) {
  impl_->pending.close(impl_->pending.find(id));
}

void SafeLucb::observe(const Eigen::VectorXd& action, double loss) {
  impl_->estimate.observe(action, loss);
}

Bytes SafeLucb::snapshot() const {
  ByteWriter out;
  impl_->save(out);
  return out.sealed();
}

void SafeLucb::restore(const Bytes& snapshot) {
  // A dry run on a fresh state first: what throws there leaves this policy as it was.
  {
    Impl scratch(impl_->problem, impl_->options);
    ByteReader in(snapshot);
    scratch.load(in);
    in.finish();
  }
  ByteReader in(snapshot);
  impl_->load(in);
}

const safety::Problem& SafeLucb::problem() const noexcept {
  return impl_->problem;
}

const estimation::RidgeEstimate& SafeLucb::estimate() const noexcept {
  return impl_->estimate;
}

std::size_t SafeLucb::open_rounds() const noexcept {
  return impl_->pending.open_count();
}

std::uint64_t SafeLucb::rounds() const noexcept {
  return impl_->pending.next_id();
}

std::int64_t SafeLucb::warmup() const noexcept {
  return impl_->warmup;
}

const SafeLucbOptions& SafeLucb::options() const noexcept {
  return impl_->options;
}

safety::Certificate SafeLucb::certify(const Eigen::VectorXd& action) const {
  return safety::certify(impl_->problem, impl_->rule, impl_->estimate, action);
}

}  // namespace foothold::policy
