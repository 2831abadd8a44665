#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "foothold/base/byte_stream.hpp"
#include "foothold/estimation/confidence_region.hpp"
#include "foothold/safety/certificate.hpp"

namespace foothold::policy {

// Nested regions in practical form: with probability ≥ 1 − δ all regions hold at once, so an action
// certified by any past region stays certified ([AAT19], remark after Lem. 4). Fixed arms keep a
// mark and the certificate that set it; on convex sets the released actions are kept as candidates,
// at most kCapacity of them: any subset is valid, and beyond it the one with the worst estimated
// loss makes room.
class NestedMemory {
 public:
  static constexpr Eigen::Index kCapacity = 256;

  NestedMemory(Eigen::Index dim, std::size_t constraints, Eigen::Index arms);

  // Fixed arms.
  // Proofs are proposed while a decision is being made and count from its release on.
  [[nodiscard]] const std::vector<bool>& proposed() const noexcept { return proposed_; }
  void propose_arm(Eigen::Index arm, const safety::Certificate& certificate);
  void accept_proposals() noexcept { proved_ = proposed_; }
  void drop_proposals() noexcept { proposed_ = proved_; }
  [[nodiscard]] const safety::Certificate& certificate(Eigen::Index index) const {
    return certificates_[static_cast<std::size_t>(index)];
  }

  // Convex sets.
  void keep_action(const Eigen::VectorXd& action, const safety::Certificate& certificate,
                   const Eigen::VectorXd& mu_hat) noexcept;
  // The kept action with the smallest optimistic loss, over the ellipsoid or the ℓ₁ region, and
  // that loss; −1 if there is none.
  struct Best {
    Eigen::Index index = -1;
    double optimistic_loss = 0.0;
  };
  [[nodiscard]] Best best_action(const estimation::ConfidenceRegion& region,
                                 bool is_ellipsoidal) const;
  [[nodiscard]] auto action(Eigen::Index index) const { return actions_.col(index); }

  // Whether a proof of this action, from the state with this digest, is kept.
  [[nodiscard]] bool remembers(const Eigen::VectorXd& action,
                               const std::optional<Eigen::Index>& arm,
                               const Digest128& digest) const;

  void save(ByteWriter& out) const;
  // Throws Error{InvalidArgument, "snapshot"} if a certificate or an action cannot be one of the
  // problem's.
  void load(ByteReader& in, const safety::Problem& problem);

 private:
  std::vector<bool> proved_;
  std::vector<bool> proposed_;
  Eigen::MatrixXd actions_;
  Eigen::Index kept_ = 0;
  std::vector<safety::Certificate> certificates_;
  mutable Eigen::VectorXd image_;
};

}  // namespace foothold::policy
