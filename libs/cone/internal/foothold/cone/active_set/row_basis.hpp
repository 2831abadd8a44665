#pragma once

#include <vector>

#include <Eigen/Core>

namespace foothold::cone {

// An orthonormal basis of ℝ^d whose first columns span a list of rows and whose others are
// orthogonal to them: G_Wᵀ = range()·triangle(). It depends on the rows alone, so whoever meets the
// same rows again keeps it. No allocation after construction.
class RowBasis {
 public:
  explicit RowBasis(Eigen::Index dim);

  // Computes the basis of `rows`, columns of `normals`, unless it is the one at hand; rows that
  // depend on those before them are dropped from the list. O(d³).
  void span(const Eigen::MatrixXd& normals, std::vector<Eigen::Index>& rows);
  // To be called when the normals have changed.
  void forget() noexcept { is_set_ = false; }

  [[nodiscard]] auto range() const { return basis_.leftCols(rank()); }
  [[nodiscard]] auto null_space() const { return basis_.rightCols(basis_.cols() - rank()); }
  [[nodiscard]] auto triangle() const { return R_.topLeftCorner(rank(), rank()); }

 private:
  [[nodiscard]] Eigen::Index rank() const { return static_cast<Eigen::Index>(rows_.size()); }
  void remove_span(Eigen::Index columns);
  void complete(Eigen::Index rank);

  Eigen::MatrixXd basis_;
  Eigen::MatrixXd R_;
  Eigen::VectorXd coefficients_;
  Eigen::VectorXd candidate_;
  std::vector<Eigen::Index> rows_;
  bool is_set_ = false;
};

}  // namespace foothold::cone
