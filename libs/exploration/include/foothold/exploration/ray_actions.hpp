#pragma once

#include <Eigen/Core>

#include "foothold/base/byte_stream.hpp"
#include "foothold/estimation/confidence_region.hpp"
#include "foothold/exploration/hopeful_search.hpp"
#include "foothold/safety/certified_programs.hpp"
#include "foothold/safety/problem.hpp"
#include "foothold/safety/safety_rule.hpp"

namespace foothold::exploration {

// A convex decision set as finitely many rays from the centre, for the planner to aim at and to
// teach with. Columns are offsets to the border of D₀. First come the targets, the best safe
// actions if the parameter were the estimate or a little beside it; then fixed directions, which
// teach.
class RayActions {
 public:
  RayActions(const safety::Problem& problem, const safety::SafetyRule& rule);

  // Finds targets and the exploiting action anew. `deviations` says how far beside the estimate
  // targets are looked for, in standard deviations of the noise.
  void update(const estimation::ConfidenceRegion& region, double deviations);

  [[nodiscard]] const Eigen::MatrixXd& offsets() const noexcept { return offsets_; }
  [[nodiscard]] Eigen::Index targets() const noexcept { return targets_; }
  // The certified offset with the smallest estimated loss.
  [[nodiscard]] const Eigen::VectorXd& exploit() const noexcept { return exploit_; }
  // The certified offset with the smallest vᵀu, for the region of the last `load`, and the kind
  // of evidence that certifies it.
  const Eigen::VectorXd& best_certified(const Eigen::Ref<const Eigen::VectorXd>& v);
  [[nodiscard]] safety::Evidence evidence() const noexcept { return evidence_; }
  void load(const estimation::ConfidenceRegion& region) { programs_.update(region); }
  // The best action that may be safe, by the ℓ₁ region.
  const HopefulChoice& best_hope(const estimation::ConfidenceRegion& region) {
    return hopeful_.best_hope(region);
  }
  // Makes a direction the last column, scaled to the border of D₀.
  void set_last(const Eigen::Ref<const Eigen::VectorXd>& direction);

  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

 private:
  // The largest t with x₀ + t·direction ∈ D₀, in plain arithmetic.
  [[nodiscard]] double reach(const Eigen::Ref<const Eigen::VectorXd>& direction) const;

  const safety::Problem* problem_;
  Eigen::VectorXd centre_;
  safety::CertifiedPrograms programs_;
  HopefulSearch hopeful_;
  Eigen::Index targets_;
  Eigen::MatrixXd offsets_;
  Eigen::VectorXd exploit_;
  Eigen::VectorXd best_;
  safety::Evidence evidence_ = safety::Evidence::Region;
  Eigen::VectorXd v_;
};

}  // namespace foothold::exploration
