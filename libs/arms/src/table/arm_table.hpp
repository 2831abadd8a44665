#pragma once

#include <vector>

#include <Eigen/Core>

#include "table/arm_forms.hpp"

namespace foothold::arms {

// A copy of some arms that lies well in memory: padded with zeros to whole lanes.
class ArmTable {
 public:
  // Makes room, so that assigning no more arms than that does not allocate.
  void reserve(std::size_t count, Eigen::Index dim);
  // Takes over the rows named, which must be in rising order.
  void assign(const Eigen::Ref<const Eigen::MatrixXd>& arms, const std::vector<Eigen::Index>& rows);
  void assign_all(const Eigen::Ref<const Eigen::MatrixXd>& arms);

  [[nodiscard]] ArmBlock<double> block() const {
    return {entries_.data(), stride_, static_cast<Eigen::Index>(rows_.size())};
  }
  [[nodiscard]] const std::vector<Eigen::Index>& rows() const noexcept { return rows_; }

 private:
  std::vector<Eigen::Index> rows_;
  std::vector<double> entries_;
  Eigen::Index stride_ = 0;
};

}  // namespace foothold::arms
