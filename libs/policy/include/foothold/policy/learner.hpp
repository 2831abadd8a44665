#pragma once

#include <cstdint>
#include <memory>

#include "foothold/policy/algorithm.hpp"
#include "foothold/policy/options.hpp"
#include "foothold/policy/policy.hpp"

namespace foothold::policy {

class LearnerCore;

/// What all policies of this library share: one estimate, one certifier, one list of open
/// rounds. They differ in how they choose among certified actions.
class Learner : public Policy {
 public:
  /// See `make`.
  Learner(Algorithm algorithm, safety::Problem problem, const PolicyOptions& options);
  ~Learner() override;

  [[nodiscard]] const Decision& ask() final;
  [[nodiscard]] const Decision& ask(const Eigen::Ref<const Eigen::MatrixXd>& arms) final;
  void tell(DecisionId id, double loss) final;
  void abandon(DecisionId id) final;
  void observe(const Eigen::VectorXd& action, double loss) final;
  const Decision& adopt(const Decision& decision) final;
  [[nodiscard]] Bytes snapshot(WarmStarts warm = WarmStarts::Keep) const final;
  void restore(const Bytes& snapshot, std::uint64_t epoch) final;
  [[nodiscard]] const safety::Problem& problem() const noexcept final;
  [[nodiscard]] const estimation::RidgeEstimate& estimate() const noexcept final;
  [[nodiscard]] std::size_t open_rounds() const noexcept final;
  [[nodiscard]] std::uint64_t rounds() const noexcept final;

  /// T': told rounds of warm-up before optimism begins; 0 for a policy without. `Gslucb` knows
  /// it only once the warm-up is over; until then it is what the present bound says.
  [[nodiscard]] std::int64_t warmup() const noexcept;
  [[nodiscard]] bool is_warming_up() const noexcept;
  [[nodiscard]] Algorithm algorithm() const noexcept;
  /// Options with their defaults filled in.
  [[nodiscard]] const PolicyOptions& options() const noexcept;

  /// Whether an action is certified by the data now, under the options' rule: in D_t^s, or in
  /// D_t^s ∪ D^w for `CertifiedSet::Union`. Throws `Error{InvalidArgument}` on bad input.
  [[nodiscard]] safety::Certificate certify(const Eigen::VectorXd& action) const;

 protected:
  [[nodiscard]] const LearnerCore& core() const noexcept { return *core_; }

 private:
  std::unique_ptr<LearnerCore> core_;
};

}  // namespace foothold::policy
