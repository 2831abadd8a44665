#include "table/arm_table.hpp"

#include <numeric>

namespace foothold::arms {

void ArmTable::reserve(std::size_t count, Eigen::Index dim) {
  rows_.reserve(count);
  entries_.reserve(
      static_cast<std::size_t>(padded<double>(static_cast<Eigen::Index>(count)) * dim));
}

void ArmTable::assign(const Eigen::Ref<const Eigen::MatrixXd>& arms,
                      const std::vector<Eigen::Index>& rows) {
  rows_ = rows;
  stride_ = padded<double>(static_cast<Eigen::Index>(rows.size()));
  entries_.assign(static_cast<std::size_t>(stride_ * arms.cols()), 0.0);
  for (Eigen::Index j = 0; j < arms.cols(); ++j) {
    double* column = entries_.data() + j * stride_;
    for (const Eigen::Index row : rows) {
      *column++ = arms(row, j);
    }
  }
}

void ArmTable::assign_all(const Eigen::Ref<const Eigen::MatrixXd>& arms) {
  std::vector<Eigen::Index> rows(static_cast<std::size_t>(arms.rows()));
  std::iota(rows.begin(), rows.end(), Eigen::Index{0});
  assign(arms, rows);
}

}  // namespace foothold::arms
