#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "foothold/base/byte_stream.hpp"
#include "foothold/estimation/ridge_estimate.hpp"

namespace foothold::estimation {

/// The same observations under larger ridges λ' > λ, all covered by the one event behind the
/// mixture radius (docs/algorithms/radii.md): with A' = A + (λ' − λ)I and the same b,
///
///     ‖μ − A'⁻¹b‖²_{A'} ≤ β'² = β² − λS² + λ'S² + bᵀA'⁻¹b − bᵀA⁻¹b,
///
/// β the mixture radius at λ. What the data say in few directions is worth more with a large
/// ridge, which makes better use of ‖μ‖ ≤ S; with many data λ is best. A bound that holds for one
/// member holds, so the smallest counts, at no price in probability. Not thread-safe.
class RidgeFamily {
 public:
  /// The multiples of λ that `RidgeFamily` adds.
  static constexpr std::array<double, 2> kFactors = {10.0, 100.0};

  /// Requires what `RidgeEstimate` requires, of which `origin` is that of the base estimate.
  RidgeFamily(Eigen::Index dim, const Assumptions& assumptions, const Digest128& origin = {});

  /// As those of `RidgeEstimate`: a pair that one member refuses is added to none. O(d²) per
  /// member, no allocation.
  void observe(const Eigen::Ref<const Eigen::VectorXd>& action, double loss);
  void require_acceptable(const Eigen::Ref<const Eigen::VectorXd>& action, double loss) const;

  [[nodiscard]] std::size_t size() const noexcept { return members_.size(); }
  [[nodiscard]] const RidgeEstimate& member(std::size_t index) const { return members_[index]; }

  /// β' of a member, rounded up, for the base estimate with the smaller ridge. NaN if β'² < 0: then
  /// no parameter fits; and NaN if the observations behind the two differ in a bit or in their
  /// order. Then nothing may be concluded.
  [[nodiscard]] double radius(std::size_t index, const RidgeEstimate& base) const;

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  std::vector<RidgeEstimate> members_;
};

}  // namespace foothold::estimation
