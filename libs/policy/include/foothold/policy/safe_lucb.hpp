#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "foothold/policy/policy.hpp"
#include "foothold/policy/warmup.hpp"
#include "foothold/safety/certifier.hpp"

namespace foothold::policy {

/// Which region optimism looks into.
enum class Optimism {
  L1,          ///< ℓ₁ with the symmetric root [AAT19, App. D]
  L1Cholesky,  ///< ℓ₁ with the Cholesky root
  Ellipsoid    ///< exact for finite arms
};

struct SafeLucbOptions {
  /// Left out: `Ellipsoid` for arms, `L1Cholesky` for convex sets.
  std::optional<Optimism> optimism{};
  safety::Caution caution = safety::Caution::Ellipsoid;
  safety::CertifiedSet certified = safety::CertifiedSet::Union;
  estimation::RadiusForm radius = estimation::RadiusForm::Mixture;
  bool nested = false;  ///< Once certified, always certified.
  WarmupOptions warmup{};
  std::optional<std::int64_t> horizon{};  ///< T, where a schedule needs it.
  std::uint64_t seed = 0;                 ///< Of the warm-up's draws.
};

/// Throws `Error{InvalidArgument}` naming the field, also for a combination that the problem
/// does not allow: ellipsoidal optimism on a convex set, nesting of contextual arms.
void validate(const SafeLucbOptions& options, const safety::Problem& problem);

/// Safe-LUCB [AAT19, Alg. 1]: random draws from the foothold for T' told rounds, then
///
///     x_t = argmin { min_{v ∈ C_t} vᵀx : x certified }.
///
/// One `ask` and `tell` cost O(d³) on convex sets (one or a few small cone programs) and O(Kd²)
/// for K arms; no allocation after the first rounds.
class SafeLucb final : public Policy {
 public:
  /// Throws `Error{InvalidArgument}` if the problem or the options are not valid.
  explicit SafeLucb(safety::Problem problem, const SafeLucbOptions& options = {});
  ~SafeLucb() override;

  [[nodiscard]] const Decision& ask() override;
  [[nodiscard]] const Decision& ask(const Eigen::Ref<const Eigen::MatrixXd>& arms) override;
  void tell(DecisionId id, double loss) override;
  void abandon(DecisionId id) override;
  void observe(const Eigen::VectorXd& action, double loss) override;
  [[nodiscard]] Bytes snapshot() const override;
  void restore(const Bytes& snapshot) override;
  [[nodiscard]] const safety::Problem& problem() const noexcept override;
  [[nodiscard]] const estimation::RidgeEstimate& estimate() const noexcept override;
  [[nodiscard]] std::size_t open_rounds() const noexcept override;
  [[nodiscard]] std::uint64_t rounds() const noexcept override;

  /// T': told rounds of warm-up before optimism begins.
  [[nodiscard]] std::int64_t warmup() const noexcept;
  /// Options with their defaults filled in.
  [[nodiscard]] const SafeLucbOptions& options() const noexcept;

  /// Whether an action is certified by the data now, under the options' rule: in D_t^s, or in
  /// D_t^s ∪ D^w for `CertifiedSet::Union`. Throws `Error{InvalidArgument}` on bad input.
  [[nodiscard]] safety::Certificate certify(const Eigen::VectorXd& action) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace foothold::policy
