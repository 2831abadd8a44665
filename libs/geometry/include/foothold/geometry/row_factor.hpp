#pragma once

#include <Eigen/Core>

namespace foothold::geometry {

/// The factor of a working set: k ≤ d linearly independent rows W of length d, held as the
/// Householder factor
///
///     Wᵀ = Q [R; 0],   Q orthogonal, R upper triangular, k × k.
///
/// The last d − k columns of Q span the directions along which all rows stay constant. No
/// allocation after the first `reset` with a given d. A value.
class RowFactor {
 public:
  /// Empties the working set and fixes d.
  void reset(Eigen::Index dim);

  /// Appends a row that is independent of those held, k < d. O(kd).
  void append(const Eigen::Ref<const Eigen::VectorXd>& row);

  /// Removes the row at a position; later ones move down by one. O((k − position) k d).
  void remove(Eigen::Index position);

  [[nodiscard]] Eigen::Index size() const noexcept { return size_; }  ///< k
  [[nodiscard]] Eigen::Index dim() const noexcept { return rows_.rows(); }

  /// v ← Qᵀv. O(kd).
  void rotate(Eigen::Ref<Eigen::VectorXd> v) const;

  /// v ← Qv. O(kd).
  void rotate_back(Eigen::Ref<Eigen::VectorXd> v) const;

  /// b ← R⁻¹b for the first k entries. With b = Qᵀv it gives the coefficients of v in the rows.
  void solve_upper(Eigen::Ref<Eigen::VectorXd> b) const;

  /// b ← R⁻ᵀb for the first k entries. Then Qb, with zeros after them, solves Wx = b.
  void solve_lower(Eigen::Ref<Eigen::VectorXd> b) const;

 private:
  Eigen::MatrixXd rows_;       // The rows as columns, to factor again after a removal.
  Eigen::MatrixXd factor_;     // R above, the reflectors below the diagonal.
  Eigen::VectorXd reflector_;  // The factors τ of the reflectors I − τ[1; w][1; w]ᵀ.
  Eigen::Index size_ = 0;
};

}  // namespace foothold::geometry
