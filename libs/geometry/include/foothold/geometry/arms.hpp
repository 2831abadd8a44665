#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <Eigen/Core>

namespace foothold::geometry {

/// Finitely many actions, one per row, the same at every round. Copies share the rows, which never
/// change: a million arms in 32 dimensions are 256 MB.
class Arms {
 public:
  /// Throws `Error{InvalidArgument, "features"}` if there is no arm, no dimension, or an entry
  /// is not finite. Duplicates are allowed.
  explicit Arms(Eigen::MatrixXd features);

  [[nodiscard]] Eigen::Index dim() const noexcept { return features().cols(); }
  [[nodiscard]] Eigen::Index count() const noexcept { return features().rows(); }
  [[nodiscard]] const Eigen::MatrixXd& features() const noexcept { return table_->features; }
  /// The first row equal to x, entry by entry, or −1. `x` must have the arms' dimension. O(d) for
  /// arms that are not made to collide.
  [[nodiscard]] Eigen::Index find(const Eigen::Ref<const Eigen::VectorXd>& x) const;

 private:
  struct Table {
    Eigen::MatrixXd features{};
    std::vector<std::uint32_t> slots{};  // hash table with linear probing: 0, or row + 1
  };
  static std::vector<std::uint32_t> slots_of(const Eigen::MatrixXd& features);

  // Shared because a problem is copied into every policy, and the rows are its bulk.
  std::shared_ptr<const Table> table_;
};

/// Finitely many actions that arrive with each ask.
class ContextualArms {
 public:
  /// Throws `Error{InvalidArgument, "dim"}` unless dim ≥ 1.
  explicit ContextualArms(Eigen::Index dim);

  [[nodiscard]] Eigen::Index dim() const noexcept { return dim_; }

 private:
  Eigen::Index dim_;
};

}  // namespace foothold::geometry
